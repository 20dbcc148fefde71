"""What an extraction gives."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Extracted"]


@dataclass(frozen=True, slots=True)
class Extracted:
    """The code of a reply.

    Attributes:
        code: The code, its lines ended by LF; "" when there is a problem.
        problem: "empty_reply" when the reply is empty or white space, "no_code" when it has
            prose only, else None. Code that does not parse is not a problem here.
        block: The index from 0 of the fenced block taken; None when it came from outside any.
        blocks: How many fenced blocks with content the reply has, thoughts not counted.
    """

    code: str
    problem: Literal["empty_reply", "no_code"] | None
    block: int | None
    blocks: int

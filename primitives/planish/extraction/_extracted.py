"""`ExtractedCode`, the code of a reply and where it was found."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["ExtractedCode", "Problem"]

Problem = Literal["empty_reply", "no_code", "edit_failed"]


@dataclass(frozen=True, slots=True)
class ExtractedCode:
    """The code of a reply, and where it was found.

    Attributes:
        code: The code, with LF line ends; "" if there is a problem. Of several files, the main
            one.
        problem: "empty_reply" if the reply is empty or white space, "no_code" if it holds no
            code, "edit_failed" if it holds edits that do not fit the previous code, else None.
            Code that does not parse is not a problem here.
        block: Index from 0 of the fenced block that holds the code; None if it was unfenced.
        blocks: Number of fenced blocks with content, those in reasoning sections not counted.
        path: The path that the reply gives the code; None if it gives none.
        files: Path and content of the other files, in order.
        findings: What was unclear in the reply, one sentence each.
        other_language: The language of the code, if its block is tagged with another one than
            the wanted one and the code is not valid in the wanted one.
    """

    code: str
    problem: Problem | None
    block: int | None
    blocks: int
    path: str | None = None
    files: tuple[tuple[str, str], ...] = ()
    findings: tuple[str, ...] = ()
    other_language: str | None = None

"""How an answer is sent, and where that breaks off."""

from dataclasses import dataclass
from typing import Literal

from ._answer import Answer

__all__ = ["Delivery", "End"]

End = Literal["finish", "close", "reset", "hang"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An answer on its way.

    Attributes:
        answer: What is sent.
        right: It is the answer that was asked for, whole.
        wait: Seconds before the first byte; None for ever.
        declared: A Content-Length to send; None for what fits the answer.
        stop: Bytes of the body after which it stops; None for all of them.
        hold: Seconds it stops there, and then goes on; None where it does not.
        end: What becomes of the connection where it stops for good.
    """

    answer: Answer
    right: bool = True
    wait: float | None = 0.0
    declared: int | None = None
    stop: int | None = None
    hold: float | None = None
    end: End = "finish"

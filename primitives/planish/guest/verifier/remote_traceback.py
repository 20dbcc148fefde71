"""What the other side of the pipe says of an exception that it has raised."""

from __future__ import annotations

from .guard import part_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["FAR", "far_of"]

FAR = "#far"
"""Among an exception's own attributes; no name that a program could write after a dot."""


def far_of(error: BaseException) -> Any:
    """Frames, the traceback as text, and where the frames of this side belong into that.

    None where the exception is of this side.
    """
    return part_of(error, "__dict__").get(FAR)

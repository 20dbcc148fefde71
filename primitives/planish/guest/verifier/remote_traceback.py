"""Find the traceback that the other process sent with an exception."""

from __future__ import annotations

from .guard import part_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["FAR", "far_of"]

FAR = "#far"
"""Among an exception's own attributes; no name that a program could write after a dot."""


def far_of(error: BaseException) -> Any:
    """Return frames, the traceback as text, and where this process's frames belong in it.

    None where the exception is of this side.
    """
    return part_of(error, "__dict__").get(FAR)

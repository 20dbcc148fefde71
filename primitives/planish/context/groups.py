"""`alone`: what one task raised, out of the group in which its task group puts it."""

from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["alone"]


@contextmanager
def alone() -> Generator[None]:
    """Around a task group: an exception that is alone in its group is raised as it is."""
    try:
        yield
    except BaseExceptionGroup as group:
        first, *others = group.exceptions
        if others:
            raise
        raise first from first.__cause__

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
        if len(group.exceptions) > 1:
            raise
        raise group.exceptions[0] from group.exceptions[0].__cause__

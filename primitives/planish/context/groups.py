"""`unwrap_single_exception`: raise a lone exception without the group around it."""

from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["unwrap_single_exception"]


@contextmanager
def unwrap_single_exception() -> Generator[None]:
    """Around a task group: an exception that is alone in its group is raised as it is."""
    try:
        yield
    except BaseExceptionGroup as group:
        first, *others = group.exceptions
        if others:
            raise
        raise first from first.__cause__

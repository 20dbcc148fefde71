"""`without_warnings`, the context in which planish parses and compiles foreign source."""

import warnings
from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock

__all__ = ["without_warnings"]

# One thread at a time: `catch_warnings` changes state of the whole process, and CPython before
# 3.13 counts the depth of syntax trees in one place for all threads, so that two threads at once
# can raise "SystemError: AST constructor recursion depth mismatch".
_one_at_a_time = RLock()


@contextmanager
def without_warnings() -> Generator[None]:
    """Ignore warnings of `ast.parse` and `compile`, in one thread at a time.

    The compiler's warnings about foreign source are of no use to planish's user, and must not
    become exceptions where warnings are errors.
    """
    with _one_at_a_time, warnings.catch_warnings(action="ignore"):
        yield

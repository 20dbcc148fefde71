"""`without_warnings`: how the compiler is called on source that others wrote."""

import warnings
from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock

__all__ = ["without_warnings"]

# One thread at a time. What `catch_warnings` changes belongs to the whole process; and CPython
# before 3.13 counts the depth of the tree it makes in one place for all threads, so that two at
# once can end in "SystemError: AST constructor recursion depth mismatch".
_one_at_a_time = RLock()


@contextmanager
def without_warnings() -> Generator[None]:
    """Within it `ast.parse` and `compile` warn of nothing, and no other thread is in there.

    What the compiler says of source that others wrote is nobody's business here, and must not
    become an error where warnings are errors.
    """
    with _one_at_a_time, warnings.catch_warnings(action="ignore"):
        yield

"""The path of the running code: which step, branch, item and attempt of a pipeline it is in.

Every combinator adds a segment for each step that it runs, so no two steps of a run have the same
path. The path is in a context variable of its own, because it changes with every step: setting
it takes a tenth of the time that a new `Scope` takes.
"""

from collections.abc import Callable
from contextvars import ContextVar, Token
from types import TracebackType

__all__ = [
    "Path",
    "current_path",
    "enter_path",
    "format_path",
    "leave_path",
    "path_scope",
]

Path = tuple[str, ...]
"""The segments of a path, outermost first: `("Retry#2", "Sequential[0]", "Race[1]")`."""

_path: ContextVar[Path] = ContextVar("planish.path", default=())

current_path: Callable[[], Path] = _path.get
"""Return the path of the running code; empty outside a combinator."""

enter_path: Callable[[Path], Token[Path]] = _path.set
"""Make a path current. Return the token for `leave_path`."""

leave_path: Callable[[Token[Path]], None] = _path.reset
"""Restore the path that was current before `enter_path`."""


def format_path(path: Path) -> str:
    """Return a path as one text, as spans and logs show it: "Retry#2/Sequential[0]/Race[1]"."""
    return "/".join(path)


class path_scope:  # noqa: N801 - reads as the verb it is: `with path_scope("Timeout"):`
    """A `with` block in which the path has one segment more.

    Combinators of your own use it around each step that they run. Steps that are run under the
    same path cannot be told apart by a journal, if they run at the same time.

    Args:
        segment: The segment: the name of the combinator with what tells its steps apart, such as
            "Vote[0]".
    """

    __slots__ = ("_segment", "_token")

    def __init__(self, segment: str) -> None:
        self._segment = segment

    def __enter__(self) -> None:
        self._token: Token[Path] = _path.set((*_path.get(), self._segment))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _path.reset(self._token)

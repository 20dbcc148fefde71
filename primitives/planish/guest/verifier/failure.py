"""What an exception says: for one test, and, of the first, the whole."""

from __future__ import annotations

from .bounds import TRACEBACK, VALUE, bounded
from .guard import base_names, guarded, is_a, is_failed_test, name_of, part_of
from .place import home
from .render import far_of, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from .channel import Put

__all__ = ["Witness", "is_of_pytest"]


class Witness:
    """Puts what goes wrong on record. The first exception is put there whole.

    Args:
        put: Where to.
        candidate: The file name of the candidate's code.
        tests: The file name of the tests.
        offset: Lines that stand before the candidate in its file.
    """

    def __init__(self, put: Put, candidate: str, tests: str, offset: int = 0) -> None:
        self.put = put
        self.candidate = candidate
        self.tests = tests
        self.offset = offset
        self.home: str = home() + "/"
        self.clean: bool = True
        self.loading: bool = False  # what is raised now ends the loading of the candidate
        self.loaded: bool = False  # that has ended well

    def raised(self, error: BaseException) -> dict[str, Any]:
        """Describe one exception as the failure of a test.

        Keys: `name` and `message`; `bases`, the names of its base classes; `line`, the line of
        the tests in which it was raised; `inside`: the code raised it, at line `at` of its own;
        `failed`: the tests raised it because a value was wrong; `exits`: it is a SystemExit.
        """
        exits = is_a(error, SystemExit)
        frames = list(self._frames(part_of(error, "__traceback__")))
        far = far_of(error)
        frames += [(self._name(file), line) for file, line in far[0]] if far else []
        lines = [line for file, line in frames if file == self.tests]
        after = frames
        for place, (file, _) in enumerate(frames, 1):
            if file == self.tests:
                after = frames[place:]
        own = [line - self.offset for file, line in after if file == self.candidate]
        wrong = is_failed_test(error)
        facts = {
            "name": bounded(name_of(error), VALUE),
            "message": self._message(error),
            "bases": " ".join(base_names(error)),
        }
        if self.clean:
            self.clean = False
            self._whole(error, frames, facts)
        return {
            **facts,
            "line": lines[-1] if lines else None,
            "inside": bool(own),
            "at": own[-1] if own and own[-1] > 0 else None,
            "failed": wrong and not own,
            "exits": exits,
        }

    def own_line(self, frames: list[tuple[str, int]]) -> int | None:
        """Return the line of the candidate's code in the innermost of its frames, if any."""
        for file, line in frames:
            if self._name(file) == self.candidate and line > self.offset:
                return line - self.offset
        return None

    def failed(self, name: str, message: str) -> dict[str, Any]:
        """Describe a failure that no exception reports."""
        if self.clean:
            self.clean = False
            self.put("failure", name=name, message=message)
        return {"name": name, "message": message, "line": None, "failed": False, "exits": False}

    def _whole(
        self, error: BaseException, frames: list[tuple[str, int]], facts: dict[str, Any]
    ) -> None:
        lines = [line for file, line in frames if file == self.candidate]
        line = lines[-1] - self.offset if lines else None
        syntax: dict[str, Any] = {}
        if is_a(error, SyntaxError) and not lines and not self.loaded:  # said by the compiler
            syntax = self._syntax(error)
            line = syntax.pop("line", line)
        shift = (self.candidate, self.offset)
        text = render(error, facts["message"], self.home, shift)
        whole: dict[str, Any] = {**facts, "traceback": bounded(text, TRACEBACK), **syntax}
        if is_a(error, SystemExit):
            whole.update(name="EarlyExit", message=facts["message"])
        if self.loading:
            whole["loading"] = True
        self.put("failure", line=line if line and line > 0 else None, **whole)

    def _syntax(self, error: BaseException) -> dict[str, Any]:
        """Say what the compiler says. The code may raise the same, with anything in its place."""
        facts = vars(SyntaxError)
        file, line, column, said = (facts[name].__get__(error) for name in _PLACE)
        if type(file) is not str or self._name(file) != self.candidate:
            return {}
        at = line - self.offset if type(line) is int else None
        found: dict[str, Any] = {"syntax": True, "line": at}
        found["offset"] = column if type(column) is int else None
        return {**found, "message": said} if type(said) is str else found

    def _message(self, error: BaseException) -> str:
        if is_a(error, SystemExit):
            code = guarded(lambda: repr(getattr(error, "code", None)), "the exit code: its repr")
            return f"the program called exit({bounded(code, VALUE)})"
        if _simple(error):
            return bounded(str(error), VALUE)
        return bounded(guarded(lambda: str(error), f"{name_of(error)}: its str"), VALUE)

    def _frames(self, trace: TracebackType | None) -> Any:
        while trace is not None:
            yield self._name(trace.tb_frame.f_code.co_filename), trace.tb_lineno
            trace = trace.tb_next

    def _name(self, path: str) -> str:
        return path.removeprefix(self.home)


def is_of_pytest(error: BaseException) -> bool:
    """Tell whether pytest itself has failed a test, which it cannot run with any candidate.

    Not `pytest.fail`, `raises` and `warns` of the tests, nor what pytest says of an exception.
    """
    frame, caller = part_of(error, "__traceback__"), None
    while frame is not None:
        name = frame.tb_frame.f_globals.get("__name__")
        caller = caller if name == "_pytest.outcomes" else name
        frame = frame.tb_next
    handled = part_of(error, "__context__")
    return name_of(error) == "Failed" and handled is None and caller in _REFUSES


_REFUSES = ("_pytest.fixtures", "_pytest.python", "_pytest.skipping")
"""The modules of pytest that fail a test which they cannot run."""

_PLACE = ("filename", "lineno", "offset", "msg")
"""What Python's class of syntax errors keeps."""


def _simple(error: BaseException) -> bool:
    """Return whether Python itself makes its message, of plain values."""
    plain = (str, int, float, bool, type(None))
    return name_of(type(error).__str__) != "function" and all(
        type(arg) in plain for arg in part_of(error, "args")
    )

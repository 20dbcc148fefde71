"""What unittest tells of its tests, put on record."""

from __future__ import annotations

import unittest

from .bounds import VALUE
from .guard import name_of, part_of
from .show import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from .record import Recorder

__all__ = ["result"]


def result(numbers: dict[int, tuple[int, Any]], recorder: Recorder) -> unittest.TestResult:
    """What a suite is to be run with.

    Args:
        numbers: By the id of a test, its number; with the test, so that no id is used again.
        recorder: Where what happens goes.
    """
    return _Result(numbers, recorder)


class _Result(unittest.TestResult):
    """Hands on what happens. What is unknown by number is the setup of a class."""

    def __init__(self, numbers: dict[int, tuple[int, Any]], recorder: Recorder) -> None:
        super().__init__()
        self.numbers = numbers
        self.recorder = recorder
        self.ended = True

    def startTest(self, test: Any) -> None:  # noqa: N802  # unittest's name
        super().startTest(test)
        self.ended = False
        self.recorder.begin(self.numbers[id(test)][0])

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        super().addSuccess(test)
        if not self.ended:
            self.ended = True
            self.recorder.passed()

    def stopTest(self, test: Any) -> None:  # noqa: N802
        super().stopTest(test)
        if not self.ended:
            self.over(RuntimeError("the test did not come to its end"))

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        if id(test) in self.numbers:
            self.over(err[1])
        elif name_of(err[1]) != "SkipTest":
            self.recorder.put("setup", **self.recorder.witness.raised(err[1]))

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self.addError(test, err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802, ARG002
        if err is not None:
            self.addError(test, err)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        if id(test) in self.numbers:
            self.over(unittest.SkipTest(reason))

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802, ARG002
        self.over(unittest.SkipTest("it is expected to fail"))

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802, ARG002
        self.over(AssertionError("it was expected to fail, and did not"))

    def over(self, error: BaseException) -> None:
        if not self.ended:  # the first that goes wrong in a test decides
            self.ended = True
            _compared(part_of(error, "__traceback__"), self.recorder)
            self.recorder.raised(error)


def _compared(trace: TracebackType | None, recorder: Recorder) -> None:
    """Put on record what an `assertEqual`, or one of its kin, compared."""
    line = 0
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_filename == "tests.py":
            line = trace.tb_lineno
        seen = frame.f_locals
        if frame.f_code.co_name.startswith("assert") and "first" in seen and "second" in seen:
            sides = {key: show(seen[name], VALUE)[0] for key, name in _SIDES}
            recorder.put("values", test=recorder.test, line=line, operator="Eq", **sides)
            return
        trace = trace.tb_next


_SIDES = (("left", "first"), ("right", "second"))

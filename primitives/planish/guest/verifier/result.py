"""What unittest tells of its tests, put on record."""

from __future__ import annotations

import unittest

from .bounds import VALUE
from .conditions import skips_by_host
from .evidence import names_in
from .guard import is_a, kind_of, part_of
from .show import show_sides

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from .record import Recorder

__all__ = ["result"]


def result(
    numbers: dict[int, tuple[int, Any]],
    recorder: Recorder,
    tests: str,
    *,
    others: bool,
) -> unittest.TestResult:
    """Return what a suite is to be run with.

    Args:
        numbers: By the id of a test, its number; with the test, so that no id is used again.
        recorder: Where what happens goes.
        tests: The test code.
        others: There are tests without numbers: what they raise is recorded as that of a setup.
    """
    return _Result(numbers, recorder, tests, others=others)


class _Result(unittest.TestResult):
    """Records what happens.

    What has no number is the setup or teardown of a class, or one of the others.
    """

    def __init__(
        self,
        numbers: dict[int, tuple[int, Any]],
        recorder: Recorder,
        tests: str,
        *,
        others: bool,
    ) -> None:
        super().__init__()
        self.tests = tests
        self._by_host: bool | None = None
        self.numbers = numbers
        self.recorder = recorder
        self.ended = True
        self.uses = recorder.evidence.uses  # outside of tests: in what sets up classes
        self.prepared = False
        self.others = others

    def startTest(self, test: Any) -> None:  # noqa: N802  # unittest's name
        super().startTest(test)
        self.prepared = self.prepared or self.recorder.evidence.uses > self.uses
        self.ended = id(test) not in self.numbers
        if self.ended:
            self.recorder.test = None
            self.recorder.evidence.watch()
        else:
            self.recorder.begin(self.numbers[id(test)][0])

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        super().addSuccess(test)
        if not self.ended:
            self.ended = True
            self.recorder.passed(relies=self.prepared or self._relies(test))

    def _relies(self, test: Any, among: set[str] | None = None) -> bool:
        """Return whether the test, or what runs before it, names what the candidate defines."""
        kind = kind_of(test)
        names: set[str] = set()
        for name in (test._testMethodName, "setUp", "setUpClass"):  # noqa: SLF001
            code = getattr(getattr(kind, name, None), "__code__", None)
            names |= names_in(code) if code is not None else set()
        space = getattr(getattr(kind, test._testMethodName), "__globals__", {})  # noqa: SLF001
        return self.recorder.evidence.relies_on(names, space, among)

    def stopTest(self, test: Any) -> None:  # noqa: N802
        super().stopTest(test)
        self.uses = self.recorder.evidence.uses
        if not self.ended:
            self.over(RuntimeError("the test did not come to its end"))

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        if id(test) in self.numbers:
            self.over(err[1])
        else:
            self._outside(test, err[1])

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self.addError(test, err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802, ARG002
        if err is not None:
            self.addError(test, err)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        test = getattr(test, "test_case", test)  # of a subtest
        if id(test) in self.numbers:
            if not _is_marked(test):
                self.recorder.uses = -1  # it has run, and may have seen what the code has made
            self.over(unittest.SkipTest(reason))
        else:
            self._outside(test, unittest.SkipTest(reason))

    def _outside(self, place: Any, error: BaseException) -> None:
        """Record what a test without a number has raised, or the setup or teardown of a class.

        Where a setup is skipped, its tests do not run, which fails those that have a number. After
        the tests, a skip that the code may have raised is an error: it would leave out the checks
        that follow. So is one of a test without a number, if the code may have decided it.
        """
        used = self.recorder.evidence.uses > self.uses and place.id().startswith("tearDown")
        self.recorder.outside(error, used=used or (self.others and self._decided(place)))

    def _decided(self, place: Any) -> bool:
        """Tell whether the code may have decided that a test or a setup is skipped."""
        if not is_a(place, unittest.TestCase):
            return True
        if _is_marked(place):
            return not self._are_by_host()
        evidence = self.recorder.evidence
        return evidence.uses > self.uses or self._relies(place, evidence.derived)

    def _are_by_host(self) -> bool:
        """Tell whether all that marks tests in the test code looks at nothing of the code."""
        if self._by_host is None:
            self._by_host = skips_by_host(self.tests)
        return self._by_host

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802, ARG002
        if not self.ended:
            self.ended = True
            self.recorder.skipped("it is expected to fail", expected=True)
        elif id(test) not in self.numbers and not self._are_by_host():
            self._outside(test, AssertionError("the test is expected to fail, by no decorator"))

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        error = AssertionError("it was expected to fail, and did not")
        if id(test) in self.numbers:
            self.over(error)
        else:
            self._outside(test, error)

    def over(self, error: BaseException) -> None:
        if not self.ended:  # the first that goes wrong in a test decides
            self.ended = True
            _compared(part_of(error, "__traceback__"), self.recorder)
            self.recorder.raised(error)


def _is_marked(test: Any) -> bool:
    """Tell whether a decorator skips a test or its class."""
    parts = (getattr(test, test._testMethodName, None), test)  # noqa: SLF001
    return any(getattr(part, "__unittest_skip__", False) for part in parts)


def _compared(trace: TracebackType | None, recorder: Recorder) -> None:
    """Put on record what an `assertEqual`, or one of its kin, compared."""
    line = 0
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_filename == "tests.py":
            line = trace.tb_lineno
        seen = frame.f_locals
        if frame.f_code.co_name.startswith("assert") and "first" in seen and "second" in seen:
            left, right = show_sides(seen["first"], seen["second"], VALUE)
            sides = {"operator": "Eq", "left": left, "right": right}
            recorder.put("values", test=recorder.test, line=line, **sides)
            return
        trace = trace.tb_next

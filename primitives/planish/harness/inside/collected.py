"""Test functions and unittest classes that the test code only defines."""

from __future__ import annotations

from .bounds import VALUE
from .guard import name_of, part_of
from .show import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Any

    from .namespace import Namespace
    from .record import Recorder

__all__ = ["run_collected"]


def run_collected(tests: Sequence[tuple[int, str]], space: Namespace, recorder: Recorder) -> None:
    """Run tests by name, in order.

    Args:
        tests: Their numbers and names: "function" or "Class.method".
        space: Where they are defined.
        recorder: Where results go.
    """
    methods: list[tuple[int, str, str]] = []
    for number, name in tests:
        owner, _, method = name.rpartition(".")
        if owner:
            methods.append((number, owner, method))
        else:
            _run_methods(methods, space, recorder)
            methods.clear()
            recorder.run(number, _call(space, name))
    _run_methods(methods, space, recorder)


def _call(space: Namespace, name: str) -> Callable[[], Any]:
    return lambda: space.names[name]()  # noqa: PLW0108  # a missing name is the test's error


def _run_methods(
    methods: Sequence[tuple[int, str, str]], space: Namespace, recorder: Recorder
) -> None:
    """Run methods of unittest classes as one suite, for the sake of what the classes set up."""
    if not methods:
        return
    import unittest  # noqa: PLC0415  # the test code has loaded it

    suite = unittest.TestSuite()
    numbers: dict[int, tuple[int, Any]] = {}  # with the tests, so that no id is used again
    for number, owner, method in methods:
        test = space.names[owner](method)
        numbers[id(test)] = (number, test)
        suite.addTest(test)
    suite.run(_result(numbers, recorder))


def _result(numbers: dict[int, tuple[int, Any]], recorder: Recorder) -> Any:  # noqa: C901  # a class of small methods
    import unittest  # noqa: PLC0415

    class Result(unittest.TestResult):
        """Hands on what happens. What is unknown by number is the setup of a class."""

        ended = True

        def startTest(self, test: Any) -> None:  # noqa: N802  # unittest's name
            super().startTest(test)
            self.ended = False
            recorder.begin(numbers[id(test)][0])

        def addSuccess(self, test: Any) -> None:  # noqa: N802
            super().addSuccess(test)
            if not self.ended:
                self.ended = True
                recorder.passed()

        def stopTest(self, test: Any) -> None:  # noqa: N802
            super().stopTest(test)
            if not self.ended:
                self.over(RuntimeError("the test did not come to its end"))

        def addError(self, test: Any, err: Any) -> None:  # noqa: N802
            if id(test) in numbers:
                self.over(err[1])
            elif name_of(err[1]) != "SkipTest":
                recorder.put("setup", **recorder.witness.raised(err[1]))

        def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
            self.addError(test, err)

        def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802, ARG002
            if err is not None:
                self.addError(test, err)

        def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
            if id(test) in numbers:
                self.over(unittest.SkipTest(reason))

        def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802, ARG002
            self.over(unittest.SkipTest("it is expected to fail"))

        def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802, ARG002
            self.over(AssertionError("it was expected to fail, and did not"))

        def over(self, error: BaseException) -> None:
            if not self.ended:  # the first that goes wrong in a test decides
                self.ended = True
                _compared(part_of(error, "__traceback__"), recorder)
                recorder.raised(error)

    return Result()


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

"""Test functions and unittest classes that the test code only defines."""

from __future__ import annotations

import sys

from .evidence import names_in
from .guard import is_a, kind_of
from .packages import is_of_library
from .record import finish_test
from .special_methods import FUNCTIONS
from .watch import expect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .evidence import Evidence
    from .judge import Judge
    from .namespace import Namespace
    from .record import Recorder

__all__ = ["run_collected"]


def run_collected(
    tests: Sequence[tuple[int, str]], used: list[str] | None, judge: Judge, recorder: Recorder
) -> None:
    """Run tests by name, in order, then those that the text of the tests does not show.

    These are methods that are set in a class, classes within other statements, functions that
    are assigned: what fails among them is on record, as what fails in the setup of the tests is.

    Args:
        tests: Their numbers and names: "function" or "Class.method".
        used: The names that the test code uses itself; None if it runs its tests itself.
        judge: Has the names of the tests, and knows what of them comes from the candidate.
        recorder: Where results go.
    """
    space, evidence = judge.space, judge.evidence
    methods: list[tuple[int, str, str]] = []
    for number, name in tests:
        owner, _, method = name.rpartition(".")
        if owner:
            methods.append((number, owner, method))
        else:
            _run_methods(methods, judge, recorder)
            methods.clear()
            evidence.note_test(space.names.get(name))
            recorder.run(number, _call(judge, name), _relies(space, name, evidence))
    known = {name for _, name in tests}
    names = {} if used is None else _own_names(space, judge.got, used)
    own = judge.plan["name"]
    others = [value for value in names.values() if not is_of_library(value, own)]
    _run_methods(methods, judge, recorder, others)
    for name, function in names.items():
        if name[:4] == "test" and name not in known and _needs_nothing(function):
            _run_function(function, recorder)


def _own_names(space: Namespace, got: dict[str, Any], used: list[str]) -> dict[str, Any]:
    """Return what the tests have made and do not use themselves."""
    known = [space.names[name] for name in used if name in space.names]
    return {
        name: value
        for name, value in [*space.names.items()]
        if got.get(name, known) is not value and not any(value is one for one in known)
    }


def _call(judge: Judge, name: str) -> Callable[[], Any]:
    def call() -> Any:
        function = judge.space.names[name]  # a missing name is the test's error
        _skip(function, judge)
        return finish_test(function())

    return call


def _skip(function: Any, judge: Judge) -> None:
    """Raise pytest's skip if the marks of a function of the tests say so.

    The host looks in the text of the tests for the mark: the code may have set this one.
    """
    structures: Any = sys.modules.get("_pytest.mark.structures")
    if structures is None or kind_of(function) is not FUNCTIONS[0]:
        return
    found: list[Any] = []
    marks: Any
    for marks in (judge.space.names.get("pytestmark"), function.__dict__.get("pytestmark")):
        found += marks if kind_of(marks) is list else [marks]
    for one in found:
        mark: Any = one.mark if kind_of(one) is structures.MarkDecorator else one
        if kind_of(mark) is not structures.Mark or mark.name not in ("skip", "skipif"):
            continue
        named = [value for key, value in mark.kwargs.items() if key == "condition"]
        conditions = [True] if mark.name == "skip" else [*mark.args, *named]
        if any(_holds(condition, judge) for condition in conditions):
            reasons = [*mark.args, "unconditional skip"] if mark.name == "skip" else [""]
            outcomes: Any = sys.modules["_pytest.outcomes"]
            raise outcomes.Skipped(mark.kwargs.get("reason", reasons[0]))


def _holds(condition: Any, judge: Judge) -> bool:
    """Tell whether a condition of a mark holds, where text stands in the tests."""
    if kind_of(condition) is not str:
        return bool(condition)
    if condition not in judge.plan["tests"]:
        return False
    code = expect(compile(condition, "<condition>", "eval", dont_inherit=True))
    modules = {name: __import__(name) for name in ("os", "sys", "platform")}
    return bool(eval(code, {**modules, **judge.space.names}))  # noqa: S307  # the user's


def _relies(space: Namespace, name: str, evidence: Evidence) -> Callable[[], bool]:
    return lambda: evidence.relies_on({name}, space.names)


def _needs_nothing(function: Any) -> bool:
    """Tell whether a value is a function of the tests that can be called without arguments."""
    if kind_of(function) is not FUNCTIONS[0] or function.__code__.co_filename != "tests.py":
        return False
    code = function.__code__
    positional = code.co_argcount - len(function.__defaults__ or ())
    return bool(positional <= 0 and code.co_kwonlyargcount <= len(function.__kwdefaults__ or ()))


def _run_function(function: Any, recorder: Recorder) -> None:
    """Run a test function that has no number; put on record what it raises."""
    uses, recorder.test = recorder.evidence.uses, None
    recorder.evidence.watch()
    try:
        finish_test(function())
    except BaseException as error:  # noqa: BLE001  # a test may raise what it likes
        evidence = recorder.evidence
        names = names_in(function.__code__)
        relies = evidence.relies_on(names, function.__globals__, evidence.derived)
        recorder.outside(error, used=evidence.uses > uses or relies)
    recorder.evidence.unwatch()


def _run_methods(
    methods: Sequence[tuple[int, str, str]],
    judge: Judge,
    recorder: Recorder,
    others: Sequence[Any] = (),
) -> None:
    """Run methods of unittest classes as one suite, for the sake of what the classes set up.

    Args:
        methods: Their numbers, the names of their classes, and their own.
        judge: Has the classes, and the text of the tests.
        recorder: Where results go.
        others: Values among which there may be classes; all tests of these are run.
    """
    unittest: Any = sys.modules.get("unittest")  # the test code has loaded it
    if unittest is None:
        return
    space = judge.space
    numbers: dict[int, tuple[int, Any]] = {}  # with the tests, so that no id is used again
    tests: dict[Any, list[Any]] = {}  # by class
    for number, owner, method in methods:
        test = space.names[owner](method)
        numbers[id(test)] = (number, test)
        tests.setdefault(space.names[owner], []).append(test)
    for kind in others:
        if is_a(kind, type) and issubclass(kind, unittest.TestCase):
            found = tests.setdefault(kind, [])
            known = {test._testMethodName for test in found}  # noqa: SLF001
            found += [kind(method) for method in _methods(unittest, kind) if method not in known]
    if not tests:
        return
    from .result import result  # noqa: PLC0415

    suite = unittest.TestSuite()
    for kind, found in tests.items():
        for test in found:
            if not is_a(test, unittest.IsolatedAsyncioTestCase):
                test._callTestMethod = _call_method  # noqa: SLF001  # unittest awaits nothing
            suite.addTest(test)
            recorder.evidence.note_test(getattr(test, test._testMethodName, None), kind)  # noqa: SLF001
    more = suite.countTestCases() > len(numbers)
    suite.run(result(numbers, recorder, judge.plan["tests"], others=more))


def _call_method(method: Callable[[], Any]) -> None:
    finish_test(method())


def _methods(unittest: Any, kind: type) -> list[str]:
    """Return the names of the tests of a class, as the loader of unittest finds them."""
    found = unittest.defaultTestLoader.getTestCaseNames(kind)
    return list(found) or (["runTest"] if hasattr(kind, "runTest") else [])

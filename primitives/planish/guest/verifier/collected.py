"""Test functions and unittest classes that the test code only defines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .evidence import Evidence
    from .namespace import Namespace
    from .record import Recorder

__all__ = ["run_collected"]


def run_collected(
    tests: Sequence[tuple[int, str]], space: Namespace, recorder: Recorder, evidence: Evidence
) -> None:
    """Run tests by name, in order.

    Args:
        tests: Their numbers and names: "function" or "Class.method".
        space: Where they are defined.
        recorder: Where results go.
        evidence: Knows what of the tests' names comes from the candidate.
    """
    methods: list[tuple[int, str, str]] = []
    for number, name in tests:
        owner, _, method = name.rpartition(".")
        if owner:
            methods.append((number, owner, method))
        else:
            _run_methods(methods, space, recorder)
            methods.clear()
            evidence.note_test(space.names.get(name))
            recorder.run(number, _call(space, name), _relies(space, name, evidence))
    _run_methods(methods, space, recorder)


def _call(space: Namespace, name: str) -> Callable[[], Any]:
    return lambda: space.names[name]()  # noqa: PLW0108  # a missing name is the test's error


def _relies(space: Namespace, name: str, evidence: Evidence) -> Callable[[], bool]:
    return lambda: evidence.relies_on({name}, space.names)


def _run_methods(
    methods: Sequence[tuple[int, str, str]], space: Namespace, recorder: Recorder
) -> None:
    """Run methods of unittest classes as one suite, for the sake of what the classes set up."""
    if not methods:
        return
    import unittest  # noqa: PLC0415  # the test code has loaded it

    from .result import result  # noqa: PLC0415

    suite = unittest.TestSuite()
    numbers: dict[int, tuple[int, Any]] = {}  # with the tests, so that no id is used again
    for number, owner, method in methods:
        test = space.names[owner](method)
        numbers[id(test)] = (number, test)
        suite.addTest(test)
        recorder.evidence.note_test(getattr(test, method, None), space.names[owner])
    suite.run(result(numbers, recorder))

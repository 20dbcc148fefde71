"""Requests that told a model too little, as they were and as they are.

What they were is in `before.json`, recorded with the version before findings were parsed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["COMPARISONS", "Comparison"]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One request, as it was and as it is.

    Attributes:
        title: The heading.
        change: What is different now, and why.
        replies: The code of the replies before it.
        evidence: The text that makes the difference.
        requirement: The task.
        tests: The tests that the loop runs.
        accept: Tests that are held back now, and were hidden tests of the loop then.
        hidden: Whether all tests are hidden tests of the loop, then and now.
        counts: How often the request had the evidence, and how often it has it now.
    """

    title: str
    change: str
    replies: Sequence[str]
    evidence: str
    requirement: str = "Square a number."
    tests: str = "assert f(2) == 4\nassert f(3) == 9"
    accept: str = ""
    hidden: bool = False
    counts: tuple[int, int] = (0, 1)


_DOUBLE = "def f(x):\n    return x + x"
COMPARISONS: Sequence[Comparison] = (
    Comparison(
        title="Hidden tests",
        change="Where a task has visible tests too, the loop runs them and tells all there is of "
        "them; the hidden tests decide once, after the loop, and nothing flows back.",
        replies=[_DOUBLE],
        evidence="expected: 9\n  actual:   6",
        tests="assert f(2) == 4\nassert f(3) == 9",
        accept="assert f(5) == 25",
    ),
    Comparison(
        title="An exception that is named after its input",
        change="Of a hidden test the name, the message and the place of an exception are chosen by "
        'the code, so none of it is told. `hidden_tests("exception")` tells the class if it is '
        "one of twenty of Python's own.",
        replies=["def f(x):\n    raise type(f'Input{x}', (Exception,), {})"],
        tests="assert f(25) == 625",
        hidden=True,
        evidence="Input25",
        counts=(1, 0),
    ),
    Comparison(
        title="A repeated reply",
        change="The evidence comes again, with the fact that the reply was a repeat and with what "
        "was tried.",
        replies=["def f(x):\n    return x + 1", _DOUBLE, _DOUBLE],
        evidence="- attempt 1 (wrong_answer, 0%)",
    ),
    Comparison(
        title="A time-out",
        change="The call that did not return, the line at which the code was, and how far it got.",
        replies=["def f(x):\n    n = 0\n    while n != x * x: n += 2\n    return n"],
        evidence="it was at line",
    ),
    Comparison(
        title="One fact, three times",
        change="Each fact once. The traceback follows only where it says more than the line.",
        replies=["def f(x):\n    return {}[x]"],
        evidence="KeyError: 2",
        counts=(3, 1),
    ),
    Comparison(
        title="What was good already",
        change="The place in the code stays, and a hint comes with it.",
        replies=["def f(x):\n    return x.square()"],
        evidence="return x.square()",
        counts=(1, 1),
    ),
    Comparison(
        title="Another name than the tests call",
        change="Both names.",
        replies=["def square(x):\n    return x * x"],
        evidence="your code defines `square`; the tests call `f`",
    ),
    Comparison(
        title="Three hundred lines of output",
        change="Its first and last lines, and how many there are between.",
        replies=["def f(x):\n    for n in range(300):\n        print('step', n)\n    return x + x"],
        evidence="lines left out",
    ),
    Comparison(
        title="An assert with a value for its message",
        change="What the test compares with, and what it does not.",
        replies=["def f(x):\n    return (-2, 2)"],
        requirement="Return the roots of a number.",
        tests="assert f(4) == -2, 2",
        evidence="the test compares with `-2` only: `2` is its message",
    ),
)

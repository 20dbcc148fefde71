"""One failure of each kind: a task, wrong code, right code, and the evidence that tells them."""

from collections.abc import Mapping
from dataclasses import dataclass

from planish import Task
from planish.data import (
    Cases,
    Contract,
    FailureKind,
    FinishReason,
    JsonFile,
    PytestFile,
    StdioPairs,
    Tests,
)
from planish.feedback import hidden_tests
from planish.prompts import Prompt, default_prompt, prompt_without_tests
from planish.rules import Rule, forbid_imports

__all__ = ["KINDS", "Kind", "as_reply"]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A failure and its repair.

    Attributes:
        task: The task.
        wrong: Code that fails; or a whole reply, which has a fence.
        right: Code that passes; or a whole reply.
        evidence: What the request for the repair must hold.
        kind: The kind of the first finding.
        prose: `wrong` is a reply without code.
        finish: Why the model stopped at `wrong`.
        rules: What stands between generator and execution.
        policy: The feedback policy of the loop; one that hides the tests from the feedback hides
            them from the request too.
        varies: Messages depend on the machine, so that no page can show them.
    """

    task: Task
    wrong: str
    right: str
    evidence: str
    kind: FailureKind = "logic"
    prose: bool = False
    finish: FinishReason = "stop"
    rules: tuple[Rule, ...] = ()
    policy: hidden_tests | None = None
    varies: bool = False

    @property
    def reply(self) -> str:
        """The wrong reply."""
        return self.wrong if self.prose else as_reply(self.wrong)

    @property
    def prompt(self) -> Prompt:
        """The prompt of the loop."""
        return default_prompt if self.policy is None else prompt_without_tests


def as_reply(code: str) -> str:
    """Return code as a reply; what is one stays as it is."""
    return code if "```" in code else f"```python\n{code}\n```"


def _square(
    tests: str | Tests = "assert f(2) == 4\nassert f(3) == 9", entry_point: str | None = None
) -> Task:
    return Task("Square a number.", tests=tests, entry_point=entry_point)


_SQUARE = "def f(x):\n    return x * x"
_WRITES = """import json
def f(x):
    with open("out/square.json", "w") as file:
        json.dump({"square": x * x}, file)
    return x * x"""
_TWO_FILES = """`powers.py`:
```python
def square(x):
    return x {} x
```

`solution.py`:
```python
from powers import square
def f(x):
    return square(x)
```"""
_LINES = "def f(x):\n    return 'one\\ntwo\\nthree'"
KINDS: Mapping[str, Kind] = {
    "a wrong value": Kind(
        task=_square(),
        wrong="def f(x):\n    return x + x",
        right=_SQUARE,
        evidence="- assert f(3) == 9: it gave the wrong value\n  expected: 9\n  actual:   6",
    ),
    "a wrong value of a case": Kind(
        task=_square(Cases.of([(2, 4), (3, 9)]), entry_point="f"),
        wrong="def f(x):\n    return x + x",
        right=_SQUARE,
        evidence="- f(3): it gave the wrong value\n  expected: 9\n  actual:   6",
    ),
    "a wrong value in a pytest file": Kind(
        task=_square(
            PytestFile("from solution import f\n\ndef test_three():\n    assert f(3) == 9\n")
        ),
        wrong="def f(x):\n    return x + x",
        right=_SQUARE,
        evidence="fails: assert f(3) == 9\n  expected: 9\n  actual:   6",
    ),
    "a text that differs": Kind(
        task=Task("Count to three.", tests=r"assert f(0) == 'one\ntwo\nthree'"),
        wrong=_LINES.replace("two", "2"),
        right=_LINES,
        evidence="     one\n    -two\n    +2\n     three",
    ),
    "an output that differs": Kind(
        task=_square(StdioPairs([("2\n", "4\n"), ("3\n", "9\n")])),
        wrong="x = int(input())\nprint(x + x)",
        right="x = int(input())\nprint(x * x)",
        evidence=r"printf '3\n' | python solution.py",
    ),
    "an exception": Kind(
        task=Task("Count letters.", tests="assert f('ab') == {'a': 1, 'b': 1}"),
        wrong="def f(s):\n    n = {}\n    for c in s:\n        n[c] += 1\n    return n",
        right="def f(s):\n    return {c: s.count(c) for c in s}",
        evidence="KeyError: 'a' (line 4: n[c] += 1)\n  fix: check that the key is there",
    ),
    "an exception below several calls": Kind(
        task=_square(),
        wrong="def f(x):\n    return g(x)\ndef g(x):\n    return x * y",
        right=_SQUARE,
        evidence="line 2, in f\n    return g(x)",
    ),
    "a name that the tests call otherwise": Kind(
        task=_square(),
        wrong="def g(x):\n    return x * x",
        right=_SQUARE,
        evidence="your code defines `g`; the tests call `f`",
    ),
    "code that does not parse": Kind(
        task=_square(),
        wrong="def f(x)\n    return x * x",
        right=_SQUARE,
        evidence="SyntaxError: expected ':' (line 1, column 9: def f(x))",
    ),
    "an endless loop": Kind(
        task=_square(),
        wrong="def f(x):\n    while x != 2: pass\n    return 4",
        right=_SQUARE,
        evidence="assert f(3) == 9: it did not return: the program was stopped at its time limit "
        "of 1 s; it was at line 2: while x != 2: pass",
        kind="timeout",
    ),
    "too much memory": Kind(
        task=_square(),
        wrong="def f(x):\n    return len('x' * 10**12)",
        right=_SQUARE,
        evidence="MemoryError (line 2: return len('x' * 10**12))",
        kind="resource",
    ),
    "a package that is missing": Kind(
        task=_square(),
        wrong="import nowhere_at_all\ndef f(x):\n    return x * x",
        right=_SQUARE,
        evidence="No module named 'nowhere_at_all' (line 1: import nowhere_at_all)",
        kind="environment",
    ),
    "a program that is not installed": Kind(
        task=_square(),
        wrong="from subprocess import check_output\ndef f(x):\n"
        "    return int(check_output(['bcalc', f'{x}*{x}']))",
        right=_SQUARE,
        evidence="fix: the program is not installed: do it in Python",
        kind="environment",
    ),
    "a network that is not there": Kind(
        task=_square(),
        wrong="from urllib.request import urlopen\ndef f(x):\n"
        "    return int(urlopen(f'http://example.org/{x}').read())",
        right=_SQUARE,
        evidence="fix: there is no network: do without it",
        kind="environment",
        varies=True,
    ),
    "a file of the task that is not there": Kind(
        task=Task("Square a number; squares.csv has the first ones.", tests="assert f(3) == 9"),
        wrong="def f(x):\n    return int(open('squares.csv').readlines()[x])",
        right=_SQUARE,
        evidence="fix: the task names this file, and it is not there",
        kind="environment",
    ),
    "a helper that the tests lack": Kind(
        task=_square("assert f(2) == 4\nassert is_close(f(3), 9)", entry_point="f"),
        wrong=_SQUARE,
        right=f"{_SQUARE}\ndef is_close(a, b):\n    return abs(a - b) < 0.1",
        evidence="the tests use `is_close`, which neither they nor your code define",
        kind="test_error",
    ),
    "a program that ends itself": Kind(
        task=_square(),
        wrong="import sys\ndef f(x):\n    sys.exit(x * x)",
        right=_SQUARE,
        evidence="the program called exit(4)",
    ),
    "an assert with a message that is no text": Kind(
        task=Task("The roots of 4.", tests="assert f(4) == -2, 2", entry_point="f"),
        wrong="def f(x):\n    return (-2, 2)",
        right="def f(x):\n    return -2",
        evidence="the test compares with `-2` only: `2` is its message",
    ),
    "a reply without code": Kind(
        task=_square(),
        wrong="I would square the number.",
        right=_SQUARE,
        evidence="NoCode: the reply has no code",
        prose=True,
    ),
    "a reply that was cut off": Kind(
        task=_square(),
        wrong="def f(x):\n    if x == 2:\n        return 4",
        right=_SQUARE,
        evidence="TruncatedReply: the reply was cut off at the token limit",
        finish="length",
    ),
    "several files": Kind(
        task=_square(),
        wrong=_TWO_FILES.format("+"),
        right=_TWO_FILES.format("*"),
        evidence="- assert f(3) == 9: it gave the wrong value\n  expected: 9\n  actual:   6",
    ),
    "an exception in another file": Kind(
        task=_square(),
        wrong=_TWO_FILES.format("* [] +"),
        right=_TWO_FILES.format("*"),
        evidence="return x * [] + x",
    ),
    "an output that is missing": Kind(
        task=Task(
            "Square a number, and write it to a file.",
            tests="assert f(3) == 9",
            contract=Contract(outputs={"square.json": JsonFile(fields={"square": "int"})}),
        ),
        wrong=_SQUARE,
        right=_WRITES,
        evidence="out/square.json is missing",
    ),
    "an output of another type": Kind(
        task=Task(
            "Square a number, and write it to a file.",
            tests="assert f(3) == 9",
            contract=Contract(outputs={"square.json": JsonFile(fields={"square": "int"})}),
        ),
        wrong=_WRITES.replace("x * x}", "str(x * x)}"),
        right=_WRITES,
        evidence="out/square.json has str in field 'square', not int",
    ),
    "code that a rule refuses": Kind(
        task=_square(),
        wrong="import os\ndef f(x):\n    return x * x",
        right=_SQUARE,
        evidence="line 1: the code imports 'os', which is not allowed",
        rules=(forbid_imports("os"),),
    ),
    "hidden tests, of which nothing is told": Kind(
        task=_square(),
        wrong="def f(x):\n    return x + x",
        right=_SQUARE,
        evidence="Check the code again: is it right for every input?",
        policy=hidden_tests("nothing"),
    ),
    "hidden tests, of which it is told that they fail": Kind(
        task=_square(),
        wrong="def f(x):\n    return x + x",
        right=_SQUARE,
        evidence="It does not pass the tests, which cannot be shown.",
        policy=hidden_tests("failed"),
    ),
    "hidden tests, of which the exception is told": Kind(
        task=_square(),
        wrong="def f(x):\n    return {2: 4}[x]",
        right=_SQUARE,
        evidence="It ended with KeyError.",
        policy=hidden_tests("exception"),
    ),
}

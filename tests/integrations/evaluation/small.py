"""One small task, and replies to it."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["ADD", "BROKEN", "GOOD", "HALF", "HUMANEVAL", "WRONG", "Rows", "reply"]

Rows = Sequence[Mapping[str, Any]]

ADD: Mapping[str, Any] = {
    "bench": "Small",
    "task_id": "Small/add",
    "prompt": 'def add(a, b):\n    """Add two numbers."""\n',
    "entry_point": "add",
    "preamble": "import math\n",
    "visible_tests": ["assert add(1, 1) == 2"],
    "test_suffix": "def check(f):\n    assert f(1, 1) == 2\n    assert f(2, 3) == 5\ncheck(add)\n",
    "canonical": "def add(a, b):\n    return a + b\n",
    "task_split": "small",
}

GOOD = "def add(a, b):\n    return a + b\n"
HALF = "def add(a, b):\n    return 2\n"  # what the visible test accepts, wrongly
WRONG = "def add(a, b):\n    return 0\n"
BROKEN = "def add(a, b:\n"

HUMANEVAL: Mapping[str, Any] = {
    "task_id": "HumanEval/0",
    "prompt": (
        "import math\n\n\ndef half(n):\n"
        '    """Half of it.\n\n    >>> half(4)\n    2\n    >>> half("x")\n'
        '    Traceback (most recent call last):\n    TypeError\n    """\n'
    ),
    "entry_point": "half",
    "canonical_solution": "    return n // 2\n",
    "test": "def check(candidate):\n    assert candidate(4) == 2\n    assert candidate(9) == 4\n",
}
"""A task as HumanEval publishes them."""


def reply(text: str | None, attempt: int, **fields: Any) -> dict[str, Any]:
    """One row of a recording."""
    row: dict[str, Any] = {
        "source": "me",
        "run": "r1",
        "bench": "Small",
        "task_id": "Small/add",
        "attempt": attempt,
        "form": "code",
        "sequence": "feedback",
        "completion": text,
    }
    return row | fields

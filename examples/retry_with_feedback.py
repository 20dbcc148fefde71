"""The retry variant: a planning step, combined stop rules, and custom feedback."""

from dataclasses import replace

import anyio

from planish import CodeExecution, CodeGenerator, Report, Retry, Task, Validator
from planish.stop import confidence, repeated_candidate, stagnation
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

TASK = Task(
    "Return the roman numeral of an integer from 1 to 3999.",
    entry_point="roman",
    tests=[((1,), "I"), ((4,), "IV"), ((9,), "IX"), ((1994,), "MCMXCIV")],
)

REPLIES = [
    "```python\ndef roman(n):\n    return 'I' * n\n```",
    """```python
def roman(n):
    pairs = [(1000, "M"), (500, "D"), (100, "C"), (50, "L"), (10, "X"), (5, "V"), (1, "I")]
    out = ""
    for value, letter in pairs:
        out += letter * (n // value)
        n %= value
    return out
```""",
    """```python
def roman(n):
    pairs = [
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
        (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ]
    out = ""
    for value, letters in pairs:
        out += letters * (n // value)
        n %= value
    return out
```""",
]


def plan(task: Task) -> Task:
    """Add a hint to the task. The feedback of the last attempt stays in the task."""
    return replace(task, context=("Mind the subtractive pairs such as IV and CM.",))


def explain(report: Report) -> str:
    """Return a text that precedes the evidence in the feedback."""
    failed = sum(test.status != "passed" for a in report.history for test in a.execution.tests)
    return f"{failed} of the examples are still wrong. Look at the smallest of them first."


model, sandbox = ScriptedModel(REPLIES), LocalSandbox()

attempt = CodeGenerator(model) >> CodeExecution(sandbox) >> Validator()

retry = Retry(
    plan >> attempt,
    attempts=5,
    stop=repeated_candidate() | stagnation(3) | confidence(0.8),
    feedback=explain,
)


async def main() -> None:
    print(retry)
    report = await retry.run(TASK)
    print(f"passed: {report.passed}, stopped by: {report.stop_reason}, {report.trajectory}")
    print(f"\nlast request to the model:\n{model.requests[-1].messages[-1].content}")


if __name__ == "__main__":
    anyio.run(main)

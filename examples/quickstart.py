"""Turn a requirement into verified code, and print the evidence of each attempt.

The example needs no account: an offline model returns a syntax error, then a wrong answer, then a
right one, and each is parsed and run for real. If OPENAI_API_KEY is set or Ollama runs on this
machine, the same program uses a real model.
"""

import anyio

from planish import CodeExecution, CodeGenerator, Report, Retry, Task, Validator
from planish.abc import Model
from planish.testing import ScriptedModel
from planish.testing.telemetry import capture
from planish_integrations.local import LocalSandbox
from planish_integrations.models import model_from_env

TASK = Task(
    "Return the n-th Fibonacci number: fib(0) is 0, fib(1) is 1.",
    entry_point="fib",
    tests=["assert fib(0) == 0", "assert fib(1) == 1", "assert fib(10) == 55"],
)

SYNTAX_ERROR = """Sure! Here it is:

```python
def fib(n)
    return n if n < 2 else fib(n - 1) + fib(n - 2)
```
"""

WRONG_ANSWER = """The colon was missing.

```python
def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return b
```
"""

RIGHT_ANSWER = """It was off by one: it has to return `a`.

```python
def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
```
"""


async def choose_model() -> Model:
    real = await model_from_env()
    return real or ScriptedModel([SYNTAX_ERROR, WRONG_ANSWER, RIGHT_ANSWER], name="offline")


def show(report: Report) -> None:
    for attempt in report.history:
        print(f"attempt {attempt.index}: {attempt.status}, score {attempt.score}")
        for finding in attempt.verdict.findings:
            print(f"    {finding.test or 'code'}: {finding.message}")
            if finding.actual is not None:
                print(f"        expected {finding.expected}, got {finding.actual}")
    print(f"\n{'passed' if report.passed else 'failed'} ({report.stop_reason})")
    if report.best is not None:
        print(f"\n{report.best.code}")
    print(f"\n{report.usage}")


async def main() -> None:
    model = await choose_model()
    loop = Retry(CodeGenerator(model) >> CodeExecution(LocalSandbox()) >> Validator(), attempts=3)
    print(f"{loop}\n")
    with capture() as telemetry:
        report = await loop.run(TASK)
    print(telemetry.tree("planish.attempt.index", "planish.status", "gen_ai.usage.output_tokens"))
    print()
    show(report)


if __name__ == "__main__":
    anyio.run(main)

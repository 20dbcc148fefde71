"""The parallel variant: run several pipelines concurrently; the first *verified* result wins."""

import anyio

from planish import CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

TASK = Task(
    "Return whether an integer is prime.",
    entry_point="is_prime",
    tests=[((2,), True), ((1,), False), ((91,), False), ((7919,), True)],
)

FAST_BUT_WRONG = "```python\ndef is_prime(n):\n    return n % 2 == 1 or n == 2\n```"
RIGHT = """```python
def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))
```"""
ENDLESS = "```python\ndef is_prime(n):\n    while True:\n        pass\n```"

run, check = CodeExecution(LocalSandbox()), Validator()
fast = CodeGenerator(ScriptedModel([FAST_BUT_WRONG], name="fast"))
careful = CodeGenerator(ScriptedModel([RIGHT], name="careful", seconds=0.2))
loop = Retry(CodeGenerator(ScriptedModel([ENDLESS], name="endless")) >> run >> check, attempts=1)

parallel = (fast >> run >> check) | (careful >> run >> check) | loop


async def main() -> None:
    report = await parallel.run(TASK)
    print(f"passed: {report.passed}")
    for branch in report.branches:
        print(f"{branch.outcome:9} {branch.name}")
    if report.best is not None:
        print(f"\n{report.best.code}")


if __name__ == "__main__":
    anyio.run(main)

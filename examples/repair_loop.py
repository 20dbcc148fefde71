"""A loop driven by tests: generate, execute, analyse, regenerate, terminate.

Five attempts end in five ways: a syntax error, an exception, a wrong answer, a part that is right,
and a pass. The report has each attempt with its score; the loop ends at the first pass, at five
attempts, when the confidence reaches 0.8, or when four scores in a row are equal.
"""

import anyio

from planish import CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.data import ResourceLimits
from planish.feedback import error_signatures, restart_after
from planish.stop import confidence, max_attempts, stagnation
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

TASK = Task(
    "Return the mean of the positive numbers in a list; 0.0 if there is none.",
    entry_point="mean_positive",
    tests=[(([1, 2, 3],), 2.0), (([],), 0.0), (([-1, 4],), 4.0), (([-5],), 0.0)],
)

SYNTAX_ERROR = """
def mean_positive(numbers)
    return sum(numbers) / len(numbers)
"""

RAISES = """
def mean_positive(numbers):
    return sum(nums) / len(nums)
"""

WRONG = """
def mean_positive(numbers):
    return len(numbers) + 0.5
"""

HALF_RIGHT = """
def mean_positive(numbers):
    return sum(numbers) / len(numbers) if numbers else 0.0
"""

RIGHT = """
def mean_positive(numbers):
    positive = [n for n in numbers if n > 0]
    return sum(positive) / len(positive) if positive else 0.0
"""


async def main() -> None:
    codes = (SYNTAX_ERROR, RAISES, WRONG, HALF_RIGHT, RIGHT)
    model = ScriptedModel([f"```python{code}```" for code in codes], name="offline")
    execute = CodeExecution(LocalSandbox(), limits=ResourceLimits(seconds=5))
    loop = Retry(
        CodeGenerator(model) >> execute >> Validator(),
        stop=max_attempts(5) | confidence(0.8) | stagnation(4),
        feedback=restart_after(4),
    )
    report = await loop.run(TASK)
    for attempt in report.history:
        print(f"attempt {attempt.index}: {attempt.status}, score {attempt.score:.2f}")
        for finding in attempt.verdict.findings[:2]:
            print(f"    {finding.kind}: {finding.message}")
    print(f"\n{report.to_markdown()}\nerrors: {dict(error_signatures(report))}")
    print(f"stopped by {report.stop_reason}; the code:\n{report.code}")


if __name__ == "__main__":
    anyio.run(main)

"""The simple loop: generate, run and judge; repeat with the evidence as feedback."""

import anyio

from planish import CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

TASK = Task(
    "Return the words of a text in reverse order, separated by single spaces.",
    entry_point="reverse_words",
    tests=[(("one two three",), "three two one"), (("  a   b ",), "b a"), (("",), "")],
)

REPLIES = [
    "```python\ndef reverse_words(text):\n    return text[::-1]\n```",
    "```python\ndef reverse_words(text):\n    return ' '.join(reversed(text.split(' ')))\n```",
    "```python\ndef reverse_words(text):\n    return ' '.join(reversed(text.split()))\n```",
]

model, sandbox = ScriptedModel(REPLIES), LocalSandbox()

loop = Retry(CodeGenerator(model) >> CodeExecution(sandbox) >> Validator(), attempts=3)


async def main() -> None:
    report = await loop.run(TASK)
    print(f"passed: {report.passed}, attempts: {report.attempts}, scores: {report.trajectory}")
    for request in model.requests[1:]:
        print(f"\nrequest to the model:\n{request.messages[-1].content}")


if __name__ == "__main__":
    anyio.run(main)

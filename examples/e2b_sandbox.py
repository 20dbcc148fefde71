"""The simple loop with programs in microVMs of E2B: without an account, on a server on loopback."""

import os
from contextlib import ExitStack

import anyio

from planish import CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.testing import ScriptedModel
from planish_integrations.e2b import E2BSandbox, Plan
from planish_integrations.testing.e2b import LoopbackE2B

TASK = Task(
    "Return the sum of the digits of an integer; the sign does not count.",
    entry_point="digit_sum",
    tests=[((123,), 6), ((0,), 0), ((-45,), 9)],
)

REPLIES = [
    "```python\ndef digit_sum(n):\n    return sum(int(digit) for digit in str(n))\n```",
    "```python\ndef digit_sum(n):\n    return sum(int(digit) for digit in str(abs(n)))\n```",
]


async def main() -> None:
    with ExitStack() as stack:
        if "E2B_API_KEY" in os.environ:
            place = E2BSandbox()
        else:  # the same protocols, spoken by processes of this machine: it isolates nothing
            server = stack.enter_context(LoopbackE2B())
            place = E2BSandbox(plan=Plan(rate=50.0), options=server.options)
        async with place as sandbox:
            attempt = CodeGenerator(ScriptedModel(REPLIES)) >> CodeExecution(sandbox) >> Validator()
            report = await Retry(attempt, attempts=2).run(TASK)
            print(f"passed: {report.passed}, scores: {report.trajectory}")
            async with sandbox.session() as session:
                await session.run("total = sum(range(5))")
                step = await session.run("total * 2")
                print(f"a session keeps its variables: {step.displays[0].text}")


if __name__ == "__main__":
    anyio.run(main)

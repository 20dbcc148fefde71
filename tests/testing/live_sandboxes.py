"""A sandbox that conforms, and sandboxes that pass output on: one rightly, the others wrongly."""
# ruff: noqa: ARG002  # they override what they need not look at

from dataclasses import replace
from typing import Literal

from planish.abc import OnOutput
from planish.data.program import Completed, Program
from planish_integrations.local import LocalSandbox

__all__ = ["Good", "Grouping", "Late", "Live", "Repeating", "Uncut"]


class Good:
    """A good sandbox, and the base of the bad ones: what they do to the program and result."""

    name = "good"

    def __init__(self) -> None:
        self.real = LocalSandbox(concurrency=8)

    async def run(self, program: Program) -> Completed:
        return self.after(program, await self.real.run(self.before(program)))

    def before(self, program: Program) -> Program:
        return program

    def after(self, program: Program, completed: Completed) -> Completed:
        return completed


class Live(Good):
    """Passes on output, and is the base of those that do so wrongly."""

    async def run_live(self, program: Program, on_output: OnOutput) -> Completed:
        return await self.real.run_live(self.before(program), on_output)


class Late(Live):
    async def run_live(self, program: Program, on_output: OnOutput) -> Completed:
        completed = await self.run(program)
        on_output("stdout", completed.stdout)
        on_output("stderr", completed.stderr)
        return completed


class Repeating(Live):
    async def run_live(self, program: Program, on_output: OnOutput) -> Completed:
        def twice(stream: Literal["stdout", "stderr"], data: bytes) -> None:
            on_output(stream, data)
            on_output(stream, data[-1:])

        return await super().run_live(program, twice)


class Grouping(Live):
    async def run_live(self, program: Program, on_output: OnOutput) -> Completed:
        try:
            return await super().run_live(program, on_output)
        except Exception as error:
            raise ExceptionGroup("of a task", [error]) from error


class Uncut(Live):
    async def run_live(self, program: Program, on_output: OnOutput) -> Completed:
        completed = await super().run_live(program, on_output)
        return replace(completed, stdout=completed.stdout[:5000])

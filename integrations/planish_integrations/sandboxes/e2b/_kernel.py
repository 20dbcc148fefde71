"""One context of E2B's code interpreter, and the steps run in it.

No time-out of the SDK's is used (it fires at twice its value). No variables are passed to E2B, with
a step or at a sandbox's creation (its server pastes them into code, unescaped). A step whose end
mark is missing was cut off, whatever the SDK makes of its stream.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import anyio

from planish.data.sandbox import Display
from planish.errors import PlanishError, SandboxLostError
from planish.guest.protocol import source

from ._displays import display, size_of
from ._handle import SandboxHandle
from ._sdk import Context, Execution, Result, TooLargeError

__all__ = [
    "CutOff",
    "Flooded",
    "Kernel",
    "KernelDied",
    "KernelReplaced",
    "NotListed",
    "Output",
    "StepResult",
]

_HEADER = "%%planish_step"  # the kernel that has planish's hooks takes this line away
_END = "application/vnd.planish.end+json"
_LISTED = "application/vnd.planish.variables+json"
_DIED = "ContextRestarting"  # E2B's name of the error of a cell whose kernel died
_START_SECONDS = 60.0  # for a new context, in a sandbox that has other work
_REMOVE_SECONDS = 5.0
_DISPLAY_BYTES = 40 << 20  # of all displays: somewhat more than the hooks in the kernel let pass


class Flooded(Exception):  # noqa: N818  # no error: a limit was reached
    """A step printed or displayed more than it may."""


class KernelDied(Exception):  # noqa: N818  # no error of planish: the step can have caused it
    """The interpreter ended.

    Attributes:
        began: Whether the step is known to have begun before.
    """

    def __init__(self, *, began: bool) -> None:
        super().__init__(began)
        self.began = began


class KernelReplaced(Exception):  # noqa: N818  # no error of planish: an earlier step caused it
    """The interpreter had ended before the step, and E2B has started another: nothing has run."""


class CutOff(Exception):  # noqa: N818  # no error of planish: the step can have caused it
    """The answer of a step has no end mark."""


class NotListed(Exception):  # noqa: N818  # a step can have caused it, and the context is whole
    """A step has broken what lists the variables."""


class Output:
    """What a step prints and displays, up to a limit for each.

    Attributes:
        out: Standard output.
        err: The error stream.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._displayed = 0
        self.out = bytearray()
        self.err = bytearray()

    def add_out(self, message: Any) -> None:
        """Add a piece of standard output.

        Raises:
            Flooded: it exceeds the limit.
        """
        self._add(self.out, message)

    def add_err(self, message: Any) -> None:
        """Add a piece of the error stream.

        Raises:
            Flooded: it exceeds the limit.
        """
        self._add(self.err, message)

    def add_result(self, result: Result) -> None:
        """Count the size of a display.

        Raises:
            Flooded: all displays together exceed the limit.
        """
        self._displayed += size_of(result)
        if self._displayed > _DISPLAY_BYTES:
            raise Flooded

    def _add(self, stream: bytearray, message: Any) -> None:
        room = self._limit - len(stream)
        piece = str(message.line).encode("utf-8", "surrogatepass")
        stream += piece[:room]
        if len(piece) > room:
            raise Flooded


@dataclass(frozen=True, slots=True)
class StepResult:
    """The whole answer of a step.

    Attributes:
        displays: What it displayed.
        exit_code: 0, 1 after an exception, or what it ended itself with.
        message: Text for the error stream: a traceback, or the text it ended itself with.
    """

    displays: tuple[Display, ...]
    exit_code: int
    message: str


class Kernel:
    """A context used by one session, one step after another."""

    def __init__(self, handle: SandboxHandle, context: Context, word: str) -> None:
        self._handle = handle
        self._context = context
        self._word = word

    @classmethod
    async def open(cls, handle: SandboxHandle, env: Mapping[str, str]) -> "Kernel":
        """Create a context and install planish's hooks in it.

        Raises:
            SandboxLostError: it was not ready in time, or its answer was cut off.
            SandboxError: E2B failed.
        """
        with anyio.move_on_after(_START_SECONDS):
            context = await handle.call(handle.sdk.create_code_context)
            kernel = cls(handle, context, uuid4().hex)
            try:
                await kernel._install(env)
            except BaseException:  # also cancelled
                await kernel.remove()
                raise
            return kernel
        raise SandboxLostError(
            f"E2B sandbox {handle.id} did not create a context in {_START_SECONDS:g} s"
        )

    async def _install(self, env: Mapping[str, str]) -> None:
        text = source("e2b/steps").decode()
        variables = base64.b64encode(json.dumps(dict(env)).encode()).decode()
        code = (
            "_planish = {'__name__': 'planish_steps'}\n"
            f"exec(compile({text!r}, '<planish>', 'exec'), _planish)\n"
            f"_planish['install']({self._word!r}, {variables!r})\ndel _planish"
        )
        try:
            await self._run(code, Output(10_000))
        except (CutOff, Flooded, KernelDied, KernelReplaced):
            message = f"E2B sandbox {self._handle.id} did not set up its context"
            raise SandboxLostError(message) from None

    async def run(self, code: str, output: Output) -> StepResult:
        """Run one step.

        Args:
            code: The step.
            output: Receives what it prints as it comes.

        Raises:
            Flooded: it printed or displayed more than it may.
            KernelReplaced: another interpreter is there, and the step has not run.
            KernelDied: the interpreter ended.
            CutOff: its answer has no end mark.
            SandboxError: E2B failed.
        """
        done, end = await self._run(f"{_HEADER}\n{code}", output)
        displays = tuple(display(one) for one in done.results if _mark(one) is None)
        if "exit" in end:
            return StepResult(displays, int(end["exit"]), str(end["message"]))
        if done.error is None:
            return StepResult(displays, 0, "")
        return StepResult(displays, 1, done.error.traceback)

    async def _run(self, code: str, output: Output) -> tuple[Execution, dict[str, Any]]:
        """Run a cell; return what the SDK made of it, and its end mark."""
        exceeded: list[Exception] = []

        async def run() -> Execution:
            try:
                return await self._handle.sdk.run_code(
                    code,
                    context=self._context,
                    on_stdout=output.add_out,
                    on_stderr=output.add_err,
                    on_result=output.add_result,
                    timeout=0,
                )
            except (Flooded, TooLargeError) as error:
                exceeded.append(error)
                raise

        try:
            done = await self._handle.call(run)
        except PlanishError:
            if exceeded:
                raise Flooded from None
            raise
        ends = [mark for mark in map(_mark, done.results) if mark and mark["word"] == self._word]
        if done.error is not None and done.error.name == _DIED:
            raise KernelDied(began=done.execution_count is not None)
        if not ends:
            unknown = done.error is not None and done.error.name == "UsageError"
            if unknown and _HEADER in str(done.error and done.error.value):
                raise KernelReplaced
            raise CutOff
        return done, ends[-1]

    async def variables(self) -> list[dict[str, Any]]:
        """List the variables that steps have set.

        Raises:
            KernelReplaced: another interpreter is there, which has none.
            KernelDied: the interpreter ended.
            CutOff: the answer has no end mark.
            NotListed: a step has broken the listing.
            SandboxError: E2B failed.
        """
        code = f"{_HEADER}\n__import__('planish_steps').variables()"
        done, _ = await self._run(code, Output(10_000))
        for result in done.results:
            if result.extra and _LISTED in result.extra:
                listed: list[dict[str, Any]] = json.loads(result.extra[_LISTED])
                return listed
        error = "nothing" if done.error is None else f"{done.error.name}: {done.error.value}"
        raise NotListed(f"E2B sandbox {self._handle.id} did not list its variables: {error}")

    async def remove(self) -> None:
        """Remove the context, also during a cancellation; give up after some seconds."""
        with anyio.move_on_after(_REMOVE_SECONDS, shield=True):
            try:
                await self._handle.call(self._handle.sdk.remove_code_context, self._context)
            except PlanishError:
                return  # gone already, or out of reach: it ends with its sandbox


def _mark(result: Result) -> dict[str, Any] | None:
    """Return a result as an end mark; None if it is none."""
    text = (result.extra or {}).get(_END)
    if not isinstance(text, str):
        return None
    try:
        mark: Any = json.loads(text)
        whole = isinstance(mark["word"], str) and int(mark.get("exit", 0)) >= 0
    except (ValueError, TypeError, KeyError):
        return None
    found: dict[str, Any] = mark
    return found if whole else None

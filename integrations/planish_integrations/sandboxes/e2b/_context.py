"""One context of E2B's code interpreter, and one step run in it: what the SDK leaves open, closed.

No time-out of the SDK's is used (it fires at twice its value), no variables are passed with a step
(they are pasted into its code), and a step that does not say it is over has been cut off, whatever
the SDK makes of its stream.
"""

import json
from typing import Any
from uuid import uuid4

import anyio

from planish.errors import PlanishError, SandboxLostError
from planish.guest.protocol import source

from ._box import Box
from ._sdk import Context, Execution, Result

__all__ = ["CutOff", "Flooded", "Kernel", "KernelDied", "Printed"]

_END = "application/vnd.planish.end"
_LISTED = "application/vnd.planish.variables+json"
_DIED = "ContextRestarting"  # what E2B's server calls it
_TO_START = 60.0  # seconds for a new context, on a sandbox that has other work
_BURIAL = 5.0  # seconds to try to remove one


class Flooded(Exception):  # noqa: N818  # no error: a limit was reached
    """A step printed more than it may."""


class KernelDied(Exception):  # noqa: N818  # no error of ours: the step ended it
    """The interpreter ended while it ran a step."""


class CutOff(Exception):  # noqa: N818  # no error of ours: the step can have done it
    """The answer of a step ended before the step said that it was over."""


class Printed:
    """What a step prints, up to a limit for each stream."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.out = bytearray()
        self.err = bytearray()

    def take_out(self, message: Any) -> None:
        self._take(self.out, message)

    def take_err(self, message: Any) -> None:
        self._take(self.err, message)

    def _take(self, stream: bytearray, message: Any) -> None:
        room = self._limit - len(stream)
        piece = str(message.line).encode("utf-8", "surrogatepass")
        stream += piece[:room]
        if len(piece) > room:
            raise Flooded


class Kernel:
    """A context that is used by one session, one step after another."""

    def __init__(self, box: Box, context: Context, word: str) -> None:
        self._box = box
        self._context = context
        self._word = word

    @classmethod
    async def open(cls, box: Box, env: dict[str, str]) -> "Kernel":
        """A new context.

        Raises:
            SandboxLostError: none could be had in time.
            SandboxError: E2B failed.
        """
        with anyio.move_on_after(_TO_START):
            context = await box.call(box.sdk.create_code_context)
            kernel = cls(box, context, uuid4().hex)
            text = source("e2b/kept").decode()
            code = (
                f"_planish = {{'__name__': 'planish_kept'}}\n"
                f"exec(compile({text!r}, '<planish>', 'exec'), _planish)\n"
                f"_planish['install']({kernel._word!r}, {env!r})\ndel _planish"
            )
            try:
                await kernel.run(code, Printed(10_000))
            except (CutOff, KernelDied):
                message = f"E2B sandbox {box.id} did not set up its context"
                raise SandboxLostError(message) from None
            return kernel
        raise SandboxLostError(f"E2B sandbox {box.id} gave no context in {_TO_START:g} s")

    async def run(self, code: str, printed: Printed) -> Execution:
        """Run one step.

        Raises:
            Flooded: it printed more than it may.
            KernelDied: it ended its interpreter.
            CutOff: its answer ended before it said that it was over.
            SandboxError: E2B failed.
        """
        flood: list[Flooded] = []

        async def run() -> Execution:
            try:
                return await self._box.sdk.run_code(
                    code,
                    context=self._context,
                    on_stdout=printed.take_out,
                    on_stderr=printed.take_err,
                    timeout=0,
                )
            except Flooded as error:
                flood.append(error)
                raise

        try:
            done = await self._box.call(run)
        except PlanishError:
            if flood:
                raise Flooded from None
            raise
        if done.error is not None and done.error.name == _DIED:
            raise KernelDied
        whole = [result for result in done.results if not self._is_end(result)]
        if len(whole) == len(done.results):
            raise CutOff
        done.results = whole
        return done

    def _is_end(self, result: Result) -> bool:
        return (result.extra or {}).get(_END) == self._word

    async def variables(self) -> list[dict[str, Any]]:
        """The variables there are.

        Raises:
            CutOff: its answer ended before it said that it was over.
            KernelDied: the interpreter had ended.
        """
        done = await self.run("__import__('planish_kept').variables()", Printed(10_000))
        for result in done.results:
            if result.extra and _LISTED in result.extra:
                listed: list[dict[str, Any]] = json.loads(result.extra[_LISTED])
                return listed
        return []

    async def remove(self) -> None:
        """Let E2B end it; best effort."""
        with anyio.move_on_after(_BURIAL):
            try:
                await self._box.call(self._box.sdk.remove_code_context, self._context)
            except PlanishError:
                return

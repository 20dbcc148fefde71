"""A session at E2B: steps that see what the ones before them left."""

import re
import time
from contextlib import suppress

import anyio

from planish.data.program import Completed, LimitName
from planish.data.sandbox import Guarantee, Variable
from planish.errors import SandboxError, SandboxLostError

from ._box import Box
from ._context import CutOff, Flooded, Kernel, KernelDied, Printed
from ._sdk import Execution
from ._settings import Settings
from ._shown import display

__all__ = ["E2BSession"]

_MARGIN = 60.0  # seconds a sandbox has to live longer than the step it is to run
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_HELD: tuple[Guarantee, ...] = ("cpu", "environment", "files", "ipc", "output", "writes")


class E2BSession:
    """One sandbox and one context in it. `E2BSandbox.session` opens it.

    Variables, imports and files stay from step to step. A step that is stopped at its time or
    output limit, or that ends its interpreter, takes the variables with it: the next one runs in
    a new context, because E2B's server may never answer in the old one. Files stay also then. So
    does a step whose answer breaks off in a sandbox that lives: a step can do that.

    The sandbox's life is lengthened before a step that would outlive it.
    """

    def __init__(self, box: Box, settings: Settings, *, output_bytes: int = 1_000_000) -> None:
        self._box = box
        self._settings = settings
        self._output_bytes = output_bytes
        self._kernel: Kernel | None = None
        self._turn = anyio.Lock()
        self._paused = False

    def __repr__(self) -> str:
        return f"E2BSession(sandbox_id={self.sandbox_id!r})"

    @property
    def name(self) -> str:
        """Always "e2b"."""
        return "e2b"

    @property
    def sandbox_id(self) -> str:
        """E2B's id for the sandbox it runs in."""
        return self._box.id

    async def run(self, code: str, *, seconds: float = 30.0) -> Completed:
        """Run one step of Python. See `planish.abc.Session.run`.

        Args:
            code: The step.
            seconds: Its time limit.

        Returns:
            How it ended, with what it showed. Charts are among the forms of a display, as
            `application/vnd.e2b.chart+json`.

        Raises:
            SandboxLostError: the sandbox is gone.
            SandboxError: it is paused, or E2B failed.
        """
        async with self._turn:
            kernel = await self._ready(seconds)
            printed = Printed(self._output_bytes)
            begin = time.monotonic()
            try:
                return await self._step(kernel, code, seconds, printed, begin)
            except BaseException:
                self._kernel = None  # what became of the step is not known
                raise

    async def _step(
        self, kernel: Kernel, code: str, seconds: float, printed: Printed, begin: float
    ) -> Completed:
        limit: LimitName | None = None
        code_of_exit, done, doubtful = 1, None, False
        try:
            with anyio.move_on_after(seconds) as over:
                done = await kernel.run(code, printed)
            if over.cancelled_caught:
                limit = "seconds"
        except Flooded:
            limit = "output_bytes"
        except KernelDied:
            printed.err += b"the step ended its interpreter; its variables are gone\n"
        except CutOff:
            doubtful = True
            printed.err += b"the step's answer broke off; its variables are gone\n"
        if done is None:
            await self._drop(kernel)
            if (limit == "seconds" or doubtful) and not await self._box.lives():
                raise SandboxLostError(f"E2B sandbox {self._box.id} vanished under a step")
        elif done.error is None:
            code_of_exit = 0
        return self._completed(printed, done, None if limit else code_of_exit, limit, begin)

    def _completed(
        self,
        printed: Printed,
        done: Execution | None,
        exit_code: int | None,
        limit: LimitName | None,
        begin: float,
    ) -> Completed:
        results = done.results if done is not None else []
        trouble = done.error.traceback if done is not None and done.error is not None else ""
        held: list[Guarantee] = [*_HELD]
        if not self._settings.internet:
            held.append("network")
        return Completed(
            exit_code=exit_code,
            limit=limit,
            stdout=bytes(printed.out),
            stderr=bytes(printed.err) + _COLOURS.sub("", trouble).encode("utf-8", "replace"),
            duration=time.monotonic() - begin,
            displays=tuple(display(result) for result in results),
            isolation="microvm",
            guarantees=tuple(sorted(held)),
            sandbox_id=self._box.id,
        )

    async def variables(self) -> tuple[Variable, ...]:
        """The variables the steps have set so far, sorted by name; modules are left out.

        Raises:
            SandboxLostError: the sandbox is gone, or its answer was not whole.
            SandboxError: it is paused, or E2B failed.
        """
        async with self._turn:
            kernel = await self._ready(0.0)
            with anyio.move_on_after(_MARGIN), suppress(CutOff, KernelDied):
                listed = await kernel.variables()
                return tuple(
                    Variable(
                        name=one["name"],
                        type=one["type"],
                        shape=None if one["shape"] is None else tuple(one["shape"]),
                        preview=one["preview"],
                    )
                    for one in listed
                )
            await self._drop(kernel)
            raise SandboxLostError(f"E2B sandbox {self._box.id} did not list its variables")

    async def write(self, path: str, data: bytes) -> None:
        """Write a file.

        Args:
            path: Relative to the home directory, which is where steps run, or absolute.
            data: Its content.

        Raises:
            SandboxError: it is paused, or E2B failed, or the disk is full.
        """
        self._awake()
        await self._box.call(self._box.sdk.files.write, path, data)

    async def read(self, path: str) -> bytes:
        """The content of a file.

        Raises:
            SandboxError: there is no such file; it is paused, or E2B failed.
        """
        self._awake()
        return bytes(await self._box.call(self._box.sdk.files.read, path, format="bytes"))

    async def pause(self) -> None:
        """Freeze the sandbox, its memory included: it costs no running time until `resume`.

        Raises:
            SandboxError: E2B failed.
        """
        async with self._turn:
            await self._box.call(self._box.sdk.pause)
            self._paused = True

    async def resume(self) -> None:
        """Go on where `pause` left off, variables and all.

        Raises:
            SandboxError: E2B failed.
        """
        async with self._turn:
            seconds = self._settings.lifetime
            ends = time.monotonic() + seconds
            await self._box.call(self._box.sdk.connect, int(seconds))
            self._box.ends = ends
            self._paused = False

    def _awake(self) -> None:
        if self._paused:
            raise SandboxError("the session is paused: resume() it first")

    async def _ready(self, seconds: float) -> Kernel:
        self._awake()
        await self._box.keep(seconds + _MARGIN)
        if self._kernel is None:
            self._kernel = await Kernel.open(self._box, dict(self._settings.env))
        return self._kernel

    async def _drop(self, kernel: Kernel) -> None:
        """Never again: the server may not answer in it."""
        self._kernel = None
        await kernel.remove()

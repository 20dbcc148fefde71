"""A session at E2B: steps share variables and files."""

import re
import time

import anyio

from planish.data.program import Completed, LimitName, Program
from planish.data.sandbox import Guarantee, Variable
from planish.errors import SandboxError, SandboxLostError, UnsupportedError

from ._handle import SandboxHandle
from ._kernel import (
    CutOff,
    Flooded,
    Kernel,
    KernelDied,
    KernelReplaced,
    NotListed,
    Output,
    StepResult,
)
from ._settings import Settings

__all__ = ["E2BSession"]

_MARGIN = 60.0  # seconds a sandbox has to live longer than the step it is to run
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_RULE = re.compile(r"^-{20,}(?=\w)")  # E2B's server joins a traceback's lines without line ends
_HELD: tuple[Guarantee, ...] = ("cpu", "environment", "files", "ipc", "output", "writes")
_ENDED = b"the step ended its interpreter; its variables are gone\n"
_ENDED_EARLY = (
    b"the interpreter ended before this step, or as it began; its variables are gone, and the step "
    b"may not have run\n"
)
_CUT_OFF = b"the step's answer broke off; its variables are gone\n"
_NO_SNAPSHOT = (
    "E2BSession has no snapshots: use LocalSession, pause() and resume(), or write what is to be "
    "kept to files"
)
_REPLACED = "the interpreter ended between two steps: the variables are gone"


class E2BSession:
    """A session of one sandbox. `E2BSandbox.session` opens it.

    Variables, imports and files remain from step to step; `exit(3)` ends a step with that code and
    keeps them. A step that is stopped at its time or output limit, that ends its interpreter, or
    whose answer breaks off while the sandbox responds, loses the variables: the next one runs in a
    new context, because E2B's server may never answer in the old one. Files remain in any case.

    If the interpreter ended between two steps, the next one runs in a new context, and its
    `Completed.findings` state that the variables are gone.

    The sandbox's lifetime is extended before a step that would outlive it.
    """

    def __init__(
        self, handle: SandboxHandle, settings: Settings, *, output_bytes: int = 1_000_000
    ) -> None:
        self._handle = handle
        self._settings = settings
        self._output_bytes = output_bytes
        self._kernel: Kernel | None = None
        self._turn = anyio.Lock()
        self._paused = False
        self._findings: tuple[str, ...] = ()  # for the next step

    def __getstate__(self) -> object:
        raise TypeError("a session is not pickled: it has a connection; open it where it is used")

    def __repr__(self) -> str:
        return f"E2BSession(sandbox_id={self.sandbox_id!r})"

    @property
    def name(self) -> str:
        """Always "e2b"."""
        return "e2b"

    @property
    def sandbox_id(self) -> str:
        """E2B's id of the sandbox it runs in."""
        return self._handle.id

    async def run(self, code: str, *, seconds: float = 30.0) -> Completed:
        """Run one step of Python. See `planish.abc.Session.run`.

        Args:
            code: The step.
            seconds: Its time limit, in seconds of waiting.

        Returns:
            How it ended, with its displays. The numbers of a chart are among the forms of a
            display, as `application/vnd.e2b.chart+json`.

        Raises:
            SandboxLostError: the sandbox is gone.
            SandboxError: it is paused, or E2B failed.
        """
        async with self._turn:
            output = Output(self._output_bytes)
            begin = time.monotonic()
            try:
                return await self._step(await self._ready(seconds), code, seconds, output)
            except KernelReplaced:
                self._findings = (_REPLACED,)
            try:
                return await self._step(await self._ready(seconds), code, seconds, output)
            except KernelReplaced:
                output.err += _CUT_OFF
                return self._completed(output, None, None, begin)

    async def _step(self, kernel: Kernel, code: str, seconds: float, output: Output) -> Completed:
        """Run a step in a context, and drop the context unless the step ended well.

        Raises:
            KernelReplaced: the interpreter had ended before.
        """
        limit: LimitName | None = None
        done: StepResult | None = None
        begin = time.monotonic()
        doubtful = False
        try:
            with anyio.move_on_after(seconds) as over:
                done = await kernel.run(code, output)
            if over.cancelled_caught:
                limit = "seconds"
        except Flooded:
            limit = "output_bytes"
        except KernelDied as died:
            output.err += _ENDED if died.began or output.out or output.err else _ENDED_EARLY
        except CutOff:
            doubtful = True
            output.err += _CUT_OFF
        except BaseException:  # replaced, failed or cancelled: what runs in it is not known
            await self._drop(kernel)
            raise
        if done is None:
            await self._drop(kernel)
            if (limit == "seconds" or doubtful) and not await self._handle.is_alive():
                raise SandboxLostError(f"E2B sandbox {self._handle.id} vanished during a step")
        return self._completed(output, done, limit, begin)

    def _completed(
        self, output: Output, done: StepResult | None, limit: LimitName | None, begin: float
    ) -> Completed:
        findings, self._findings = self._findings, ()
        message = done.message if done is not None else ""
        held: list[Guarantee] = [*_HELD]
        if not self._settings.internet:
            held.append("network")
        return Completed(
            exit_code=None if limit else 1 if done is None else done.exit_code,
            limit=limit,
            stdout=bytes(output.out),
            stderr=bytes(output.err) + _readable(message).encode("utf-8", "replace"),
            duration=time.monotonic() - begin,
            displays=done.displays if done is not None else (),
            findings=findings,
            isolation="microvm",
            guarantees=tuple(sorted(held)),
            sandbox_id=self._handle.id,
        )

    async def variables(self) -> tuple[Variable, ...]:
        """Return the variables that the steps have set so far, sorted by name, without modules.

        Names that the template defines are listed once a step has given them another value.

        Raises:
            SandboxLostError: the sandbox is gone, or its answer was cut off.
            SandboxError: it is paused, E2B failed, or a step has broken the listing.
        """
        async with self._turn:
            kernel = await self._ready(0.0)
            listed = None
            try:
                with anyio.move_on_after(_MARGIN):
                    listed = await kernel.variables()
            except KernelReplaced:
                listed, self._findings = [], (_REPLACED,)
                await self._drop(kernel)
            except NotListed as broken:
                raise SandboxError(str(broken)) from None
            except (CutOff, Flooded, KernelDied):
                pass
            except BaseException:  # also cancelled: the interpreter may still be listing
                await self._drop(kernel)
                raise
            if listed is None:
                await self._drop(kernel)
                raise SandboxLostError(
                    f"E2B sandbox {self._handle.id} did not list its variables; they are gone"
                )
            return tuple(
                Variable(
                    name=one["name"],
                    type=one["type"],
                    shape=None if one["shape"] is None else tuple(one["shape"]),
                    preview=one["preview"],
                )
                for one in listed
            )

    async def snapshot(self) -> object:
        """Raise: snapshots need a local session.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(_NO_SNAPSHOT)

    async def restore(self, snapshot: object) -> None:  # noqa: ARG002
        """Raise: snapshots need a local session.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(_NO_SNAPSHOT)

    async def attempt(self, program: Program) -> Completed:  # noqa: ARG002
        """Raise: `InSession` needs a local session.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(
            "E2BSession cannot run programs beside its variables, as InSession does: use "
            "LocalSession, or run the program in E2BSandbox with the data as Program.files"
        )

    async def write(self, path: str, data: bytes) -> None:
        """Write a file.

        Args:
            path: Relative to the home directory, which is where steps run, or absolute.
            data: Its content.

        Raises:
            SandboxError: it is paused, or E2B failed, or the disk is full.
        """
        self._awake()
        await self._handle.call(self._handle.sdk.files.write, path, data)

    async def read(self, path: str) -> bytes:
        """Read a file.

        Raises:
            SandboxError: there is no such file; it is paused, or E2B failed.
        """
        self._awake()
        return bytes(await self._handle.call(self._handle.sdk.files.read, path, format="bytes"))

    async def pause(self) -> None:
        """Freeze the sandbox, its memory included: it costs no running time until `resume`.

        Raises:
            SandboxError: E2B failed.
        """
        async with self._turn:
            await self._handle.call(self._handle.sdk.pause)
            self._paused = True

    async def resume(self) -> None:
        """Continue after `pause`, with all variables.

        Raises:
            SandboxError: E2B failed.
        """
        async with self._turn:
            seconds = self._settings.lifetime
            ends = time.monotonic() + seconds
            await self._handle.call(self._handle.sdk.connect, int(seconds))
            self._handle.ends = ends
            self._paused = False

    def _awake(self) -> None:
        if self._paused:
            raise SandboxError("the session is paused: resume() it first")

    async def _ready(self, seconds: float) -> Kernel:
        """Return the context, in a sandbox that lives longer than a step of so many seconds."""
        self._awake()
        await self._handle.extend(seconds + _MARGIN)
        if self._kernel is None:
            self._kernel = await Kernel.open(self._handle, self._settings.env)
        return self._kernel

    async def _drop(self, kernel: Kernel) -> None:
        """Remove the context, in which the server may not answer any more."""
        self._kernel = None
        await kernel.remove()


def _readable(message: str) -> str:
    """Return a traceback of IPython as lines without colours."""
    lines = _RULE.sub("", _COLOURS.sub("", message))
    lines = lines.replace("(most recent call last)", "(most recent call last)\n", 1)
    return lines if not lines or lines.endswith("\n") else f"{lines}\n"

"""Find Docker's or Podman's command line, call it, and explain its failures."""

import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import Process

from planish.errors import SandboxError, UnsupportedError
from planish_integrations.sandboxes.host import per_loop

__all__ = ["Engine", "answering", "close", "find"]

_KNOWN = ("docker", "podman")
_SHORT = 60.0  # seconds for a command that does next to nothing, on a machine that is busy
_DRAIN = 5.0  # seconds for the pipes of a command to be empty, once it has ended
_LONGEST = 2_000  # characters of what an engine says, from its end
_GONE = ("no such container", "no container with", "already in progress")
_BUSY = "device or resource busy"  # the engine's own removal still holds the mounts
_PAUSES = (0.05, 0.2, 1.0, 3.0)  # seconds before each further try to remove a busy container
_REMEDIES = {
    "cannot connect to the docker daemon": "start the Docker daemon, or use Podman",
    "permission denied while trying to connect": "add this user to the group docker",
    "dial unix": "start the Docker daemon, or use Podman",
    "unable to find image": "build or pull the image first, or check its name",
    "no such image": "build or pull the image first, or check its name",
    "manifest unknown": "check the name and tag of the image",
    "error setting rlimit": "raise the limits of the engine (ulimit -Hn, ulimit -Hu)",
    "no space left on device": "free some disk, or prune images",
    "short-name": "name the image with its registry, as in docker.io/library/python:3.11-slim",
}


@dataclass(frozen=True, slots=True)
class Engine:
    """One command that makes containers.

    Attributes:
        path: Of the command.
        options: Its global options, before any verb.
    """

    path: str
    options: tuple[str, ...] = ()

    @property
    def is_podman(self) -> bool:
        """It is Podman, by its name."""
        return "podman" in Path(self.path).name

    def command(self, *arguments: str) -> list[str]:
        """Return a whole command line."""
        return [self.path, *self.options, *arguments]

    async def call(self, *arguments: str, stdin: bytes = b"", seconds: float = _SHORT) -> str:
        """Run a command to its end; what it printed.

        Raises:
            SandboxError: it failed, hung, or cannot be started.
        """
        command = self.command(*arguments)
        try:
            with anyio.fail_after(seconds):
                done = await anyio.run_process(command, input=stdin, check=False)
        except TimeoutError:
            raise SandboxError(
                f"{self.path} {arguments[0]} did not answer within {seconds:g} s: is its service "
                f"healthy? Try: {' '.join(self.command('info'))}"
            ) from None
        except OSError as error:
            raise SandboxError(f"{self.path} cannot be started: {error}") from error
        if done.returncode != 0:
            raise self.failed(arguments[0], done.stderr or done.stdout)
        return done.stdout.decode("utf-8", "replace")

    async def start(self, *arguments: str) -> Process:
        """Start a command with pipes.

        Raises:
            SandboxError: it cannot be started.
        """
        pipe = subprocess.PIPE
        command = self.command(*arguments)
        try:
            return await anyio.open_process(command, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise SandboxError(f"{self.path} cannot be started: {error}") from error

    async def remove(self, name: str) -> None:
        """Kill a container and remove it with all it wrote; it need not be there.

        Raises:
            SandboxError: it may still be there.
        """
        # Asked politely first, it would be waited for: process 1 hears no signals.
        with suppress(SandboxError):
            await self.call("kill", "--signal", "KILL", name)
        error = await self._removal_error(name)
        for pause in _PAUSES:
            if _BUSY not in str(error).lower():
                break
            await anyio.sleep(pause)
            error = await self._removal_error(name)
        if error is not None:
            raise error

    async def _removal_error(self, name: str) -> SandboxError | None:
        """Remove a container; return why it may still be there.

        A container is made with `--rm`: the engine removes it as well, when it is killed. It may
        be gone by now, or about to be.
        """
        try:
            await self.call("rm", "--force", "--volumes", name)
        except SandboxError as error:
            if not any(words in str(error).lower() for words in _GONE):
                return error
        return None

    def failed(self, verb: str, output: bytes) -> SandboxError:
        """Return the error for a command that failed, with what to do about it."""
        text = output.decode("utf-8", "replace").strip()[-_LONGEST:]
        found = (remedy for words, remedy in _REMEDIES.items() if words in text.lower())
        remedy = next(found, None)
        hint = f" ({remedy})" if remedy else ""
        return SandboxError(f"{self.path} {verb} failed{hint}: {text or 'it said nothing'}")


async def close(process: Process) -> None:
    """Close the pipes of a command that has ended or been killed, and wait for its end.

    They are read to their ends first: on asyncio a pipe that is open when its event loop is
    closed cannot be closed any more.
    """
    with anyio.move_on_after(_DRAIN):
        for stream in (process.stdout, process.stderr):
            with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                while stream is not None:
                    await stream.receive()
    await process.aclose()


def find(engine: str | None, options: Sequence[str]) -> tuple[Engine, ...]:
    """Return the engines to try, in order.

    Args:
        engine: "docker", "podman" or a path; None for whichever of the two is on PATH.
        options: Global options of the engine.

    Raises:
        UnsupportedError: there is none; the message says what to install.
    """
    names = _KNOWN if engine is None else (engine,)
    found = [path for name in names if (path := shutil.which(name)) is not None]
    if not found:
        wanted = " or ".join(map(repr, names))
        raise UnsupportedError(
            f"no container engine: {wanted} is not on PATH. Install Docker "
            "(https://docs.docker.com/engine/install) or Podman (https://podman.io), or name "
            "another with ContainerSandbox(engine='/path/to/it')"
        )
    return tuple(Engine(path, tuple(options)) for path in found)


async def answering(owner: object, engines: Sequence[Engine]) -> Engine:
    """Return the first engine that answers; where there is only one, that one.

    Raises:
        SandboxError: none does; it says why of each.
    """
    if len(engines) == 1:
        return engines[0]
    known: list[Engine] = per_loop(owner, "engine", list[Engine])
    if known:
        return known[0]
    reasons: list[str] = []
    for engine in engines:
        try:
            await engine.call("info")
        except SandboxError as error:
            reasons.append(str(error))
        else:
            known.append(engine)
            return engine
    raise SandboxError("no container engine answers: " + "; ".join(reasons))

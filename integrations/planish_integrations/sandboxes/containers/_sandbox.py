"""The sandbox that runs each program in a container of its own."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from uuid import uuid4

import anyio
from anyio.abc import Process

from planish.arguments import require_count, require_number, require_text, require_texts
from planish.data.program import Completed, Program, check_program
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.environments import EnvSpec
from planish_integrations.sandboxes.host import (
    require_commands,
    run_to_end,
    slot,
)

from ._command import creation
from ._conversation import Conversation, SilencedError
from ._engine import Engine, answering, close, find
from ._image import image_of

__all__ = ["ContainerSandbox"]

_IMAGE = "docker.io/library/python:3.11-slim"
_CREATING = 900.0  # seconds; an image that is not here is pulled first
_REMOVING = 60.0  # seconds to kill and remove a container, when this call is being cancelled
_LANGUAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"python": ("python3", "-s"), "sh": ("sh",), "bash": ("bash",)}
)


class ContainerSandbox:
    r"""Runs each program in a fresh container of Docker or Podman.

    A container has no network, a read-only root, and an own tmpfs of `limits.disk_mb` to work
    in; it runs as user 65534, without capabilities or a way to gain any, under the engine's
    filter of system calls, with its memory and processes limited. Its first process is a small
    supervisor in Python, so an image must have `python3` (3.9 or newer) whatever the language.
    It starts the program, keeps the time, kills it with all it has started, and sends files and
    outputs back after that. Then the container is removed; also when this call is cancelled,
    and, by the supervisor itself, when the host dies.

    `Completed.guarantees` are what the supervisor saw to hold inside: where an engine ignores a
    limit (rootless, without control groups), it is not promised. How the limits hold:

    - seconds: by the supervisor, in CPU time of all processes; a program may wait for twice as
      long, and last for twenty times as long at all.
    - memory_mb: of each process (RLIMIT_AS), and of all of them by the control group.
    - processes: by the control group.
    - output_bytes: by the supervisor, which passes no more on.
    - file_bytes: RLIMIT_FSIZE. disk_mb: the size of the tmpfs. files: looked at every 20 ms.

    Starting a container costs some 0.3 to 1 s each.

    Args:
        engine: "docker", "podman", or the path of a command that takes their arguments; None
            (the default) for whichever is on PATH and answers, Docker first.
        image: The image to run in; default: Python's own, of version 3.11.
        spec: An environment instead of an image: its image is built on first use, and found
            again by `EnvSpec.fingerprint`. Building has network.
        system_packages: Debian packages that programs may have by `Program.system_packages`. Each
            set of them that programs name is installed in an image of its own, once. Default:
            none, because installing runs their code, with network.
        languages: Language to the command that runs a file of it.
        concurrency: Containers that run at once; more of them wait, and that does not count as
            their time.
        cpus: Processors each program may use; None (the default) for all.
        options: Global options of the engine, before its verb: `("--remote",)`.

    Raises:
        UnsupportedError: no engine is installed; the message says what to install.
        ValueError: an image and a spec; a concurrency below 1; `system_packages` or `options` is
            no collection of texts.

    Example:
        ```text
        sandbox = ContainerSandbox(spec=EnvSpec(requirements=("pandas>=2,<3",)))
        completed = await sandbox.run(program)
        assert "network" in completed.guarantees
        ```
    """

    def __init__(
        self,
        *,
        engine: str | None = None,
        image: str | None = None,
        spec: EnvSpec | None = None,
        system_packages: Collection[str] = (),
        languages: Mapping[str, tuple[str, ...]] = _LANGUAGES,
        concurrency: int = 4,
        cpus: float | None = None,
        options: Sequence[str] = (),
    ) -> None:
        if image is not None and spec is not None:
            raise ValueError("ContainerSandbox(image=..., spec=...): give one of them")
        for name, text in (("engine", engine), ("image", image)):
            if text is not None:
                require_text("ContainerSandbox", name, text)
        if cpus is not None:
            require_number("ContainerSandbox", "cpus", cpus, above=0)
        require_count("ContainerSandbox", "concurrency", concurrency)
        require_texts("ContainerSandbox", "options", options)
        require_commands("ContainerSandbox", languages)
        self._engines = find(engine, options)
        self._image = image or _IMAGE
        self._spec = spec
        require_texts("ContainerSandbox", "system_packages", system_packages)
        self._system_packages = frozenset(system_packages)
        self._languages = dict(languages)
        self._concurrency = concurrency
        self._cpus = cpus

    @property
    def name(self) -> str:
        """Always "container"."""
        return "container"

    def config(self) -> Mapping[str, Any]:
        """Return the options by name, without secrets, for fingerprints."""
        names = ("image", "languages", "concurrency", "cpus", "system_packages")
        options = {name: getattr(self, f"_{name}") for name in names}
        spec = None if self._spec is None else self._spec.fingerprint
        return {**options, "spec": spec, "engines": repr(self._engines)}

    def __repr__(self) -> str:
        place = self._image if self._spec is None else f"env {self._spec.fingerprint[:12]}"
        return f"ContainerSandbox({self._engines[0].path!r}, {place!r})"

    def require_language(self, language: str) -> None:
        """Check that a language has a command; the image may lack it. See `KnowsLanguages`.

        Raises:
            UnsupportedError: the language is not known.
        """
        self._command(language)

    async def run(self, program: Program) -> Completed:
        """Run one program and wait for its end. See `planish.abc.Sandbox.run`.

        Args:
            program: What to run.

        Returns:
            How it ended.

        Raises:
            UnsupportedError: a language it does not know, or the image has not; a path that is
                not inside the working directory; `main` not among the files.
            SandboxError: the engine failed, hung, or cannot build the image.
            SandboxLostError: the container vanished while the program ran, and the engine does
                not answer. Where it answers, and that happens twice, the program has ended.
        """
        check_program(program)
        command = self._command(program.language)
        async with slot(self, self._concurrency):
            engine = await answering(self, self._engines)
            spec = self._spec_of(program)
            image = self._image if spec is None else await image_of(engine, spec)
            completed = await self._run(engine, image, program, command)
        present = () if spec is None else spec.system_packages
        installed = tuple(name for name in program.system_packages if name in present)
        return replace(completed, installed=installed)

    def _spec_of(self, program: Program) -> EnvSpec | None:
        """Return the environment of a program, with the system packages that it may have."""
        allowed = self._system_packages & {*program.system_packages}
        if not allowed:
            return self._spec
        spec = self._spec or EnvSpec(base_image=self._image)
        return replace(spec, system_packages=(*spec.system_packages, *allowed))

    async def _run(
        self, engine: Engine, image: str, program: Program, command: Sequence[str]
    ) -> Completed:
        """Run a program; once more where its supervisor does not report, as others may kill it.

        Where that happens twice and the engine answers, it is the program's doing.
        """
        with suppress(SilencedError):
            return await self._once(engine, image, program, command)
        try:
            return await self._once(engine, image, program, command)
        except SilencedError as lost:
            try:
                await engine.call("info")
            except SandboxError:
                raise lost from None
            return lost.completed

    async def _once(
        self, engine: Engine, image: str, program: Program, command: Sequence[str]
    ) -> Completed:
        name = f"planish-{uuid4().hex}"
        conversation = Conversation(engine, name, program, command)
        arguments = creation(engine, image, name, program.limits, self._cpus)
        process: Process | None = None
        ended = False

        async def remove() -> None:
            """Remove the container, and close what is open to it."""
            if process is not None:
                with suppress(ProcessLookupError):
                    process.kill()
            try:
                with anyio.move_on_after(_REMOVING) as late:
                    await engine.remove(name)
            finally:
                if process is not None:
                    await close(process)
            if late.cancelled_caught and ended:
                raise SandboxError(f"{engine.path} rm {name} did not end; remove it by hand")

        try:
            await engine.call(*arguments, seconds=_CREATING)
            process = await engine.start("start", "--attach", "--interactive", name)
            await conversation.run(process)
            ended = True
        finally:
            # Also where `create` was cancelled: the engine may have gone on with it.
            await run_to_end(remove)
        return conversation.completed()

    def _command(self, language: str) -> tuple[str, ...]:
        if language not in self._languages:
            raise UnsupportedError(
                f"ContainerSandbox knows no language {language!r}; it has "
                f"{', '.join(sorted(self._languages))}. Add it with languages={{...}}"
            )
        return self._languages[language]

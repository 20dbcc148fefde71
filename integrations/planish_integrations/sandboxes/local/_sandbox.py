"""The sandbox that runs programs on this machine, isolated."""

import sys
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from planish.abc import OnOutput
from planish.arguments import require_texts
from planish.data.program import Completed, Program
from planish.data.sandbox import Guarantee
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.sandboxes.host import (
    LANGUAGES,
    HasCommands,
    cpus,
    require_commands,
    send_all,
    slot,
)

from ._configuration import ZygoteConfig, encode_request
from ._interactive import InteractiveProgram
from ._options import absolute_paths, changes_interpreter, check_options, check_possible
from ._pool import Pool
from ._running import acquire, run_program
from ._selection import HasTier
from ._tiers import Tier

if TYPE_CHECKING:
    from planish_integrations.environments import Environments

__all__ = ["LocalSandbox"]


class LocalSandbox(HasTier, HasCommands):
    r"""Runs programs on this machine, isolated from it.

    Each program gets a fresh directory, an environment of its own (PATH, HOME, TMPDIR,
    LANG=C.UTF-8 and PYTHONHASHSEED=0; `Program.env` is added and wins), its limits, and isolation;
    `Completed.guarantees` names the guarantees that held. Nothing of it is left when it has ended,
    in whatever way. It shares the kernel with the host: for programs of hostile people, take a
    micro virtual machine (`planish_integrations.e2b`).

    Three tiers; the strongest that works on this machine is taken. It is found by a self-test: a
    program that tries to escape runs in it, once in a process, before the first program is run
    (about a quarter of a second). No tier is used in place of one that is required.

    - "namespaces": the kernel shows a program nothing but its own processes, network, files.
    - "bubblewrap": bwrap makes the namespaces, where only bwrap may; within them as below.
    - "landlock": no namespaces, as in most containers. Landlock isolates files, a filter of system
      calls the rest; memory, disk and processes are checked every 20 ms. No sockets and no POSIX
      semaphores, so no `multiprocessing.Pool`.

    How the limits hold:

    - seconds: the supervisor of a program adds up the processor time of its processes, and the
      time in which they neither ran nor waited for a processor, whatever the host does.
    - memory_mb: of each process (RLIMIT_AS, so Python raises MemoryError), and of all together:
      resident memory, what they share counted once, checked every 20 ms.
    - processes: RLIMIT_NPROC, so a fork fails with EAGAIN. In the last two tiers the kernel
      counts other processes of the user too, so there the supervisor counts as well, and ends a
      program that exceeds the limit.
    - disk_mb, files: "namespaces" mounts a file system of that size, so a write fails with
      ENOSPC. Elsewhere the supervisor checks, also files that are unlinked and open, and ends a
      program that exceeds the limit; there folders that are nested more than 200 deep exceed it.
    - file_bytes: RLIMIT_FSIZE, so a write fails with EFBIG.
    - output_bytes: read by the host, which never holds more than that and one byte.

    Programs are forked from a warm interpreter, the template process (zygote). The forks wait,
    isolated, in warm workers, so that a run takes a few forks' time. A worker that a program has
    left as it was serves the next one, which finds nothing of it; after a limit, a cancellation or
    a use of its network it does not. Python programs end and print as under `python main.py`; the
    differences are that the stack is a frame or two deeper, that modules of the standard library
    may be imported already, and that `.pth` files have not been run. If `Program.env` has a
    variable that the interpreter reads at its start (PYTHON*, LC_*, LANG, LD_*), an interpreter is
    started for the program.

    Programs may read /usr, the interpreter, its packages, and what `packages` and `readable` add;
    they may not write their files below `inputs/`. Paths are those of the host, except below /tmp,
    /work, /dev and /proc: with "namespaces" and "bubblewrap" a program has its own of these, and
    what is granted there is at /outside, so `/tmp/data` is `/outside/tmp/data`.

    Use it as it is, or `async with` to start and to end at known moments. Otherwise it starts
    when it is first used, and ends when it is dropped, with the host at the latest. One object
    serves any number of tasks, threads and event loops, asyncio and trio. Sandboxes of equal
    configuration share one template process, which ends with the last of them.

    Args:
        tier: This one and no other. Default: the strongest that works.
        require: What has to be guaranteed, of `planish.data.GUARANTEES`; otherwise nothing
            is run. Default: nothing in particular.
        preload: Modules that the template process imports, for all programs: "numpy", "pandas".
            They run outside of the limits, so they must be trusted. Default: none.
        packages: Folders of packages, found before the interpreter's own. Default: none.
        readable: More files and folders that programs may read. Default: none.
        environments: Installs the packages that a program imports, as far as its rules allow;
            the 4 environments used last are kept ready. Default: nothing is installed.
        concurrency: Programs that run at once, sessions included; more of them wait, and that
            does not count as their time. It counts for each event loop. Default: the processors
            this process may use, at least 2.
        spare: Warm workers that are kept ready; each takes about 2.7 MiB; one more may be,
            after a program that ran for more than 20 ms. Default: 2.
        languages: Language to the command that runs a file of it, given the file and its
            arguments. "python" is always there. Default: `LANGUAGES`, as far as installed.
        fresh_interpreter: Start an interpreter for each Python program, with the same isolation,
            for libraries that do not survive a fork. `preload` has no effect on it. Default: False.

    Raises:
        UnsupportedError: this is not Linux; no such tier or guarantee, or the tier lacks one;
            a folder that does not exist. The first run raises it too, where no tier works.
        ValueError: concurrency is less than 1, or spare less than 0; a single text where a tuple
            of texts is required; or `languages` is no mapping.
        WiringError: `environments` is no `Environments`.

    Example:
        ```python
        program = Program(main="main.py", files={"main.py": b"print(6 * 7)"})
        completed = await LocalSandbox().run(program)
        assert completed.stdout == b"42\n"
        ```
    """

    def __init__(  # keyword-only; all have a default
        self,
        *,
        tier: Tier | None = None,
        require: Collection[Guarantee] = (),
        preload: Sequence[str] = (),
        packages: Sequence[str | Path] = (),
        readable: Sequence[str | Path] = (),
        environments: "Environments | None" = None,
        concurrency: int | None = None,
        spare: int = 2,
        languages: Mapping[str, tuple[str, ...]] = LANGUAGES,
        fresh_interpreter: bool = False,
    ) -> None:
        if sys.platform != "linux":
            raise UnsupportedError("LocalSandbox needs Linux; use a remote sandbox here")
        require_texts("LocalSandbox", "preload", preload)
        check_options(tier, require, concurrency, spare, environments)
        self._tier: Tier | None = tier
        self._require = frozenset(require)
        self._preload = tuple(preload)
        self._packages = tuple(absolute_paths(packages, "packages"))
        self._readable = tuple(absolute_paths(readable, "readable"))
        self._environments = environments
        self._concurrency = concurrency or max(2, cpus())
        self._spare = spare
        require_commands("LocalSandbox", languages)
        self._languages = dict(languages)
        self._fresh = fresh_interpreter
        self._pool = Pool()
        self._default: ZygoteConfig | None = None  # of programs without an environment

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_default": None}  # what was found out about this machine

    @property
    def name(self) -> str:
        """Always "local"."""
        return "local"

    def config(self) -> Mapping[str, Any]:
        """Return the options, for fingerprints: alike on machines of other sizes."""
        options = {n: value for n, value in vars(self).items() if n not in ("_pool", "_default")}
        size = self._concurrency if self._concurrency != max(2, cpus()) else None
        return options | {"_concurrency": size}

    def __repr__(self) -> str:
        options = {"tier": self._tier, "concurrency": self.config()["_concurrency"]}
        text = ", ".join(f"{name}={value!r}" for name, value in options.items() if value)
        return f"LocalSandbox({text})"

    async def __aenter__(self) -> Self:
        """Start the template process and the workers, as the first run would.

        Raises:
            UnsupportedError: no tier works here, with the reason and the remedy for each.
            SandboxError: the system is out of processes, descriptors, memory or space; or a
                module of `preload` cannot be imported.
        """
        await self._pool.start(await self._default_config())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the workers that are kept ready. The next run, if there is one, starts them again."""
        await self._pool.aclose()

    async def run(self, program: Program) -> Completed:
        """Run one program and wait for its end. See `planish.abc.Sandbox.run`.

        If it is cancelled, it kills the program and all that the program started, and then ends.

        Args:
            program: What to run.

        Returns:
            How it ended; `isolation` names the tier, `guarantees` what held.

        Raises:
            UnsupportedError: no tier works here, with the reason and the remedy for each; no
                interpreter for the language; a program or a limit that is impossible.
            SandboxError: the system is out of processes, descriptors, memory or space.
            SandboxLostError: what watches the program was killed while it may have run. No
                program can do that; the kernel can, for lack of memory.
        """
        return await self._run(program, None)

    async def run_live(self, program: Program, on_output: OnOutput) -> Completed:
        """Run one program, and pass on its output. See `planish.abc.LiveSandbox.run_live`.

        Args:
            program: What to run.
            on_output: Called with each piece of output, at most 20 ms after it was written
                unless other tasks keep the event loop busy.

        Returns:
            As `run`.

        Raises:
            UnsupportedError: as `run`, and so for its other errors.
        """
        return await self._run(program, on_output)

    async def _run(self, program: Program, on_output: OnOutput | None) -> Completed:
        check_possible(program)
        default = await self._default_config()
        if self._environments is None:
            return await self._run_in(default, program, on_output)
        async with self._environments.using(program) as environment:
            path = environment.path
            if path is None:
                return await self._run_in(default, program, on_output, environment.findings)
            config = self._config(default.tier, (str(path),))
            async with self._pool.using(config):
                return await self._run_in(config, program, on_output, environment.findings)

    async def _run_in(
        self,
        config: ZygoteConfig,
        program: Program,
        on_output: OnOutput | None,
        findings: tuple[str, ...] = (),
    ) -> Completed:
        command = self._command(program, config)
        request = partial(encode_request, config.with_packages(program, command), command)
        config = config if command else config.for_program(program)
        async with slot(self, self._concurrency):
            return await run_program(self._pool, config, program, request, findings, on_output)

    @asynccontextmanager
    async def interact(self, program: Program) -> AsyncGenerator[InteractiveProgram]:
        """Run a program and exchange data with it; at the end of the block it is killed.

        Its standard input stays open. It takes one of the sandbox's places meanwhile.

        Args:
            program: What to run. `stdin`, `collect` and `outputs` of it are not used, and no
                environment is made for it.

        Yields:
            The program while it runs.

        Raises:
            SandboxError: as `run`, and so for its other errors.
        """
        check_possible(program)
        config = await self._default_config()
        command = self._command(program, config)
        started = config.with_packages(program, command)
        request = encode_request(started, command, interactive=True)
        async with slot(self, self._concurrency):
            worker = await acquire(self._pool, config)
            try:
                if not await send_all(worker.control.fileno(), request):
                    raise SandboxError("LocalSandbox: the sandbox died before its program started")
                yield InteractiveProgram(worker, config.tier)
            finally:
                await worker.finish()

    def _command(self, program: Program, config: ZygoteConfig) -> Sequence[str]:
        """Return what to exec; nothing if the interpreter that waits runs the program."""
        command = self._command_of(program.language)
        main = f"./{program.main}" if program.main.startswith("-") else program.main
        if command:
            return (config.path_inside(command[0]), *command[1:], main, *program.args)
        if self._fresh or any(map(changes_interpreter, program.env)):
            return (config.path_inside(sys.executable), "-s", main, *program.args)
        return ()

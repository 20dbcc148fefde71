"""The sandbox that runs programs on this machine, isolated."""

import sys
import tempfile
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from planish.data.program import Completed, Program, check_program
from planish.data.sandbox import Guarantee
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.sandboxes.host import LANGUAGES, cpus, find_command, send_all, slots

from ._configuration import Recipe, asked
from ._interactive import Held
from ._limits import check_limits
from ._options import absolute, changes_interpreter, check_options
from ._pool import Pool
from ._running import claim, run_in
from ._selection import choose
from ._tiers import Tier

if TYPE_CHECKING:
    from planish_integrations.environments import Environments

__all__ = ["LocalSandbox"]


class LocalSandbox:
    r"""Runs programs on this machine, isolated from it.

    Each program gets a fresh directory, an environment of its own (PATH, HOME, TMPDIR,
    LANG=C.UTF-8 and PYTHONHASHSEED=0; `Program.env` is added and wins), its limits, and walls;
    `Completed.guarantees` says what held. Nothing of it is left at its end, whatever the end.
    The walls share the kernel with the host: for programs of people who mean harm, take a
    micro virtual machine (`planish_integrations.e2b`).

    Three tiers, the strongest that holds on this machine is taken. It is found by trying: a
    program that tries to get out is run in it, once in a process, when the first program is run
    (about half a second). Nothing that is refused falls back to less.

    - "namespaces": the kernel shows a program nothing but its own processes, network, files.
    - "bubblewrap": bwrap makes the namespaces, where nobody else may; within them as below.
    - "landlock": no namespaces, as in most containers. Files are walled off by Landlock, the
      rest by a filter of system calls; memory, disk and processes are watched every 20 ms. No
      sockets and no POSIX semaphores, so no `multiprocessing.Pool`.

    How the limits hold:

    - seconds: a warden of each program adds up the processor time of its processes, and the
      time in which they neither ran nor waited for a processor, whatever the host is doing.
    - memory_mb: of each process (RLIMIT_AS, so Python raises MemoryError), and of all together:
      resident memory, what they share counted once, looked at every 20 ms.
    - processes: RLIMIT_NPROC, so a fork fails with EAGAIN. In the last two tiers the kernel
      counts what else the same user runs, so there the warden counts too, and ends who passes.
    - disk_mb, files: "namespaces" mounts a file system of that size, so a write fails with
      ENOSPC. Elsewhere the warden looks, also at files that are unlinked and open, and ends who
      passes; there folders that are nested more than 200 deep are too many files.
    - file_bytes: RLIMIT_FSIZE, so a write fails with EFBIG.
    - output_bytes: read by the host, which never holds more than that and one byte.

    Programs are forked from a warm interpreter, the zygote, and wait for their claim behind
    their walls, so that a run takes a few forks' time. A sandbox that a program has left as it
    was serves the next one, which finds nothing of it; after a limit or a cancellation, or a
    use of its network, it does not. Python programs end and print as under
    `python main.py`; what differs is that the stack is a frame or two deeper, that modules of
    the standard library may be imported already, and that `.pth` files have not been run.
    Variables that the interpreter reads at its start (PYTHON*, LC_*, LANG, LD_*) have it
    started anew.

    They may read /usr, the interpreter, its packages, and what `packages` and `readable` add;
    files of the program below `inputs/` they may not write. They see all of it where the host
    does, but for what lies below /tmp, /work, /dev or /proc: with "namespaces" and "bubblewrap"
    these are their own, and what is granted there is at /outside, so `/tmp/data` is
    `/outside/tmp/data`.

    Use it as it is, or `async with` to start and to end at known moments. Otherwise it starts
    when it is first used, and ends when it is dropped, with the host at the latest. One object
    serves any number of tasks, threads and event loops, asyncio and trio. Sandboxes
    of equal configuration share one zygote, which ends with the last of them.

    Args:
        tier: This one and no other. Default: the strongest that holds.
        require: What has to be guaranteed, in the words of `planish.GUARANTEES`; else nothing
            is run. Default: nothing in particular.
        preload: Modules that the zygote imports, for all programs: "numpy", "pandas". They are
            run outside of the limits, so they must be trusted. Default: none.
        packages: Folders of packages, found before the interpreter's own. Default: none.
        readable: More files and folders that programs may read. Default: none.
        environments: Installs what a program imports and may have, and says what it may not. A
            zygote is kept for each of the 4 environments used last. Default: nothing is
            installed.
        concurrency: Programs that run at once, sessions included; more of them wait, and that
            is not their time. It counts for each event loop. Default: the processors this
            process may use, at least 2.
        spare: Sandboxes that are kept ready; each takes some 4 MiB; one more may be,
            after a program that ran for more than 20 ms. Default: 2.
        languages: Language to the command that runs a file of it, given the file and its
            arguments. "python" is always there. Default: `LANGUAGES`, as far as installed.
        fresh_interpreter: Start an interpreter for each Python program, behind the same walls:
            for libraries that do not survive a fork. `preload` is of no use to it. Default:
            False.

    Raises:
        UnsupportedError: this is not Linux; no such tier or guarantee, or the tier lacks one;
            a folder that is not there. The first run raises it too, where no tier holds.
        ValueError: concurrency is less than 1, or spare less than 0.

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
        check_options(tier, require, concurrency, spare)
        self._tier: Tier | None = tier
        self._require = frozenset(require)
        self._preload = tuple(preload)
        self._packages = tuple(absolute(packages, "packages"))
        self._readable = tuple(absolute(readable, "readable"))
        self._environments = environments
        self._concurrency = concurrency or max(2, cpus())
        self._spare = spare
        self._languages = dict(languages)
        self._fresh = fresh_interpreter
        self._pool = Pool()
        self._plain: Recipe | None = None  # what programs without an environment run in

    @property
    def name(self) -> str:
        """Always "local"."""
        return "local"

    def __repr__(self) -> str:
        tier = f"tier={self._tier!r}, " if self._tier else ""
        return f"LocalSandbox({tier}concurrency={self._concurrency})"

    async def __aenter__(self) -> Self:
        """Start now what the first run would start.

        Raises:
            UnsupportedError: no tier holds here, with the reason and the remedy for each.
            SandboxError: the system is out of processes, descriptors, memory or space; or a
                module of `preload` cannot be imported.
        """
        await self._pool.start(await self._usual())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End what is kept ready. The next run, if there is one, starts it again."""
        await self._pool.aclose()

    async def run(self, program: Program) -> Completed:
        """Run one program and wait for its end. See `planish.abc.Sandbox.run`.

        Cancelled, it kills the program with all that it started, and then ends.

        Args:
            program: What to run.

        Returns:
            How it ended; `guarantees` and `isolation` say what stood around it.

        Raises:
            UnsupportedError: no tier holds here, with the reason and the remedy for each; no
                interpreter for the language; a program or a limit that cannot be.
            SandboxError: the system is out of processes, descriptors, memory or space.
            SandboxLostError: what watches the program was killed while it may have run. No
                program can do that; the kernel can, for lack of memory.
        """
        check_program(program)
        check_limits(program)
        usual = await self._usual()
        if self._environments is None:
            return await self._run(program, usual, ())
        async with self._environments.using(program) as environment:
            path = environment.path
            if path is None:
                return await self._run(program, usual, environment.findings)
            recipe = self._recipe(usual.tier, (str(path),))
            async with self._pool.using(recipe):
                return await self._run(program, recipe, environment.findings)

    async def _run(self, program: Program, recipe: Recipe, findings: tuple[str, ...]) -> Completed:
        request = partial(asked, program, self._command(program, recipe))
        async with slots(self, self._concurrency):
            return await run_in(self._pool, recipe, program, request, findings)

    @asynccontextmanager
    async def hold(self, program: Program) -> AsyncGenerator[Held]:
        """Run a program that is talked to; at the end of the block it is killed.

        Its standard input stays open. It takes one of the sandbox's places meanwhile.

        Args:
            program: What to run. `stdin`, `collect` and `outputs` of it are not used, and no
                environment is made for it.

        Yields:
            The program while it runs.

        Raises:
            SandboxError: as `run`, and so for its other errors.
        """
        check_program(program)
        check_limits(program)
        recipe = await self._usual()
        request = asked(program, self._command(program, recipe), talked_to=True)
        async with slots(self, self._concurrency):
            spare = await claim(self._pool, recipe)
            try:
                if not await send_all(spare.control.fileno(), request):
                    raise SandboxError("LocalSandbox: the sandbox died before its program started")
                yield Held(spare, recipe.tier)
            finally:
                await spare.put_down()

    async def _usual(self) -> Recipe:
        """The recipe for programs that need no packages of their own."""
        if self._plain is None:
            tier = await choose(self._tier, self._require, self._recipe, self._pool)
            self._plain = self._recipe(tier)
        return self._plain

    def _recipe(self, tier: Tier, packages: tuple[str, ...] = ()) -> Recipe:
        return Recipe(
            tier=tier,
            preload=self._preload,
            packages=(*packages, *self._packages),
            readable=self._readable,
            spare=self._spare,
            directory=tempfile.gettempdir(),
        )

    def _command(self, program: Program, recipe: Recipe) -> Sequence[str]:
        """What to exec; nothing where the interpreter that waits is to run the program."""
        command = find_command(program.language, self._languages, "LocalSandbox")
        main = f"./{program.main}" if program.main.startswith("-") else program.main
        if command:
            return (recipe.shown(command[0]), *command[1:], main, *program.args)
        if self._fresh or any(map(changes_interpreter, program.env)):
            return (recipe.shown(sys.executable), "-s", main, *program.args)
        return ()

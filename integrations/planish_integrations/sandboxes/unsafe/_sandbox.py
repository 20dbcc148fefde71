"""The sandbox that runs programs on this machine."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planish.abc import OnOutput
from planish.arguments import require_count
from planish.data.program import Completed, Program, check_program
from planish.errors import UnsupportedError
from planish_integrations.sandboxes.host import (
    LANGUAGES,
    HasCommands,
    cpus,
    require_commands,
    slot,
)

__all__ = ["UnsafeLocalSandbox"]


class UnsafeLocalSandbox(HasCommands):
    r"""Runs programs on this machine, each in a process and directory of its own.

    **This is not isolation** (`Completed.isolation` is "none"). A program can read every
    file you can read, write every file you can write, use the network, and see, signal and
    trace your other processes, its own watcher among them. Run only what you would run by
    hand; for anything else take a sandbox that isolates.

    What it does: a fresh directory, removed at the end; an environment of its own (PATH,
    HOME, TMPDIR, LANG=C.UTF-8, and PYTHONHASHSEED=0, so that the same program does the same
    again; `Program.env` is added and wins; nothing of the host's); the limits; and nothing
    left. At its end, whatever the end, a program is killed with all it has started, also
    what has left its session; and also when the host dies.

    Python programs run on the interpreter this process runs on, with its site-packages, as
    `python -s main.py` would run them; other languages on commands found on PATH.

    How the limits hold:

    - seconds: a watcher of each program adds up the processor time of its processes, and the
      time in which they neither ran nor waited for a processor. Without /proc (macOS) all time
      counts as idle, so that a program has twice as long.
    - memory_mb: of each process (RLIMIT_AS, so Python raises MemoryError; node 20 needs
      some 900), and of all together: resident memory, what they share counted once,
      looked at every 20 ms. Shared memory that no process has in memory is not counted.
    - processes: counted every 20 ms, then all are killed.
    - output_bytes: read by the host, which never holds more than that and one byte.
    - file_bytes: RLIMIT_FSIZE, so a write fails with EFBIG.
    - disk_mb, files: of the run's directory and of files that are unlinked and open, looked at
      every 20 ms. What a program writes elsewhere is not counted.

    Works as root and as any user. As root without CAP_SYS_NICE (so in most containers) the
    programs run at nice 10: the kernel then has no other means against fork bombs. On macOS,
    where the kernel offers less, a process that leaves the program's session outlives it, and
    memory, processes and disk are not limited. Windows is not supported.

    Args:
        languages: Language to the command that runs a file of it, given the file and its
            arguments. "python" is always there; it may be given to run another one.
        concurrency: Programs that run at once; more of them wait, and that does not count
            as their time. Default: the number of processors this process may use, at least
            2, because programs that share a processor pass their time limit for their
            neighbours' sake.
        directory: Where the directories of the runs are made. Default: the system's
            directory for temporary files.

    Raises:
        UnsupportedError: this is not a POSIX system.
        ValueError: concurrency is less than 1.

    Example:
        ```python
        program = Program(main="main.py", files={"main.py": b"print(6 * 7)"})
        completed = await UnsafeLocalSandbox().run(program)
        assert completed.stdout == b"42\n"
        ```
    """

    def __init__(
        self,
        *,
        languages: Mapping[str, tuple[str, ...]] = LANGUAGES,
        concurrency: int | None = None,
        directory: str | Path | None = None,
    ) -> None:
        if os.name != "posix":
            raise UnsupportedError(
                "UnsafeLocalSandbox needs Linux or macOS; use a remote sandbox here"
            )
        if concurrency is not None:
            require_count("UnsafeLocalSandbox", "concurrency", concurrency)
        require_commands("UnsafeLocalSandbox", languages)
        self._languages = dict(languages)
        self._concurrency = concurrency or max(2, cpus())
        self._directory = None if directory is None else str(Path(directory).absolute())

    @property
    def name(self) -> str:
        """Always "unsafe_local"."""
        return "unsafe_local"

    def config(self) -> Mapping[str, Any]:
        """Return the options by name, without secrets, for fingerprints."""
        automatic = self._concurrency == max(2, cpus())  # alike on machines of other sizes
        return {
            "languages": self._languages,
            "concurrency": None if automatic else self._concurrency,
            "directory": self._directory,
        }

    def __repr__(self) -> str:
        concurrency = self.config()["concurrency"]
        text = "" if concurrency is None else f"concurrency={concurrency}"
        return f"UnsafeLocalSandbox({text})"

    async def run(self, program: Program) -> Completed:
        """Run one program and wait for its end. See `planish.abc.Sandbox.run`.

        Args:
            program: What to run.

        Returns:
            How it ended. A program that kills what watches it has ended by SIGKILL; `findings`
            tells of it.

        Raises:
            UnsupportedError: no interpreter for the language; a path that is not inside the
                working directory; `main` not among the files; text the system cannot take.
            SandboxError: the system is out of processes, descriptors, memory or space.
        """
        return await self._run(program, None)

    async def run_live(self, program: Program, on_output: OnOutput) -> Completed:
        """Run one program, and pass on its output. See `planish.abc.LiveSandbox.run_live`.

        Args:
            program: What to run.
            on_output: Called with each piece of output as it arrives.

        Returns:
            As `run`.

        Raises:
            SandboxError: as `run`, and so for its other errors.
        """
        return await self._run(program, on_output)

    async def _run(self, program: Program, on_output: OnOutput | None) -> Completed:
        # Imported here because they need POSIX, and this module should say so politely.
        from ._conversation import Conversation  # noqa: PLC0415
        from ._supervisor import Supervisor  # noqa: PLC0415

        check_program(program)
        command = self._command_of(program.language)
        async with slot(self, self._concurrency):
            supervisor = Supervisor(program, command, self._directory, self._concurrency)
            conversation = Conversation(supervisor, program, on_output)
            try:
                await conversation.wait()
            finally:
                await supervisor.terminate()
            return conversation.completed()

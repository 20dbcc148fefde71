"""Sandboxes that each violate one rule of the contract, with the check that must fail."""
# ruff: noqa: ARG002  # they override what they need not look at

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import anyio
from tests.testing.live_sandboxes import Good, Grouping, Late, Repeating, Uncut

from planish.data.program import Completed, Program, ResourceLimits
from planish.errors import UnsupportedError

__all__ = ["BAD", "Leaky", "Trusting"]

GENEROUS = ResourceLimits(
    seconds=20, memory_mb=4096, output_bytes=10**8, file_bytes=10**8, processes=999
)


class Wordy(Good):
    name = "not one word"


class Silent(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, stdout=b"")


class Flat(Good):
    def before(self, program: Program) -> Program:
        files = {Path(path).name: content for path, content in program.files.items()}
        return replace(program, files=files)


class Shell(Good):
    def before(self, program: Program) -> Program:
        return replace(program, args=tuple(" ".join(program.args).split()))


class Deaf(Good):
    def before(self, program: Program) -> Program:
        return replace(program, stdin=b"")


class Piped(Good):
    def before(self, program: Program) -> Program:
        pipe = b"import os; pipe = os.pipe(); os.dup2(pipe[0], 0); os.close(pipe[1])\n"
        main = program.files[program.main]
        return replace(program, files={**program.files, program.main: pipe + main})


class Lossy(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, results=b"" if program.results else None)


class Hasty(Good):
    def before(self, program: Program) -> Program:
        return replace(program, limits=replace(program.limits, seconds=program.limits.seconds / 4))

    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, cpu_seconds=0.1)


class Quoting(Good):
    def before(self, program: Program) -> Program:
        return replace(program, env={k: v.replace("'", "") for k, v in program.env.items()})


class Talkative(Good):
    def before(self, program: Program) -> Program:
        return replace(program, env={**os.environ, **program.env})


class Merged(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, stdout=completed.stdout + completed.stderr, stderr=b"")


class Textual(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, stdout=completed.stdout.decode(errors="replace").encode())


class Forgiving(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, exit_code=0)


class Terse(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, stderr=completed.stderr[:5])


class Following(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        links = {"link": b"root:"} if "link" in program.collect else {}
        return replace(completed, files={**completed.files, **links})


class Forgetful(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, files={})


class Mute(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, findings=())


class Hoarding(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, artifacts={**completed.artifacts, "link": b"root:"})


class Boastful(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, guarantees=("unbreakable",))  # type: ignore[arg-type]


class Limitless(Good):
    def before(self, program: Program) -> Program:
        return replace(program, limits=GENEROUS)


class Patient(Good):
    def before(self, program: Program) -> Program:
        return replace(program, limits=replace(program.limits, seconds=2 * program.limits.seconds))


class Cut(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, stdout=completed.stdout[:5000])


class Stale(Good):
    left = False

    def before(self, program: Program) -> Program:
        left, self.left = self.left, True
        return replace(program, files={**program.files, **({"left": b""} if left else {})})


class Mixed(Good):
    latest: Program | None = None

    async def run(self, program: Program) -> Completed:
        self.latest = program
        await anyio.sleep(0.05)
        return await super().run(self.latest)


class Waiting(Good):
    def after(self, program: Program, completed: Completed) -> Completed:
        return replace(completed, duration=completed.duration + 15)


class Lax(Good):
    def before(self, program: Program) -> Program:
        files = {path: c for path, c in program.files.items() if ".." not in path}
        main = program.main if program.main in files else next(iter(files))
        files = {path.strip("/"): content for path, content in files.items()}
        return replace(program, language="python", files=files, main=main, collect=())


class Trusting(Good):
    """Writes files where their paths lead, and not only below its working directory."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())

    async def run(self, program: Program) -> Completed:
        work = self.place / "above" / "work"
        for path, content in program.files.items():
            self._write(work / path, content)
        return replace(Completed(exit_code=0), stdout=os.fsencode(work))

    def _write(self, path: Path, content: bytes) -> None:
        file = Path(os.path.normpath(path))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def left(self) -> list[Path]:
        """Return the files outside of the working directory."""
        found = [file for file in self.place.rglob("*") if file.is_file()]
        return [file for file in found if file.parent.name != "work"]

    def close(self) -> None:
        shutil.rmtree(self.place)


class Vague(Good):
    async def run(self, program: Program) -> Completed:
        try:
            return await super().run(program)
        except UnsupportedError:
            raise UnsupportedError("no") from None


class Stubborn(Good):
    last = Completed(exit_code=0)

    async def run(self, program: Program) -> Completed:
        with anyio.CancelScope(shield=True):
            self.last = await super().run(replace(program, limits=ResourceLimits(seconds=1)))
        return self.last


class Leaky(Good):
    def __init__(self) -> None:
        super().__init__()
        self.left: list[subprocess.Popen[bytes]] = []

    async def run(self, program: Program) -> Completed:
        try:
            return await super().run(program)
        except anyio.get_cancelled_exc_class():
            self.left.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=-1))  # noqa: ASYNC220  # a leak, on purpose
            raise

    def close(self) -> None:
        for process in self.left:
            process.communicate()


BAD: list[tuple[type[Good], str, str]] = [
    (Wordy, "has a name", "not one word"),
    (Silent, "runs a program", "printed ''"),
    (Flat, "writes files", "FileNotFoundError"),
    (Shell, "passes arguments", "two"),
    (Deaf, "passes input", "of 8 bytes"),
    (Piped, "provides input as a file", "Illegal seek"),
    (Lossy, "returns results", "after '', results are b''; expected b'so far'"),
    (Hasty, "counts the time of all processes", "waited for less than twice its time"),
    (Quoting, "passes variables", "QUOTES"),
    (Talkative, "hides the host's variables", "a variable of the host is visible"),
    (Merged, "separates stdout and stderr, as bytes", "stdout is b'out"),
    (Textual, "separates stdout and stderr, as bytes", "stdout is b'out"),
    (Late, "passes output on while it runs", "while the program ran, {'stdout': b''"),
    (Repeating, "passes output on while it runs", "16001 bytes of stdout were passed on"),
    (Uncut, "passes output on while it runs", "expected the 5000 that were returned"),
    (Grouping, "passes output on while it runs", "made run_live raise ExceptionGroup"),
    (Forgiving, "reports exit codes", "'import sys; sys.exit(3)': exit_code=0"),
    (Terse, "reports uncaught exceptions", "printed 'Trace'"),
    (Following, "collects files without following links", "these differ: ['link']"),
    (
        Forgetful,
        "collects files without following links",
        "these differ: ['main.py', 'out/deep/file']",
    ),
    (Mute, "returns outputs and reports omissions", "not among the findings"),
    (Hoarding, "returns outputs and reports omissions", "artifacts are"),
    (Boastful, "reports guarantees", "guarantees are ['unbreakable']"),
    (Patient, "stops at the time limit", "over its time"),
    (Cut, "stops at the output limit", "limit=None"),
    (Limitless, "stops at the memory limit", "it ran to its end"),
    (Limitless, "stops at the process limit", "it ran to its end"),
    (Limitless, "stops at the file size limit", "it ran to its end"),
    (Stale, "starts each run in a fresh directory", "left"),
    (Mixed, "isolates concurrent runs", 'printed "w'),
    (Waiting, "does not wait for orphans", "it took "),
    (
        Lax,
        "refuses paths outside the directory",
        "an absolute path in ['files'] was accepted",
    ),
    (Trusting, "refuses paths outside the directory", "was accepted"),
    (Lax, "refuses an absent main file", "an absent main was accepted"),
    (Lax, "refuses an unknown language", "a program in an unknown language ran"),
    (Vague, "refuses an unknown language", "does not name it: no"),
    (Stubborn, "ends promptly when cancelled", "cancelled, it ended"),
    (Leaky, "ends promptly when cancelled", "cancelled, it left the processes"),
]

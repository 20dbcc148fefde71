"""How programs are run by whoever thinks no harm: the control of every case."""

import os
import pickle
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
from tests.integrations.sandboxes.local.abuse.inside.encoding import program_from, told

from planish.data.program import Completed, Program

__all__ = ["Naive", "descriptors"]

_GRADER = """
import pickle, sys
scope = {}
exec(sys.argv[1], scope)
try:
    exec(sys.argv[2], scope)
    passed = True
except Exception:
    passed = False
sys.stdout.buffer.write(pickle.dumps((passed, scope["add"](1, 2))))
"""


class Naive:
    """Runs programs with a plain subprocess: everything inherited, everything followed."""

    async def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """One program, in a thread; given up on after the judge's patience."""
        if request.get("cancel_after"):
            return _abandoned(program_from(request), request["cancel_after"])
        program, patience, sweeps = program_from(request), request["patience"], request["sweeps"]
        return await anyio.to_thread.run_sync(_run, program, patience, sweeps)

    async def judge(self, request: dict[str, Any]) -> dict[str, Any]:
        """A candidate and its tests in one process, whose exit code and words are believed."""
        process = subprocess.run(  # noqa: ASYNC221 - nothing else goes on
            [sys.executable, "-c", _GRADER, request["code"], request["tests"]],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        try:
            passed, _value = pickle.loads(process.stdout)  # noqa: S301 - the mistake to show
        except Exception:  # noqa: BLE001 - no word: then its exit code will do
            passed = process.returncode == 0
        return {"passed": passed}

    async def facts(self, _request: dict[str, Any]) -> dict[str, Any]:
        """What this process holds open."""
        return {"descriptors": descriptors()}


def descriptors() -> list[int]:
    """What this process holds open."""
    return sorted(int(path.name) for path in Path("/proc/self/fd").iterdir())


def _lay_out(program: Program) -> Path:
    work = Path(tempfile.mkdtemp(prefix="work-", dir=Path.home()))
    for name, content in program.files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(content)
    if program.outputs:
        (work / program.outputs).mkdir()
    return work


def _start(program: Program, work: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # the child of a host that closes nothing and hides nothing
        [sys.executable, "main.py", *program.args],
        cwd=work,
        env=os.environ | program.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        close_fds=False,
    )


def _abandoned(program: Program, seconds: float) -> dict[str, Any]:
    """Cancelled, as a task is that knows nothing of its process."""
    process = _start(program, _lay_out(program))
    time.sleep(seconds)
    for stream in (process.stdin, process.stdout, process.stderr):
        assert stream is not None
    process.returncode = 0  # so that nobody warns of it
    return {"cancelled": True}


def _run(program: Program, patience: float, sweeps: int) -> dict[str, Any]:
    work, begin, hung = _lay_out(program), time.monotonic(), False
    with _start(program, work) as process:
        try:
            out, err = process.communicate(program.stdin, timeout=patience)
        except subprocess.TimeoutExpired as late:
            out, err, hung = late.stdout or b"", late.stderr or b"", True
            process.kill()
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            process.stderr.close()
    code = process.returncode
    completed = Completed(
        exit_code=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        stdout=out,
        stderr=err,
        duration=time.monotonic() - begin,
        files=_collected(work, program),
        artifacts=_artifacts(work / program.outputs, sweeps) if program.outputs else {},
    )
    return told(completed) | {"hung": hung, "work": str(work), "pid": process.pid}


def _collected(work: Path, program: Program) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for name in program.collect:
        path = work / name
        if path.is_fifo():
            found[name] = b"nobody ever writes to it: this would wait for ever"
        elif path.exists():
            found[name] = path.read_bytes()
    return found


def _artifacts(folder: Path, sweeps: int) -> dict[str, bytes]:
    """Every file, and whatever a link leads to; of what cannot be read, its state."""
    found: dict[str, bytes] = {}
    for _ in range(sweeps):
        for root, _, names in os.walk(folder, followlinks=True):
            for name in names:
                path = Path(root, name)
                key = str(path.relative_to(folder))
                with suppress(OSError):
                    small = path.is_file() and path.stat().st_size < 1_000_000
                    content = path.read_bytes() if small else f"{path.lstat()}".encode()
                    if content not in found.get(key, b""):
                        found[key] = found.get(key, b"") + content
    return found

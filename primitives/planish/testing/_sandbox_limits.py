"""Sandbox checks for limits, isolation of runs, cancellation and refusals."""

import os
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic

import anyio

from planish.abc import Sandbox
from planish.data.program import Completed, Program, ResourceLimits
from planish.errors import MisuseError, UnsupportedError
from planish.testing._conformance import describe, python_program, require

__all__ = ["LIMITS", "check_cancellation"]

_GRACE = 1.0  # seconds that a program may run beyond its limit
_IDLE = 2  # a program that waits may run for this multiple of its limit


async def _time_limit(sandbox: Sandbox) -> None:
    """Check that a program that ignores signals is killed within a second of its limit.

    A program that waits may run for twice its limit. For one that computes, CPU time counts if
    the sandbox measures it, so that load of the machine has no influence.
    """
    ignore_signals = "import signal\nfor s in (1, 2, 3, 15): signal.signal(s, signal.SIG_IGN)\n"
    begin = "print('begun', flush=True)\n"
    for body, times in (("import time; time.sleep(60)", _IDLE), ("while True: pass", 1)):
        program = python_program(ignore_signals + begin + body, limits=ResourceLimits(seconds=1.0))
        completed = await sandbox.run(program)
        require(
            completed.limit == "seconds" and not completed.ok, f"{body!r}: {describe(completed)}"
        )
        measured = None if times == _IDLE else completed.cpu_seconds
        used = completed.duration if measured is None else measured
        late = used - times * program.limits.seconds
        require(late < _GRACE, f"{body!r} ran {late:.2f} s over its time")
        require(completed.stdout == b"begun\n", f"its output is lost: {describe(completed)}")


async def _process_time(sandbox: Sandbox) -> None:
    """Check that CPU time, if measured, is that of all processes and not used up by waiting."""
    waiting = await sandbox.run(
        python_program("import time; time.sleep(2.5)", limits=ResourceLimits(seconds=2.0))
    )
    if waiting.cpu_seconds is None:
        return  # the contract allows a sandbox that measures wall time
    require(
        waiting.ok, f"it waited for less than twice its time, and was stopped: {describe(waiting)}"
    )
    source = "import os, time\nfor _ in range(20):\n    if os.fork() == 0:\n"
    source += "        while time.process_time() < 0.2: pass\n        os._exit(0)\n    os.wait()"
    completed = await sandbox.run(python_program(source, limits=ResourceLimits(seconds=1.0)))
    require(
        completed.limit == "seconds",
        f"20 processes of 0.2 s each were not stopped at 1 s: {describe(completed)}",
    )


async def _output_limit(sandbox: Sandbox) -> None:
    """Check that output is cut at exactly the limit, and output of that size is not stopped."""
    limits = ResourceLimits(output_bytes=10_000, seconds=20)
    for stream in ("stdout", "stderr"):
        once = f"import sys; sys.{stream}.write('x' * 10_000)"
        completed = await sandbox.run(python_program(once, limits=limits))
        require(
            completed.ok and _size(completed, stream) == limits.output_bytes, describe(completed)
        )
        flood = f"import sys\nwhile True: sys.{stream}.write('x' * 10_000)"
        completed = await sandbox.run(python_program(flood, limits=limits))
        size = _size(completed, stream)
        require(completed.limit == "output_bytes", f"a flood of {stream}: {describe(completed)}")
        require(size == limits.output_bytes, f"{size} bytes of a flood of {stream} were returned")


def _size(completed: Completed, stream: str) -> int:
    return len(completed.stdout if stream == "stdout" else completed.stderr)


async def _memory_limit(sandbox: Sandbox) -> None:
    """Check that a program gets at most `memory_mb` of memory."""
    await _check_limit(
        sandbox, "x = b'x' * (600 << 20)", ResourceLimits(memory_mb=256), "memory_mb"
    )


async def _process_limit(sandbox: Sandbox) -> None:
    """Check that a program gets at most `processes` processes and threads."""
    source = "import threading, time\nfor _ in range(60):\n"
    source += "    threading.Thread(target=time.sleep, args=(5,)).start()"
    await _check_limit(sandbox, source, ResourceLimits(processes=16), "processes")


async def _file_size_limit(sandbox: Sandbox) -> None:
    """Check that a program's files are at most `file_bytes` large."""
    source = "file = open('big', 'wb', buffering=0)\n"
    source += "for _ in range(300): file.write(b'x' * 1000)"
    await _check_limit(sandbox, source, ResourceLimits(file_bytes=100_000), None)


async def _check_limit(
    sandbox: Sandbox, source: str, limits: ResourceLimits, limit: str | None
) -> None:
    try:
        completed = await sandbox.run(python_program(source, limits=limits))
    except UnsupportedError:
        return  # the contract allows limits that are reported as unsupported
    require(not completed.ok, f"it ran to its end: {describe(completed)}")
    require(completed.limit in (limit, None), describe(completed))


async def _fresh_directory(sandbox: Sandbox) -> None:
    """Check that a run does not see the files of an earlier one."""
    source = "import os; print(sorted(os.listdir('.'))); open('left', 'w').close()"
    first = await sandbox.run(python_program(source))
    second = await sandbox.run(python_program(source))
    require(first.stdout == second.stdout == b"['main.py']\n", f"the second saw {second.stdout!r}")


async def _concurrent_runs(sandbox: Sandbox) -> None:
    """Check that concurrent runs do not see each other's files, input or output."""
    results: dict[int, Completed] = {}
    source = "import os, sys, time; word = sys.stdin.read(); open(word, 'w').close()\n"
    source += "time.sleep(0.3); print(word, sorted(os.listdir('.')))"

    async def run(number: int) -> None:
        results[number] = await sandbox.run(python_program(source, stdin=f"w{number}".encode()))

    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(run, number)
    for number, completed in results.items():
        expected = f"w{number} ['main.py', 'w{number}']\n".encode()
        require(completed.stdout == expected, f"run {number}: {describe(completed)}")


async def _orphans(sandbox: Sandbox) -> None:
    """Check that an orphaned process with the output open does not delay the end of the run."""
    source = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n"
    program = python_program(source + "print('done')", limits=ResourceLimits(seconds=20))
    completed = await sandbox.run(program)
    require(completed.ok and completed.stdout == b"done\n", describe(completed))
    require(completed.duration < program.limits.seconds / 2, f"it took {completed.duration:.1f} s")


async def check_cancellation(promptly: float, sandbox: Sandbox) -> None:
    """Check that cancelling ends a run and its local processes, and that the next run works.

    Args:
        promptly: Seconds that the run may take to end.
        sandbox: The sandbox.
    """
    before = _children()
    started = monotonic()
    with anyio.move_on_after(0.5):
        await sandbox.run(python_program("import time; time.sleep(60)"))
    took = monotonic() - started - 0.5
    require(took < promptly, f"cancelled, it ended {took:.1f} s later")
    remaining = _children() - before
    require(not remaining, f"cancelled, it left the processes {sorted(remaining)}")
    completed = await sandbox.run(python_program("print('next')"))
    require(completed.stdout == b"next\n", f"the run after it: {describe(completed)}")


def _children() -> set[int]:
    """Return the ids of this process's children; empty on systems without /proc."""
    threads = Path(f"/proc/{os.getpid()}/task")
    files = threads.glob("*/children") if threads.exists() else ()
    return {int(pid) for file in files for pid in file.read_text().split()}


async def _paths_outside(sandbox: Sandbox) -> None:
    """Check that a path outside the working directory is refused before anything runs."""
    with tempfile.TemporaryDirectory() as folder:  # removed with what a wrong sandbox writes there
        absolute = f"{folder}/outside"
        for path in (absolute, "../planish-outside", "a/../../planish-outside"):
            name = "an absolute path" if path == absolute else repr(path)
            for fields in ({"files": {"main.py": b"", path: b""}}, {"collect": (path,)}):
                await _check_refusal(
                    sandbox, python_program("pass", **fields), f"{name} in {[*fields]}"
                )


async def _absent_main(sandbox: Sandbox) -> None:
    """Check that a `main` that is not among the files is refused."""
    await _check_refusal(
        sandbox, Program(main="main.py", files={"other.py": b""}), "an absent main"
    )


async def _unknown_language(sandbox: Sandbox) -> None:
    """Check that an unknown language is refused by an error that names it."""
    program = Program(language="klingon", main="main", files={"main": b""})
    try:
        await sandbox.run(program)
    except UnsupportedError as error:
        require("klingon" in str(error), f"the error does not name it: {error}")
    else:
        raise AssertionError("a program in an unknown language ran")


async def _check_refusal(sandbox: Sandbox, program: Program, what: str) -> None:
    try:
        completed = await sandbox.run(program)
    except MisuseError:
        return
    raise AssertionError(f"{what} was accepted: {describe(completed)}")


LIMITS: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
    "stops at the time limit": _time_limit,
    "counts the time of all processes": _process_time,
    "stops at the output limit": _output_limit,
    "stops at the memory limit": _memory_limit,
    "stops at the process limit": _process_limit,
    "stops at the file size limit": _file_size_limit,
    "starts each run in a fresh directory": _fresh_directory,
    "isolates concurrent runs": _concurrent_runs,
    "does not wait for orphans": _orphans,
    "refuses paths outside the directory": _paths_outside,
    "refuses an absent main file": _absent_main,
    "refuses an unknown language": _unknown_language,
}

"""Limits, refusals, and what may not be left: checks for the kit."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic

import anyio

from planish.abc import Sandbox
from planish.data.program import Completed, Program, ResourceLimits
from planish.errors import MisuseError, UnsupportedError
from planish.testing._conformance import hold, python, shows

__all__ = ["LIMITS", "cancels"]

_GRACE = 1.0  # seconds over its time that a program may run
_IDLE = 2  # times its time that a program may do nothing


async def _time(sandbox: Sandbox) -> None:
    """A program is killed within a second of its time, whatever it does against it.

    One that does nothing may have twice its time. One that computes has used its time in
    seconds of processor, where the sandbox measures them, however busy the machine is.
    """
    deaf = "import signal\nfor s in (1, 2, 3, 15): signal.signal(s, signal.SIG_IGN)\n"
    begin = "print('begun', flush=True)\n"
    for body, times in (("import time; time.sleep(60)", _IDLE), ("while True: pass", 1)):
        program = python(deaf + begin + body, limits=ResourceLimits(seconds=1.0))
        completed = await sandbox.run(program)
        hold(completed.limit == "seconds" and not completed.ok, f"{body!r}: {shows(completed)}")
        measured = None if times == _IDLE else completed.cpu_seconds
        taken = completed.duration if measured is None else measured
        late = taken - times * program.limits.seconds
        hold(late < _GRACE, f"{body!r} ran {late:.2f} s over its time")
        hold(completed.stdout == b"begun\n", f"what it printed is lost: {shows(completed)}")


async def _workers(sandbox: Sandbox) -> None:
    """Where CPU time is counted, it is that of all processes, and waiting has its own limit."""
    waits = await sandbox.run(
        python("import time; time.sleep(2.5)", limits=ResourceLimits(seconds=2.0))
    )
    if waits.cpu_seconds is None:
        return  # it counts wall time: the contract allows that
    hold(waits.ok, f"it waited for less than twice its time, and was stopped: {shows(waits)}")
    source = "import os, time\nfor _ in range(20):\n    if os.fork() == 0:\n"
    source += "        while time.process_time() < 0.2: pass\n        os._exit(0)\n    os.wait()"
    completed = await sandbox.run(python(source, limits=ResourceLimits(seconds=1.0)))
    hold(
        completed.limit == "seconds",
        f"20 processes of 0.2 s each were not stopped at 1 s: {shows(completed)}",
    )


async def _output(sandbox: Sandbox) -> None:
    """Output stops at exactly the limit; output of exactly the limit is no trouble."""
    limits = ResourceLimits(output_bytes=10_000, seconds=20)
    for stream in ("stdout", "stderr"):
        once = f"import sys; sys.{stream}.write('x' * 10_000)"
        completed = await sandbox.run(python(once, limits=limits))
        hold(completed.ok and _size(completed, stream) == limits.output_bytes, shows(completed))
        flood = f"import sys\nwhile True: sys.{stream}.write('x' * 10_000)"
        completed = await sandbox.run(python(flood, limits=limits))
        size = _size(completed, stream)
        hold(completed.limit == "output_bytes", f"a flood of {stream}: {shows(completed)}")
        hold(size == limits.output_bytes, f"of a flood of {stream}, {size} bytes are kept")


def _size(completed: Completed, stream: str) -> int:
    return len(completed.stdout if stream == "stdout" else completed.stderr)


async def _memory(sandbox: Sandbox) -> None:
    """A program gets no more memory than `memory_mb`."""
    await _bounded(sandbox, "x = b'x' * (600 << 20)", ResourceLimits(memory_mb=256), "memory_mb")


async def _processes(sandbox: Sandbox) -> None:
    """A program gets no more processes and threads than `processes`."""
    source = "import threading, time\nfor _ in range(60):\n"
    source += "    threading.Thread(target=time.sleep, args=(5,)).start()"
    await _bounded(sandbox, source, ResourceLimits(processes=16), "processes")


async def _file_size(sandbox: Sandbox) -> None:
    """A program writes no larger file than `file_bytes`."""
    source = "file = open('big', 'wb', buffering=0)\n"
    source += "for _ in range(300): file.write(b'x' * 1000)"
    await _bounded(sandbox, source, ResourceLimits(file_bytes=100_000), None)


async def _bounded(
    sandbox: Sandbox, source: str, limits: ResourceLimits, limit: str | None
) -> None:
    try:
        completed = await sandbox.run(python(source, limits=limits))
    except UnsupportedError:
        return  # it says so: the contract allows that
    hold(not completed.ok, f"it ran to its end: {shows(completed)}")
    hold(completed.limit in (limit, None), shows(completed))


async def _fresh(sandbox: Sandbox) -> None:
    """Each run has a fresh directory: nothing of the last one is there."""
    source = "import os; print(sorted(os.listdir('.'))); open('left', 'w').close()"
    first = await sandbox.run(python(source))
    second = await sandbox.run(python(source))
    hold(first.stdout == second.stdout == b"['main.py']\n", f"the second saw {second.stdout!r}")


async def _apart(sandbox: Sandbox) -> None:
    """Runs at the same time do not see each other's files, input or output."""
    seen: dict[int, Completed] = {}
    source = "import os, sys, time; word = sys.stdin.read(); open(word, 'w').close()\n"
    source += "time.sleep(0.3); print(word, sorted(os.listdir('.')))"

    async def run(number: int) -> None:
        seen[number] = await sandbox.run(python(source, stdin=f"w{number}".encode()))

    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(run, number)
    for number, completed in seen.items():
        expected = f"w{number} ['main.py', 'w{number}']\n".encode()
        hold(completed.stdout == expected, f"run {number}: {shows(completed)}")


async def _orphans(sandbox: Sandbox) -> None:
    """A process left behind, holding the output, does not keep the run from ending."""
    source = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n"
    program = python(source + "print('done')", limits=ResourceLimits(seconds=20))
    completed = await sandbox.run(program)
    hold(completed.ok and completed.stdout == b"done\n", shows(completed))
    hold(completed.duration < program.limits.seconds / 2, f"it took {completed.duration:.1f} s")


async def cancels(promptly: float, sandbox: Sandbox) -> None:
    """Cancelling ends a run, with its processes where they are ours, and the next one works."""
    before = _children()
    started = monotonic()
    with anyio.move_on_after(0.5):
        await sandbox.run(python("import time; time.sleep(60)"))
    took = monotonic() - started - 0.5
    hold(took < promptly, f"cancelled, it ended {took:.1f} s later")
    left = _children() - before
    hold(not left, f"cancelled, it left the processes {sorted(left)}")
    completed = await sandbox.run(python("print('next')"))
    hold(completed.stdout == b"next\n", f"the run after it: {shows(completed)}")


def _children() -> set[int]:
    """The processes started by this one, where the system tells."""
    threads = Path(f"/proc/{os.getpid()}/task")
    files = threads.glob("*/children") if threads.exists() else ()
    return {int(pid) for file in files for pid in file.read_text().split()}


async def _outside(sandbox: Sandbox) -> None:
    """A path that leads out of the working directory is refused, before anything runs."""
    for path in ("/tmp/planish-outside", "../planish-outside", "a/../../planish-outside"):  # noqa: S108  # refused
        for fields in ({"files": {"main.py": b"", path: b""}}, {"collect": (path,)}):
            await _refused(sandbox, python("pass", **fields), f"{path!r} in {[*fields]}")


async def _main(sandbox: Sandbox) -> None:
    """A `main` that is not among the files is refused."""
    await _refused(sandbox, Program(main="main.py", files={"other.py": b""}), "an absent main")


async def _language(sandbox: Sandbox) -> None:
    """An unknown language is refused, by its name."""
    program = Program(language="klingon", main="main", files={"main": b""})
    try:
        await sandbox.run(program)
    except UnsupportedError as error:
        hold("klingon" in str(error), f"the error does not name it: {error}")
    else:
        raise AssertionError("a program in no known language ran")


async def _refused(sandbox: Sandbox, program: Program, what: str) -> None:
    try:
        completed = await sandbox.run(program)
    except MisuseError:
        return
    raise AssertionError(f"{what} was accepted: {shows(completed)}")


LIMITS: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
    "stops at the time limit": _time,
    "counts the time of all processes": _workers,
    "stops at the output limit": _output,
    "stops at the memory limit": _memory,
    "stops at the process limit": _processes,
    "stops at the file size limit": _file_size,
    "each run is fresh": _fresh,
    "runs at once do not mix": _apart,
    "does not wait for orphans": _orphans,
    "refuses paths that lead out": _outside,
    "refuses an absent main file": _main,
    "refuses an unknown language": _language,
}

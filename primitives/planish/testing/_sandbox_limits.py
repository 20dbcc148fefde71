"""Sandbox checks for limits, isolation of runs and cancellation."""

import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from time import monotonic

import anyio
from anyio import TASK_STATUS_IGNORED
from anyio.abc import TaskStatus

from planish.abc import Sandbox
from planish.data.program import Completed, Program, ResourceLimits
from planish.errors import UnsupportedError
from planish.testing._conformance import describe, expect, python_program

__all__ = ["LIMITS", "check_cancellation", "check_time_limit"]

_IDLE = 2  # a program that waits may run for this multiple of its limit


async def check_time_limit(grace: float, sandbox: Sandbox) -> None:
    """Check that a program that ignores signals is killed soon after its limit.

    A program that waits may run for twice its limit. For one that computes, CPU time counts if
    the sandbox measures it, so that load of the machine has no influence.

    Args:
        grace: Seconds that a program may run beyond its limit.
        sandbox: The sandbox.
    """
    ignore_signals = "import signal\nfor s in (1, 2, 3, 15): signal.signal(s, signal.SIG_IGN)\n"
    begin = "print('begun', flush=True)\n"
    bodies = ("import time; time.sleep(60)", "while True: pass")
    limits = ResourceLimits(seconds=1.0)
    programs = [python_program(ignore_signals + begin + body, limits=limits) for body in bodies]
    for body, times, completed in zip(
        bodies, (_IDLE, 1), await _run_at_once(sandbox, programs), strict=True
    ):
        expect(
            completed.limit == "seconds" and not completed.ok,
            f"{body!r}: {describe(completed)}",
            "the limit 'seconds'",
        )
        measured = None if times == _IDLE else completed.cpu_seconds
        used = completed.duration if measured is None else measured
        late = used - times * limits.seconds
        expect(late < grace, f"{body!r} ran {late:.2f} s over its time", f"less than {grace:g} s")
        expect(
            completed.stdout == b"begun\n",
            f"its output is lost: {describe(completed)}",
            "'begun\\n'",
        )


async def _process_time(sandbox: Sandbox) -> None:
    """Check that CPU time, if measured, is that of all processes and not used up by waiting."""
    limits = ResourceLimits(seconds=1.0)
    waiting = await sandbox.run(python_program("import time; time.sleep(1.5)", limits=limits))
    if waiting.cpu_seconds is None:
        return  # the contract allows a sandbox that measures wall time
    expect(
        waiting.ok,
        f"it waited for less than twice its time, and was stopped: {describe(waiting)}",
        "exit code 0: only a wait of twice `seconds` is stopped",
    )
    source = "import os, time\nfor _ in range(20):\n    if os.fork() == 0:\n"
    source += "        while time.process_time() < 0.2: pass\n        os._exit(0)\n    os.wait()"
    completed = await sandbox.run(python_program(source, limits=limits))
    expect(
        completed.limit == "seconds",
        f"20 processes of 0.2 s each were not stopped at 1 s: {describe(completed)}",
        "the limit 'seconds'",
    )


async def _run_at_once(sandbox: Sandbox, programs: Sequence[Program]) -> list[Completed]:
    """Start programs in this order, at the same time; return their results."""
    results: dict[int, Completed] = {}

    async def run(
        number: int, program: Program, *, task_status: TaskStatus[None] = TASK_STATUS_IGNORED
    ) -> None:
        task_status.started()  # the next one starts when this one first waits
        results[number] = await sandbox.run(program)

    async with anyio.create_task_group() as tasks:
        for number, program in enumerate(programs):
            await tasks.start(run, number, program)
    return [results[number] for number in range(len(programs))]


async def _output_limit(sandbox: Sandbox) -> None:
    """Check that output is cut at exactly the limit, and output of that size is not stopped."""
    limits = ResourceLimits(output_bytes=10_000, seconds=20)
    for stream in ("stdout", "stderr"):
        once = f"import sys; sys.{stream}.write('x' * 10_000)"
        completed = await sandbox.run(python_program(once, limits=limits))
        expect(
            completed.ok and _size(completed, stream) == limits.output_bytes,
            f"{_size(completed, stream)} bytes of {stream}: {describe(completed)}",
            f"exit code 0 and all {limits.output_bytes} bytes",
        )
        flood = f"import sys\nwhile True: sys.{stream}.write('x' * 10_000)"
        completed = await sandbox.run(python_program(flood, limits=limits))
        size = _size(completed, stream)
        expect(
            completed.limit == "output_bytes",
            f"a flood of {stream}: {describe(completed)}",
            "the limit 'output_bytes'",
        )
        expect(
            size == limits.output_bytes,
            f"{size} bytes of a flood of {stream} were returned",
            f"{limits.output_bytes}",
        )


def _size(completed: Completed, stream: str) -> int:
    return len(completed.stdout if stream == "stdout" else completed.stderr)


async def _memory_limit(sandbox: Sandbox) -> None:
    """Check that a program gets at most `memory_mb` of memory."""
    await _check_limit(
        sandbox, "x = b'x' * (600 << 20)", ResourceLimits(memory_mb=256), "memory_mb"
    )


async def _process_limit(sandbox: Sandbox) -> None:
    """Check that a program gets at most `processes` processes and threads."""
    # Daemons: a program that cannot start all of them ends at once. One that can waits, since a
    # sandbox may count processes some times a second only.
    source = "import threading, time\nfor _ in range(60):\n"
    source += "    threading.Thread(target=time.sleep, args=(5,), daemon=True).start()\n"
    source += "time.sleep(2)"
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
    wanted = "UnsupportedError, or a failure with " + (
        f"the limit {limit!r} or None" if limit else "no limit"
    )
    expect(not completed.ok, f"it ran to its end: {describe(completed)}", wanted)
    expect(completed.limit in (limit, None), describe(completed), wanted)


async def _fresh_directory(sandbox: Sandbox) -> None:
    """Check that a run does not see the files of an earlier one."""
    source = "import os; print(sorted(os.listdir('.'))); open('left', 'w').close()"
    first = await sandbox.run(python_program(source))
    second = await sandbox.run(python_program(source))
    expect(
        first.stdout == second.stdout == b"['main.py']\n",
        f"the first saw {first.stdout!r}, the second saw {second.stdout!r}",
        "['main.py'] both times",
    )


async def _concurrent_runs(sandbox: Sandbox) -> None:
    """Check that concurrent runs do not see each other's files, input or output."""
    source = "import os, sys, time; word = sys.stdin.read(); open(word, 'w').close()\n"
    source += "time.sleep(0.3); print(word, sorted(os.listdir('.')))"
    words = [f"w{number}".encode() for number in range(4)]
    results = await _run_at_once(sandbox, [python_program(source, stdin=word) for word in words])
    for number, completed in enumerate(results):
        expected = f"w{number} ['main.py', 'w{number}']\n".encode()
        expect(completed.stdout == expected, f"run {number}: {describe(completed)}", repr(expected))


async def _orphans(sandbox: Sandbox) -> None:
    """Check that an orphaned process with the output open does not delay the end of the run."""
    source = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n"
    program = python_program(source + "print('done')", limits=ResourceLimits(seconds=20))
    completed = await sandbox.run(program)
    expect(
        completed.ok and completed.stdout == b"done\n",
        describe(completed),
        "exit code 0 and 'done\\n'",
    )
    longest = program.limits.seconds / 2
    expect(
        completed.duration < longest,
        f"it took {completed.duration:.1f} s",
        f"less than {longest:g} s: the orphan is not waited for",
    )


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
    expect(took < promptly, f"cancelled, it ended {took:.1f} s later", f"less than {promptly:g} s")
    remaining = _children() - before
    expect(
        not remaining,
        f"cancelled, it left the processes {sorted(remaining)}",
        "no process that was not there before",
    )
    completed = await sandbox.run(python_program("print('next')"))
    expect(completed.stdout == b"next\n", f"the run after it: {describe(completed)}", "'next\\n'")


def _children() -> set[int]:
    """Return the ids of this process's children; empty on systems without /proc."""
    threads = Path(f"/proc/{os.getpid()}/task")
    files = threads.glob("*/children") if threads.exists() else ()
    return {int(pid) for file in files for pid in file.read_text().split()}


LIMITS: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
    "counts the time of all processes": _process_time,
    "stops at the output limit": _output_limit,
    "stops at the memory limit": _memory_limit,
    "stops at the process limit": _process_limit,
    "stops at the file size limit": _file_size_limit,
    "starts each run in a fresh directory": _fresh_directory,
    "isolates concurrent runs": _concurrent_runs,
    "does not wait for orphans": _orphans,
}

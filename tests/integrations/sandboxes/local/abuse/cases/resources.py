"""More than a program's share of what goes by: processes, output, time."""

from pathlib import Path

from tests.integrations.sandboxes.local.abuse.case import Case, Play, most
from tests.integrations.sandboxes.local.abuse.stage import Leak, Stage

__all__ = ["CASES", "MORE"]

_PROCESSES = 24
_PRINTED = 100_000

FORK_BOMB = """
import os, time
from probe import *
alive = 1
for _ in range(80):
    try:
        pid = os.fork()
    except OSError as refused:
        show(refused=repr(refused))
        break
    if pid == 0:
        name_me()
        os.closerange(0, 3)
        time.sleep(60)
        os._exit(0)
    alive += 1
time.sleep(0.5)
show(alive=alive)
"""

THREADS = """
import threading, time
from probe import *
alive = 1
for _ in range(80):
    try:
        threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
    except RuntimeError as refused:
        show(refused=repr(refused))
        break
    alive += 1
time.sleep(0.5)
show(alive=alive)
"""


FLOOD = """
import os, sys
from probe import *
show(began=True)
chunk = b"x" * (1 << 20)
for _ in range(200):
    os.write(1, chunk)
"""

SPIN = """
import os, signal, time
from probe import *
name_me()
show(began=True)
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    {how}
"""

HOLD_OUTPUT = """
import os, time
from probe import *
show(began=True)
if os.fork() == 0:
    try:
        os.setsid()
    except OSError:
        pass
    name_me()
    if os.fork():
        os._exit(0)
    time.sleep(600)
if HOST["close"]:
    os.close(1)
    os.close(2)
os._exit(0)
"""


def _usable(stage: Stage) -> None:
    assert stage.run("print(1)").stdout == b"1\n"


def _processes(source: str) -> Play:
    def play(stage: Stage) -> Leak:
        ended = stage.run(source, limits={"processes": _PROCESSES})
        _usable(stage)
        alive = most(ended, "alive")
        return f"{alive} of {_PROCESSES} lived at once" if alive > _PROCESSES else None

    return play


def _flood(stage: Stage) -> Leak:
    before = _peak(stage.driver.pid)
    ended = stage.run(FLOOD, limits={"output_bytes": _PRINTED})
    grown = _peak(stage.driver.pid) - before
    if ended.stdout_length > _PRINTED or grown > 50:
        return f"{ended.stdout_length} bytes came out, and the host process grew by {grown} MiB"
    assert ended.limit == "output_bytes"
    return None


def _peak(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) >> 10


def _spin(how: str) -> Play:
    def play(stage: Stage) -> Leak:
        ended = stage.run(SPIN.replace("{how}", how), limits={"seconds": 0.5}, patience=1.5)
        assert ended.facts, ended.stderr
        if not stage.sandboxed:
            return "it ran until it was given up" if ended.hung else None
        assert ended.limit == "seconds"
        late = ended.duration > 0.5 + 5  # a loaded machine is late too
        return stage.survivors() or (f"killed after {ended.duration} s" if late else None)

    return play


def _held_open(stage: Stage) -> Leak:
    for close in (False, True):
        ended = stage.run(HOLD_OUTPUT, facts={"close": close}, patience=2)
        assert ended.facts, ended.stderr
        if ended.hung or ended.seconds > 10:
            return "an orphan that holds its output held up the host"
        leak = stage.survivors()
        if leak:
            return leak
    return None


CASES = (
    Case(number=60, title="a fork bomb", promise="processes", play=_processes(FORK_BOMB)),
    Case(number=66, title="output without end", promise="output", play=_flood),
    Case(number=67, title="a loop without end", promise="cpu", play=_spin("pass")),
    Case(number=68, title="output that stays open", promise="cleanup", play=_held_open),
)
"""60 and 66 to 68 of the list."""

MORE = (
    Case(number=160, title="a bomb of threads", promise="processes", play=_processes(THREADS)),
    Case(number=167, title="a sleep without end", promise="cpu", play=_spin("time.sleep(60)")),
)
"""What goes beyond the list."""

"""One program as a child of its supervisor, and the frames that report its end."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

import pytest
from tests.guest.linux.children import in_child

from planish.guest.supervisor import run, watch
from planish.guest.supervisor.clock import Clock
from planish.guest.supervisor.frames import Answer
from planish.guest.supervisor.run import Descendants, run_program
from planish.guest.supervisor.system import become_subreaper
from planish.guest.supervisor.watch import Watch
from planish_integrations.sandboxes.host import Frames

REQUEST: dict[str, Any] = {
    "files": [],
    "collect": [],
    "outputs": None,
    "stdin": b"in",
    "results": False,
    "seconds": 30.0,
    "longest": 30.0,
    "memory": 1 << 40,
    "file_bytes": 1 << 20,
    "output_bytes": 10,
    "processes": 100,
    "disk": 1 << 30,
    "inodes": 100,
    "env": {},
    "elsewhere": 0,
}
# Two processes with two threads each, one of them in a session of its own.
FAMILY = """
import os, threading
if os.fork() == 0: os.setsid()
threading.Thread(target=threading.Event().wait, daemon=True).start()
held = bytearray(os.urandom(1)) * 40_000_000
print(1, flush=True)
threading.Event().wait()
"""


def ran(place: Path, source: str, **asked: Any) -> dict[str, list[str]]:
    """The frames that report a program, by kind."""

    def act() -> object:
        os.chdir(place)
        answer = Answer(None)
        become_subreaper()
        request = {**REQUEST, "argv": [sys.executable, "-S", "-c", source], **asked}
        run_program(cast("Any", request), answer)
        heard = Frames()
        heard.feed(bytes(answer.data))
        return {kind: [one.decode() for one in heard[kind.encode()]] for kind in "12E=?D"}

    found: dict[str, list[str]] = in_child(act)
    return found


def until_it_is_over(_: Watch) -> None:
    """Look at nothing before the program has ended."""
    time.sleep(0.5)


def ended(found: dict[str, list[str]]) -> list[str]:
    """Exit status and limit."""
    return found["E"][0].split()[:2]


@pytest.mark.parametrize(("count", "limit"), [(10, "-"), (11, "output_bytes")])
@pytest.mark.parametrize(("stream", "kind"), [("stdout", "1"), ("stderr", "2")])
@pytest.mark.parametrize("late", [False, True])
def test_output_is_limited_also_if_it_is_read_after_the_end_only(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stream: str,
    kind: str,
    count: int,
    limit: str,
    *,
    late: bool,
) -> None:
    if late:
        monkeypatch.setattr(Watch, "wait", until_it_is_over)
    found = ran(tmp_path, f"import sys, time\nsys.{stream}.write('x' * {count})")
    assert ("".join(found[kind]), ended(found)[1]) == ("x" * 10, limit)


def test_too_much_output_is_the_reason_whatever_else_was_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def passed(self: Watch) -> None:
        time.sleep(0.5)
        self.limit = "seconds"

    monkeypatch.setattr(Watch, "wait", passed)
    assert ended(ran(tmp_path, "print('x' * 100)"))[1] == "output_bytes"
    assert ended(ran(tmp_path, "print('x')"))[1] == "seconds"


def test_how_it_ended_is_reported(tmp_path: Path) -> None:
    found = ran(tmp_path, "import os\nprint(os.read(0, 9))\nos.kill(os.getpid(), 15)")
    assert (ended(found), found["="], found["D"]) == (["-15", "-"], [], [""])
    seconds, cpu = map(float, found["E"][0].split()[2:])
    assert 0 < seconds < 30
    assert cpu > 0


def test_what_it_prints_is_sent_before_its_end_is_known(tmp_path: Path) -> None:
    def act() -> object:
        os.chdir(tmp_path)
        become_subreaper()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = {**REQUEST, "argv": [sys.executable, "-S", "-c", "print('x')"]}
        with ours:
            with theirs:
                run_program(cast("Any", request), Answer(theirs.fileno()))
            return [sent[:1].decode() for sent in iter(lambda: ours.recv(4096), b"")]

    assert in_child(act) == ["1", "E", "D"]


def test_it_leads_a_session_of_its_own_with_the_usual_signals(tmp_path: Path) -> None:
    source = (
        "import os, signal\nprint(os.getsid(0) == os.getpid() == os.getpgrp(),"
        "{*map(signal.getsignal, signal.valid_signals() - {2, 9, 13, 19, 25})})"
    )
    found = ran(tmp_path, source, output_bytes=100)
    assert found["1"] == ["True {<Handlers.SIG_DFL: 0>}\n"]


def test_results_come_back_up_to_the_size_of_a_file(tmp_path: Path) -> None:
    source = "import os\nos.write(int(os.environ['PLANISH_RESULTS_FD']), b'y' * 20)"
    assert ran(tmp_path, source, results=True)["="] == ["y" * 20]
    assert ran(tmp_path, "pass", results=True)["="] == [""]


@pytest.mark.parametrize(("command", "why"), [("no-such", "No such file"), ("/", "Permission")])
def test_a_command_that_is_not_there_is_missing(tmp_path: Path, command: str, why: str) -> None:
    found = ran(tmp_path, "", argv=[command])
    assert (found["E"], found["D"]) == ([], [])
    [said] = found["?"]
    assert said.startswith(f"{command}: {why}")


def family() -> object:
    """Start the family below this process, compare it with limits, and end it."""
    become_subreaper()
    child = subprocess.Popen([sys.executable, "-S", "-c", FAMILY], stdout=subprocess.PIPE)
    assert child.stdout is not None
    for _ in range(2):
        child.stdout.readline()
    request = cast("Any", {**REQUEST, "processes": 4})
    below = Descendants(child.pid, request)

    def limit(seconds: float = 60.0, longest: float = 60.0, memory: int = 1 << 40) -> str | None:
        clock = Clock(seconds, [], None, longest)
        looked = Watch(below, clock, memory, stops=())
        return looked._exceeded_limit(below.list_processes())  # pyright: ignore[reportPrivateUsage]

    found: list[object] = [below.has_ended(), below.status, limit()]
    found += [limit(memory=size << 20) for size in (70, 400)]
    found += [limit(longest=0.0), limit(seconds=0.0)]
    request["processes"] = 3
    found.append(limit(seconds=0.0))
    below.end()
    found += [below.status, below.has_ended()]
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        found.append("none is left")
    return found


def test_all_of_a_program_is_measured_and_killed() -> None:
    assert in_child(family) == [
        *(False, None, None),
        *("memory_mb", None),
        *("seconds", "seconds"),
        "processes",
        *(-9, True, "none is left"),
    ]


def test_a_sign_of_life_is_given_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_BEAT", 0.05)

    def act() -> object:
        os.chdir(tmp_path)
        become_subreaper()
        signs: list[int] = []
        source = "import time; time.sleep(0.5)"
        request = {**REQUEST, "argv": [sys.executable, "-S", "-c", source]}
        run.run_program(cast("Any", request), Answer(None), heartbeat=lambda: signs.append(1))
        return 3 <= len(signs) <= 10

    assert in_child(act)

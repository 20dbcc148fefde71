"""Supervise a program as process 1 of a container.

As process 1 it cannot be killed from inside, and what it starts cannot read its memory. It reads
the request from its standard input, and watches that for the end of the host; it writes frames to
its standard output.
"""
# ruff: noqa: PTH208  # pathlib costs milliseconds at each start; the folder is its own

import json
import os

from .facts import count, facts
from .files import lay_out
from .frames import FACTS, FAILED, Answer, receive
from .run import Descendants, run_program
from .system import ignore_signals, kill_all, not_dumpable, reset_signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .request import Launch

__all__ = ["main"]

_ROOT = "/planish"  # the one file system that can be written, of a limited size
_OWN_FILES = 3  # folders of ours in it
_OUT_OF_MEMORY = ("memory.events", "memory/memory.oom_control")
_KILLED = -9  # SIGKILL
_TOO_MANY = ("pids.events", "pids/pids.events")


class Container(Descendants):
    """All processes of the container but this one; the kernel limits memory and number."""

    def list_processes(self) -> "list[int]":
        """List every process of the program."""
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]

    def kill_found(self) -> "set[int]":
        """Kill all processes at one stroke; return those that were there."""
        found = set(self.list_processes())
        kill_all()
        return found

    def exceeded_limit(self) -> "str | None":
        """Return the limit on files if it is passed."""
        place = os.statvfs(_ROOT)
        used = place.f_files - place.f_ffree
        return "files" if used > self.request["inodes"] + _OWN_FILES else None

    def cause_of_failure(self) -> "str | None":
        """Return the limit that the kernel has counted as passed."""
        if self.status == _KILLED and count("oom_kill", *_OUT_OF_MEMORY):
            return "memory_mb"
        return "processes" if count("max", *_TOO_MANY) else None


def main() -> None:
    """Run the program that the host asks for, and end."""
    not_dumpable()
    reset_signals()
    ignore_signals()
    answer = Answer(os.dup(1))
    request: Launch | None = receive(0)
    if request is None:
        os._exit(1)
    answer.add(FACTS, json.dumps(facts(_ROOT)).encode())
    answer.send()
    try:
        for folder in ("work", "tmp"):
            os.mkdir(f"{_ROOT}/{folder}")  # noqa: PTH102
        os.chdir(f"{_ROOT}/work")
        lay_out(request["files"], request["outputs"])
    except OSError as error:
        answer.add(FAILED, f"{type(error).__name__}: {error}".encode(errors="replace"))
        answer.send()
        os._exit(1)
    # What fails from here on, a program can have caused: it gets no answer, but a traceback.
    os._exit(0 if run_program(request, answer, Container, stops=(0,)) else 1)

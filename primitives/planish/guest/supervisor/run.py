"""Run one program from its start to the last frame of the report on it."""

import os
import sys
import time

from .clock import Clock
from .collection import send_back
from .descriptors import input_file, read_back, results_file
from .frames import DONE, ENDED, MISSING, RESULTS, STDERR, STDOUT, Answer
from .memory import unlinked_files
from .processes import Family
from .program import start_program
from .removal import exceeded_size
from .system import pidfd
from .watch import Stream, Watch, report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from .request import Launch

__all__ = ["Descendants", "run_program", "supervise"]

_OWN_FOLDERS = 3  # in a run's directory: work, home, tmp


class Descendants(Family):
    """All descendants of this process; their number and their files are limited here.

    Args:
        main_pid: The program's first process.
        request: The program.
        root: The run's directory, with three folders of ours; None: its files are not counted.
    """

    def __init__(self, main_pid: int, request: "Launch", root: "str | None" = None) -> None:
        super().__init__(main_pid)
        self.request = request
        self._root = root if sys.platform == "linux" else None  # elsewhere nothing shows all
        self._pids: list[int] = []

    def has_ended(self) -> bool:
        """Reap what has exited; return whether the program's first process has."""
        self.reap()
        return self.status is not None

    def list_processes(self) -> "list[int]":
        """List every process of the program; kill them all if they are too many."""
        self._pids = self.list_up_to(self.request["processes"])
        return self._pids

    def exceeded_limit(self) -> "str | None":
        """Return the limit on processes, files or disk that they have passed, if one is."""
        if self.alive > self.request["processes"]:
            return "processes"
        if self._root is None:
            return None
        try:
            device = os.stat(self._root).st_dev  # noqa: PTH116  # pathlib costs milliseconds
            unlinked = sum(unlinked_files(self._pids, device)[0].values())
            return exceeded_size(self._root, _OWN_FOLDERS, unlinked, self.request)
        except OSError:  # the program has removed the directory: what it writes is elsewhere
            return None

    def cause_of_failure(self) -> "str | None":
        """Return the limit that a program which failed has run into, as far as it shows."""
        return None


def supervise(
    family: Descendants,
    answer: Answer,
    *,
    stops: "Collection[int]",
    streams: "Sequence[Stream]" = (),
    heartbeat: "Callable[[], object] | None" = None,
    started: "float | None" = None,
) -> Watch:
    """Watch a program to its end, kill what is left of it, and add its end to the answer.

    Args:
        family: Its processes.
        answer: Where its end is reported.
        stops: Descriptors that are readable once it is to be ended.
        streams: What it prints.
        heartbeat: Called every two seconds.
        started: When it was started, in seconds of `time.monotonic`; None: now.

    Raises:
        TimeoutError: some of its processes survive being killed.
    """
    request = family.request
    begun = time.monotonic() if started is None else started
    clock = Clock(request["seconds"], [family.main_pid], None, request["longest"])
    watch = Watch(
        family,
        clock,
        request["memory"],
        stops=stops,
        main=pidfd(family.main_pid),
        streams=streams,
        heartbeat=heartbeat,
    )
    watch.wait()
    seconds = time.monotonic() - begun
    family.end()
    watch.drain()
    status = family.status or 0  # it is known: nothing is left to be waited for
    limit = watch.limit
    if limit is None and status != 0:
        limit = family.cause_of_failure()
    answer.add(ENDED, report(status, limit, seconds, clock.end()))
    answer.send()
    return watch


def run_program(
    request: "Launch",
    answer: Answer,
    family_type: "type[Descendants]" = Descendants,
    *,
    stops: "Collection[int]" = (),
    heartbeat: "Callable[[], object] | None" = None,
    started: "Callable[[int], object] | None" = None,
    root: "str | None" = None,
) -> bool:
    """Start a program in a process of its own, and report all that comes of it.

    Its files have been laid out in the working directory.

    Args:
        request: The program.
        answer: Where it is reported.
        family_type: Which processes are its, and what limits them.
        stops: Descriptors that are readable once it is to be ended.
        heartbeat: Called every two seconds.
        started: Called with its process id.
        root: The run's directory, as `Descendants` takes it.

    Returns:
        False when it was ended because of `stops`: then no more than its end is reported.

    Raises:
        TimeoutError: some of its processes survive being killed.
    """
    stdin = input_file(request["stdin"] or b"", ".")
    results = results_file() if request["results"] else None
    out, err = os.pipe(), os.pipe()
    begun = time.monotonic()  # before it: it may run while this process waits for a processor
    try:
        pid = start_program(request, (stdin, out[1], err[1]), results and results[0])
    except OSError as error:
        answer.add(MISSING, f"{request['argv'][0]}: {error.strerror}".encode())
        answer.send()
        return True
    if started is not None:
        started(pid)
    for descriptor in (stdin, out[1], err[1]):
        os.close(descriptor)
    family = family_type(pid, request, root)

    def relay(kind: bytes) -> "Callable[[bytes], None]":
        def take(data: bytes) -> None:
            answer.add(kind, data)
            answer.send()

        return take

    most = request["output_bytes"]
    streams = (Stream(out[0], most, relay(STDOUT)), Stream(err[0], most, relay(STDERR)))
    try:
        watch = supervise(
            family, answer, stops=stops, streams=streams, heartbeat=heartbeat, started=begun
        )
    finally:
        # Whatever went wrong, also a mistake in here: the program does not outlive this.
        family.end()
    if watch.stopped is not None:
        return False
    if results is not None:
        answer.add(RESULTS, read_back(results[1], request["file_bytes"]))
    send_back(answer.add, request)
    answer.add(DONE)
    answer.send()
    return True

"""Hold one sandbox ready, watch the program in it, and report its end.

The supervisor serves one run after another, as long as each leaves the sandbox as it was. The
program cannot signal it: it is outside of the run's pid namespace, or out of reach for Landlock
and the filter. Limits hold however busy the host is, and the program ends with the supervisor.
"""
# ruff: noqa: PTH101, PTH112, PTH116  # pathlib costs milliseconds at each start

import _socket
import array
import os
import select
from contextlib import closing, suppress

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters
from ..supervisor import frames  # noqa: TID252
from ..supervisor.clock import Clock  # noqa: TID252
from ..supervisor.collection import send_back  # noqa: TID252
from ..supervisor.files import lay_out  # noqa: TID252
from ..supervisor.watch import Watch, full, report  # noqa: TID252
from ._handover import Handover
from ._init import Ended, Init, serve_runs
from ._messages import AGAIN, WAITS
from ._preloaded import has_verifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._requests import Request
    from ._tier import Tier

__all__ = ["become_supervisor"]

_MESSAGE = 4096  # bytes: what a program's process says when it could not start
_MOST_RUNS = 1000  # that one supervisor serves: if something in it grows, it is not for long
_INPUTS = "inputs"


def become_supervisor(tier: "Tier", place: str | None, control: int, alive: int, null: int) -> int:
    """Be the supervisor, and never return; except in the process of a program.

    Args:
        tier: What isolates the run.
        place: What the tier has prepared for it.
        control: The socket to the host.
        alive: Readable once the template process has ended.
        null: /dev/null.

    Returns:
        In the program's process: the descriptor on which the program will arrive.
    """
    answer = frames.Answer(control)
    init: Init | None = None
    try:
        calls.close_all_but((control, alive, null))
        for stream in range(3):
            os.dup2(null, stream)
        os.close(null)
        tier.make_places(place)
        ours, theirs = (
            end.detach() for end in _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        )
        pid = tier.fork_init()
        if pid == 0:
            return serve_runs(tier, theirs)
        os.close(theirs)
        calls.set_dumpable(False)
        init = Init(pid, ours)
        _serve(tier, place, init, answer, (control, alive))
    except ConnectionError:  # from the first process, or the host: then nothing is read any more
        _report(answer, frames.LOST, b"the run's first process")
    except BaseException as error:  # noqa: BLE001  # nothing is above: tell the host, then end
        text = str(error) if type(error) is RuntimeError else f"{type(error).__name__}: {error}"
        _report(answer, frames.FAILED, text.encode(errors="replace"))
    if init is not None:
        init.close()
    tier.remove_files(place)
    with suppress(OSError):  # the host is gone
        answer.send()
    os._exit(0)


def _serve(
    tier: "Tier", place: str | None, init: Init, answer: frames.Answer, ends: tuple[int, int]
) -> None:
    """Serve runs until the host or the template process is gone, or a run has left something."""
    for _ in range(_MOST_RUNS):
        os.chdir(tier.work)
        run = _Run(tier, init, answer, ends)
        try:
            complete = run.serve()
        finally:
            # Whatever went wrong, also a mistake in here: the program does not outlive this.
            run.end()
        tier.remove_files(place)
        again = complete and run.limit is None and tier.is_unused()
        if complete:
            answer.add(frames.DONE, b"again" if again else b"")
        answer.send()
        if not (again and _is_wanted(*ends)):
            return
        try:
            tier.make_empty(place)
        except OSError:  # something is in use, or there is no room: the host has another made
            return


class _Run:
    """One program, from the fork of its process on.

    Args:
        tier: What isolates it.
        init: The run's first process.
        answer: Where the host receives the outcome.
        ends: The socket to the host, and what is readable once the template process has ended.

    Attributes:
        limit: The limit that it passed, once it has ended; None for none.
    """

    def __init__(
        self, tier: "Tier", init: Init, answer: frames.Answer, ends: tuple[int, int]
    ) -> None:
        self._tier = tier
        self._init = init
        self._answer = answer
        self._control, self._alive = ends
        self._ended: Ended | None = None
        self._request: Request
        self.limit: str | None = None
        self._start()

    def _start(self) -> None:
        """Have the program's process forked, and tell the host of it."""
        stdin, feed = os.pipe()
        out, stdout = os.pipe()
        err, stderr = os.pipe()
        self._started = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._go, theirs = (end.detach() for end in _socket.socketpair())
        rules = self._tier.rules()
        self._main = self._init.start((stdin, stdout, stderr), theirs, rules)
        host = _socket.socket(fileno=self._control)
        rights = array.array("i", (feed, out, err, self._started))
        message = WAITS + bytes([has_verifier()])
        host.sendmsg([message], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
        host.detach()
        for descriptor in (stdin, feed, out, stdout, err, stderr, theirs, rules):
            os.close(descriptor)

    def serve(self) -> bool:
        """Take the program, and supervise it to its end; return whether the answer is complete."""
        found = _wait((self._control, self._alive, self._init.descriptor))
        request: Request | None = (
            frames.receive(self._control) if found == {self._control} else None
        )
        if request is None:
            self._raise_complaint()
            return False
        self._request = request
        start = request["program"]
        start["others"] = self._tier.count_others()
        with suppress(ConnectionError):  # it has ended: its complaint is read below
            frames.send_request(self._go, start)  # it gets ready while its files are laid out
        self._tier.resize(request)
        inputs = _lay_out(request, self._tier)
        with closing(Handover(request, self._tier)) as files:
            os.eventfd_write(self._started, 1)
            with suppress(ConnectionError):
                files.send(self._go)
            ended = self._watch()
            self._raise_complaint()
            if not ended:
                self._answer.add(frames.LOST, b"the template process")
                return False
            self._answer.add(frames.ENDED, ended)
            results = files.results(request["file_bytes"])
        if results is not None:
            self._answer.add(frames.RESULTS, results)
        if request["collect"] or request["outputs"] is not None:
            # Where the program may rename what is in its working directory, nothing is sent
            # from a folder in place of `inputs`.
            replaced = inputs is not None and _inode(_INPUTS) != inputs
            send_back(self._answer.add, request, _INPUTS if replaced else "")
        return True

    def _watch(self) -> bytes:
        """Wait for the program's end, or bring it about.

        Returns:
            The content of an ENDED frame; nothing when the template process has died meanwhile.

        Raises:
            RuntimeError: some of its processes survive being killed.
            ConnectionError: the run's first process is dead, and so are all others.
        """
        request = self._request
        clock = Clock(request["seconds"], [self._main], self._tier.init, request["longest"])
        watch = Watch(
            self,
            clock,
            request["memory"],
            stops=(self._control, self._alive),
            main=self._init.descriptor,
        )
        watch.wait()
        seconds = clock.wall
        if watch.stopped == self._alive:
            return b""
        ended = self._end()
        self.limit = watch.limit
        if ended.status != 0 and self.limit is None:
            self.limit = full(self._tier.work)
        return report(ended.status, self.limit, seconds, clock.end(ended.cpu))

    def has_ended(self) -> bool:
        """Return False: the descriptor of its process tells, and the first process reaps."""
        return False

    def list_processes(self) -> list[int]:
        """List every process of the program."""
        return self._tier.list_processes()

    def exceeded_limit(self) -> str | None:
        """Return the limit on processes, files or disk that is passed now, if one is."""
        return self._tier.exceeded_limit(self._request)

    def _end(self) -> Ended:
        if self._ended is None:
            self._ended = self._init.end()
        return self._ended

    def end(self) -> None:
        """Kill all processes, wait until none is left, and close what is open for the run.

        Raises:
            RuntimeError: some survive it.
            ConnectionError: the run's first process is dead, and so are all others.
        """
        self._end()
        for descriptor in (self._go, self._started):
            os.close(descriptor)

    def _raise_complaint(self) -> None:
        """Raise RuntimeError with what the program's process said of why it could not start."""
        os.set_blocking(self._go, False)
        try:
            complaint = os.read(self._go, _MESSAGE)
        except (BlockingIOError, ConnectionError):
            return
        if complaint:
            raise RuntimeError(complaint.decode(errors="replace"))


def _lay_out(request: "Request", tier: "Tier") -> "int | None":
    """Write the program's files; those in `inputs` cannot be written by it.

    Returns:
        The inode of `inputs`; None if there is no such folder.

    Raises:
        OSError: the system refuses.
    """
    made = lay_out(request["files"], request["outputs"])
    for path in made:
        if path == _INPUTS or path.startswith(f"{_INPUTS}/"):
            os.chmod(path, 0o555 if os.path.isdir(path) else 0o444)
        elif tier.owner is not None:
            os.chown(path, *tier.owner)
    if _INPUTS not in made or not os.path.isdir(_INPUTS):
        return None
    tier.make_read_only(_INPUTS)
    return os.stat(_INPUTS).st_ino


def _inode(path: str) -> "int | None":
    try:
        return os.lstat(path).st_ino
    except OSError:
        return None


def _wait(descriptors: tuple[int, ...]) -> set[int]:
    """Wait until one of some descriptors is readable; return those that are."""
    poller = select.poll()
    for descriptor in descriptors:
        poller.register(descriptor, select.POLLIN)
    return {number for number, _ in poller.poll()}


def _is_wanted(control: int, alive: int) -> bool:
    """Wait until the host gives the sandbox back (True), or closes its side."""
    return _wait((control, alive)) == {control} and os.read(control, 1) == AGAIN


def _report(answer: frames.Answer, kind: bytes, content: bytes) -> None:
    """Add a frame to the answer, if the host is there to take it."""
    with suppress(OSError):
        answer.add(kind, content)

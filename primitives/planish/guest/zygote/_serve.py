"""Fork workers for the host, and reap those that have ended."""

import _socket
import array
import os
import select

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters
from ._messages import CLAIMED, LOAD, SPARE
from ._preloaded import load_verifier
from ._supervisor import become_supervisor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from ._requests import Config, Request, Start

    class Tier(Protocol):
        """Isolates programs; each method says in which process it is called.

        Attributes:
            owner: Supervisor: user and group of a program's files; None: they are its own already.
            work, home, tmp: Supervisor: a run's own folders; programs start in the first.
            search: The PATH of programs.
            host: Template process: readable once the host has ended; None: it is killed then.
            init: Supervisor: the number of the run's first process, in the run's /proc.
            proc: Supervisor: its own folder in /proc, open, where the run's /proc does not show it.
            deadly_signals: First process: the signals of a program that would have an effect on it;
                None: all.
            environment: Program's process: variables that differ from the template process's.
        """

        owner: tuple[int, int] | None
        work: str
        home: str
        tmp: str
        search: str
        host: int | None
        init: int
        proc: int | None
        deadly_signals: tuple[int, ...] | None
        environment: dict[str, str]

        def make_directory(self) -> str | None:
            """Template process: make a worker's directory outside; None if it needs none."""
            ...

        def clone(self) -> tuple[int, int]:
            """Template process: fork the supervisor. As `calls.clone`."""
            ...

        def make_places(self, place: str | None) -> None:
            """Supervisor: make the run's own folders, empty."""
            ...

        def fork_init(self) -> int:
            """Supervisor: fork the run's first process; return its number, or 0 in it."""
            ...

        def become_init(self) -> None:
            """First process: become the one that reaps, and give up what no program may have."""
            ...

        def restart_numbers(self) -> None:
            """First process: give processes the numbers of a first run."""
            ...

        def rules(self) -> int:
            """Supervisor: make a Landlock ruleset for the next program; return its descriptor."""
            ...

        def fork_program(self) -> tuple[int, int]:
            """First process: fork the program's process. As `calls.clone`."""
            ...

        def confine(self, rules: int) -> None:
            """Program's process: give up all rights that need no knowledge of the program."""
            ...

        def limit(self, start: Start) -> None:
            """Program's process: set the limits of the program."""
            ...

        def resize(self, request: Request) -> None:
            """Supervisor: give the program's files the room that it may use."""
            ...

        def make_read_only(self, path: str) -> None:
            """Supervisor: keep the program from writing below a folder."""
            ...

        def count_others(self) -> int:
            """Supervisor: count the processes that the kernel's limit includes besides its own."""
            ...

        def list_processes(self) -> list[int]:
            """Supervisor: list every process of the program."""
            ...

        def kill_all(self, main_pid: int) -> None:
            """First process: kill every other process of the run."""
            ...

        def exceeded_limit(self, request: Request) -> str | None:
            """Supervisor: return the limit on files or processes that is exceeded; None if none."""
            ...

        def is_unused(self) -> bool:
            """Supervisor: return whether the program has left nothing but files."""
            ...

        def make_empty(self, place: str | None) -> None:
            """Supervisor: after `remove_files`, make the run's own folders again, empty."""
            ...

        def remove_files(self, place: str | None) -> None:
            """Supervisor, or the template process after it: remove the run's directory."""
            ...


__all__ = ["serve"]

_SOL_SOCKET, _SCM_RIGHTS = _socket.SOL_SOCKET, _socket.SCM_RIGHTS


def serve(control: "_socket.socket", config: "Config", tier: "Tier") -> int | None:
    """Make workers until the host ends.

    Returns:
        None; in a program's process, the descriptor on which the program arrives.
    """
    # Every supervisor has the reading end, which is readable once this process has ended.
    alive_fd, held_open = os.pipe()
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    supervisors: dict[int, str | None] = {}
    poller = select.poll()
    poller.register(control.fileno(), select.POLLIN)
    if tier.host is not None:
        poller.register(tier.host, select.POLLIN)
    wanted = config["spare"]
    while True:
        while wanted > 0:
            start_fd = _fork_worker(control, tier, supervisors, poller, (alive_fd, null))
            if start_fd is not None:
                return start_fd
            wanted -= 1
        for descriptor, _ in poller.poll():
            if descriptor in supervisors:
                poller.unregister(descriptor)
                calls.waitid_pidfd(descriptor)
                os.close(descriptor)
                tier.remove_files(supervisors.pop(descriptor))
                continue
            message = b"" if descriptor == tier.host else _receive(control)
            if message == CLAIMED:
                wanted += 1
            elif message != LOAD:
                os.close(held_open)
                _shutdown(tier, supervisors)
                return None


def _receive(control: "_socket.socket") -> bytes:
    """Return one message of the host, with LOAD carried out; b"" if the host has ended."""
    try:
        message, ancillary, _, _ = control.recvmsg(
            16, _socket.CMSG_SPACE(array.array("i").itemsize)
        )
    except OSError:
        return b""
    for _, _, data in ancillary:
        load_verifier(array.array("i", data)[0])
    return message


def _shutdown(tier: "Tier", supervisors: "dict[int, str | None]") -> None:
    """Wait for the supervisors, which end when the host has ended."""
    for descriptor, place in supervisors.items():
        calls.waitid_pidfd(descriptor)
        tier.remove_files(place)


def _fork_worker(
    control: "_socket.socket",
    tier: "Tier",
    supervisors: "dict[int, str | None]",
    poller: select.poll,
    shared: tuple[int, int],
) -> int | None:
    """Fork one worker and send it to the host; in a program's process, return as `serve`."""
    # Numbers, not objects: a fork closes them at once, and an object would later close whatever
    # has its number by then.
    theirs, ours = (end.detach() for end in _socket.socketpair())
    place = tier.make_directory()
    pid, pidfd = tier.clone()
    if pid == 0:
        return become_supervisor(tier, place, ours, *shared)
    supervisors[pidfd] = place
    poller.register(pidfd, select.POLLIN)
    handed = array.array("i", (theirs,))
    control.sendmsg([SPARE], [(_SOL_SOCKET, _SCM_RIGHTS, handed)])
    os.close(theirs)
    os.close(ours)
    return None

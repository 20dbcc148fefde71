"""Keeping sandboxes ready, one ahead of each claim, and burying those that have ended."""

import _socket
import array
import os
import select

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters
from ._messages import CLAIMED, LOAD, SPARE
from ._supervisor import become_supervisor
from ._verifier import load_verifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from ._requests import Config, Request, Start

    class Tier(Protocol):
        """What stands around a program.

        Attributes:
            owner: In the warden: whose a program's files are to be; None: they are already.
            work, home, tmp: In the warden: a run's own folders; programs start in the first.
            search: Their PATH.
            host: In the zygote: what ends when the host does, if nobody else looks for it.
            init: In the warden: the number of the run's first process, in the run's /proc.
            proc: In the warden: its own folder in /proc, where the run's does not show it.
            heard: In the run's first process: the signals of a program that would arrive; None:
                all of them.
            environment: In a program's process: variables that are other than in the zygote.
        """

        owner: tuple[int, int] | None
        work: str
        home: str
        tmp: str
        search: str
        host: int | None
        init: int
        proc: int | None
        heard: tuple[int, ...] | None
        environment: dict[str, str]

        def prepare(self) -> str | None:
            """In the zygote: what a sandbox needs of the outside; a directory or nothing."""
            ...

        def clone(self) -> tuple[int, int]:
            """Fork; the child is to be the warden. As `calls.clone`."""
            ...

        def enclose(self, place: str | None) -> None:
            """In the warden: the sandbox's own places, empty."""
            ...

        def fork_init(self) -> int:
            """In the warden: fork; the child (0) is to be the run's first process."""
            ...

        def settle(self) -> None:
            """In the run's first process: become the one that reaps."""
            ...

        def restart_numbers(self) -> None:
            """In the run's first process: give processes the numbers of a first run."""
            ...

        def rules(self) -> int:
            """In the warden: a new Landlock ruleset for the next program."""
            ...

        def fork_program(self) -> tuple[int, int]:
            """In the run's first process: fork. As `calls.clone`."""
            ...

        def confine(self, rules: int) -> None:
            """In the program's process: give up all rights that need no knowledge of it."""
            ...

        def limit(self, start: Start) -> None:
            """In the program's process, once the program is known: set its limits."""
            ...

        def resize(self, request: Request) -> None:
            """In the warden, once the program is known: room for its files."""
            ...

        def seal(self, path: str) -> None:
            """In the warden: keep the program from writing below a folder."""
            ...

        def others(self) -> int:
            """In the warden: how many processes the limit counts that are not the program's."""
            ...

        def census(self) -> list[int]:
            """In the warden: every process of the program."""
            ...

        def kill_all(self, leader: int) -> None:
            """In the run's first process: kill every other process of the run."""
            ...

        def overfull(self, request: Request) -> str | None:
            """In the warden: the limit on files or processes that is passed now, if one is."""
            ...

        def is_unused(self) -> bool:
            """In the warden, after a run: nothing is left of it but files."""
            ...

        def renew(self, place: str | None) -> None:
            """In the warden, after `bury`: the sandbox's own places, empty."""
            ...

        def bury(self, place: str | None) -> None:
            """In the warden after a run, in the zygote after the warden: remove its files."""
            ...


__all__ = ["serve"]

_SOL_SOCKET, _SCM_RIGHTS = _socket.SOL_SOCKET, _socket.SCM_RIGHTS


def serve(control: "_socket.socket", config: "Config", tier: "Tier") -> int | None:
    """Until the host goes (None); or, in the process of a program, until it is to wait for it.

    Returns:
        In a program's process, the descriptor on which the program will arrive.
    """
    # Every warden holds the reading end. When this process dies, however it dies, they know.
    life, beat = os.pipe()
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    wardens: dict[int, str | None] = {}
    poller = select.poll()
    poller.register(control.fileno(), select.POLLIN)
    if tier.host is not None:
        poller.register(tier.host, select.POLLIN)
    wanted = config["spare"]
    while True:
        while wanted > 0:
            go = _spare(control, tier, wardens, poller, (life, null))
            if go is not None:
                return go
            wanted -= 1
        for descriptor, _ in poller.poll():
            if descriptor in wardens:
                poller.unregister(descriptor)
                calls.waitid_pidfd(descriptor)
                os.close(descriptor)
                tier.bury(wardens.pop(descriptor))
                continue
            said = b"" if descriptor == tier.host else _heard(control)
            if said == CLAIMED:
                wanted += 1
            elif said != LOAD:
                os.close(beat)
                _last_rites(tier, wardens)
                return None


def _heard(control: "_socket.socket") -> bytes:
    """Take one message of the host's: CLAIMED, or LOAD, which is done; b"" when it has gone."""
    try:
        said, ancillary, _, _ = control.recvmsg(16, _socket.CMSG_SPACE(array.array("i").itemsize))
    except OSError:
        return b""
    for _, _, data in ancillary:
        load_verifier(array.array("i", data)[0])
    return said


def _last_rites(tier: "Tier", wardens: "dict[int, str | None]") -> None:
    """The host is gone, so the wardens end by themselves; wait for them."""
    for descriptor, place in wardens.items():
        calls.waitid_pidfd(descriptor)
        tier.bury(place)


def _spare(
    control: "_socket.socket",
    tier: "Tier",
    wardens: "dict[int, str | None]",
    poller: select.poll,
    shared: tuple[int, int],
) -> int | None:
    """Fork one sandbox and hand it to the host. In the program's process: where it waits."""
    # Numbers, not objects: a fork closes them first thing, and an object would close whatever
    # has its number by the time it dies.
    theirs, ours = (end.detach() for end in _socket.socketpair())
    place = tier.prepare()
    pid, pidfd = tier.clone()
    if pid == 0:
        return become_supervisor(tier, place, ours, *shared)
    wardens[pidfd] = place
    poller.register(pidfd, select.POLLIN)
    handed = array.array("i", (theirs,))
    control.sendmsg([SPARE], [(_SOL_SOCKET, _SCM_RIGHTS, handed)])
    os.close(theirs)
    os.close(ours)
    return None

"""Fork workers for the host, and reap those that have ended."""

import _socket
import array
import os
import select
from contextlib import suppress

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters
from ._messages import CLAIMED, LOAD, REFUSED, SPARE
from ._preloaded import load_verifier
from ._supervisor import become_supervisor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._requests import Config
    from ._tier import Tier

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
            wanted -= 1
            try:
                start_fd = _fork_worker(control, tier, supervisors, poller, (alive_fd, null))
            except OSError as error:  # the programs that run do not end for it
                _send_refusal(control, error)
                continue
            if start_fd is not None:
                return start_fd
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
    """Fork one worker and send it to the host; in a program's process, return as `serve`.

    Raises:
        OSError: the system refuses; nothing is left of it.
    """
    # Numbers, not objects: a fork closes them at once, and an object would later close whatever
    # has its number by then.
    theirs, ours = (end.detach() for end in _socket.socketpair())
    place = None
    try:
        place = tier.make_directory()
        pid, pidfd = tier.clone()
    except OSError:
        tier.remove_files(place)
        os.close(theirs)
        os.close(ours)
        raise
    if pid == 0:
        return become_supervisor(tier, place, ours, *shared)
    supervisors[pidfd] = place
    poller.register(pidfd, select.POLLIN)
    handed = array.array("i", (theirs,))
    try:
        control.sendmsg([SPARE], [(_SOL_SOCKET, _SCM_RIGHTS, handed)])
    finally:  # if it was not sent, the worker ends
        os.close(theirs)
        os.close(ours)
    return None


def _send_refusal(control: "_socket.socket", error: OSError) -> None:
    """Tell the host why there is no worker; if it has ended, the next message says that."""
    with suppress(OSError):
        control.send(REFUSED + f"{type(error).__name__}: {error}".encode(errors="replace"))

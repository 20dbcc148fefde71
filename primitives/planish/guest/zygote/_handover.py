"""Hand a program's process the open files that it starts with, with the message GO."""

import _socket
import array
import os

from ..supervisor.descriptors import RESULTS, input_file, read_back, results_file  # noqa: TID252  # beside us, in both interpreters
from ._messages import GO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._requests import Request, Start
    from ._tier import Tier

__all__ = ["Handover", "receive_files"]

_MOST = 2  # descriptors that travel with GO


class Handover:
    """In the supervisor: the files of one program, opened before it starts.

    Args:
        request: What the program reads on standard input, and whether it reports results.
        tier: In whose folder for temporary files the one for results is made.
    """

    def __init__(self, request: "Request", tier: "Tier") -> None:
        self._theirs: list[int] = []
        self._results: int | None = None
        if request["stdin"] is not None:
            self._theirs.append(input_file(request["stdin"], tier.tmp, tier.proc))
            request["stdin"] = None  # it need not lie in memory twice
        if request["results"]:
            theirs, self._results = results_file(tier.tmp)
            self._theirs.append(theirs)

    def close(self) -> None:
        """Close what is open here: an open file keeps the run's file system in use."""
        for descriptor in (*self._theirs, *([] if self._results is None else [self._results])):
            os.close(descriptor)

    def send(self, start: int) -> None:
        """Let the program begin, and give it its files.

        Raises:
            OSError: its process has ended.
        """
        sock = _socket.socket(fileno=start)
        try:
            rights = array.array("i", self._theirs)
            sock.sendmsg([GO], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
        finally:
            sock.detach()
            for descriptor in self._theirs:
                os.close(descriptor)
            self._theirs.clear()

    def results(self, most: int) -> bytes | None:
        """Return what the program has reported; None where it was not to report."""
        return None if self._results is None else read_back(self._results, most)


def receive_files(sock: "_socket.socket", start: "Start") -> bool:
    """In the program's process: wait for GO, and take the files that come with it.

    Returns:
        False when the program is not to begin.
    """
    message, ancillary, _, _ = sock.recvmsg(len(GO), _socket.CMSG_SPACE(_MOST * 4))
    files = [number for _, _, data in ancillary for number in memoryview(data).cast("i")]
    if message != GO:
        return False
    if start["stdin"]:
        stdin = files.pop(0)
        os.dup2(stdin, 0)
        os.close(stdin)
    if start["results"]:
        # A program that is exec'd has no other way to get it; one that is not passes it to
        # its forks only.
        os.set_inheritable(files[0], bool(start["argv"]))
        os.environ[RESULTS] = str(files[0])
    return True

"""Send and receive messages between verifier and candidate: a length, and so many bytes."""

from __future__ import annotations

from os import WNOHANG, kill, read, waitpid, write
from time import monotonic, sleep

from .clock import Clock
from .reader import MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["STACK_SIGNAL", "GoneError", "Pipe"]

STACK_SIGNAL = 39
"""Has the candidate's interpreter write its stack to the pipe: a real-time signal of Linux, which
programs do not use."""

_MOST = 1 << 28  # bytes of one message
_CHUNK = 1 << 20  # read at once of a message that is known to be long
_FIRST = 1 << 12  # otherwise: most messages are short, and a large buffer costs two system calls
_DIGITS = 12  # of a length, and its line end
_POLL, _POLLS = 0.002, 500  # seconds between two looks at a child that closed the pipe
_STACK_SECONDS, _STACK_BYTES, _LINE_DIGITS = 0.2, 1 << 16, 7
_PATIENCE = 0.2  # seconds between two looks whether the other side is still there


class GoneError(Exception):
    """Signal that the other process has ended or has closed its end."""

    def __init__(self, status: int | None = None) -> None:
        super().__init__("the program has ended")
        self.status = status  # as `waitpid` has it, where it is known


class Pipe:
    """Send and receive at one process's two ends of the pipes.

    Args:
        incoming: The descriptor to read from.
        outgoing: The descriptor to write to.
        child: The process at the other side, where that is a child of this one.
    """

    def __init__(self, incoming: int, outgoing: int, child: int | None = None) -> None:
        self.incoming = incoming
        self.outgoing = outgoing
        self.child = child
        self.poller: Any = None
        self.data: bytearray = bytearray()
        self.deadline: float | None = None
        self.seconds: float | None = None
        self.clock: Clock | None = None
        self.overdue: Callable[[], None] = lambda: None

    def limit(self, seconds: float, overdue: Callable[[], None]) -> None:
        """Stop the child when it has computed or waited for too long.

        Args:
            seconds: The most CPU seconds; and half of the seconds it may be idle.
            overdue: Called when they are over, before the child is killed.
        """
        self.seconds = seconds
        self.overdue = overdue

    def check(self) -> None:
        """Stop the child if it has used its time.

        Raises:
            GoneError: it had, and was.
        """
        if self.clock is None or self.child is None or not self.clock.over():
            return
        self.clock = self.seconds = None
        self.overdue()
        kill(self.child, 9)
        waitpid(self.child, 0)
        self.child = None
        raise GoneError(9)

    def stack(self) -> list[tuple[str, int]]:
        """Return file and line of each frame of the child, innermost first; [] if unknown.

        The child's interpreter writes them to this pipe when it gets `STACK_SIGNAL`. Use it only
        before the child is killed: no message can be read afterwards.
        """
        if self.child is None:
            return []
        text = b""
        deadline = monotonic() + _STACK_SECONDS
        try:
            kill(self.child, STACK_SIGNAL)
            while monotonic() < deadline and len(text) < _STACK_BYTES:
                if self._ready(deadline - monotonic()):
                    part = read(self.incoming, _CHUNK)
                    text = text[-_STACK_BYTES:] + part
                    if not part:
                        break
                    deadline = min(deadline, monotonic() + _STACK_SECONDS / 10)
        except OSError:
            return []
        return _frames(text.decode("utf-8", "replace"))

    def send(self, text: str) -> None:
        """Send one message."""
        data = text.encode("utf-8", "surrogatepass")
        whole = memoryview(b"%d\n" % len(data) + data)
        try:
            while whole:
                whole = whole[write(self.outgoing, whole) :]
        except OSError as error:
            if error.errno is None:  # raised by a signal handler
                raise
            raise GoneError(self._status()) from None

    def receive(self) -> str:
        """Receive the next message.

        Raises:
            GoneError: there is no other side any more.
            MalformedError: what came is no message.
        """
        # What has come stays here, should a signal handler raise meanwhile.
        if not self.data:
            self._more()
        while b"\n" not in self.data[:_DIGITS]:
            if len(self.data) >= _DIGITS:
                raise MalformedError("no length")
            self._more()
        start = self.data.index(b"\n") + 1
        length = self.data[: start - 1]
        if not length.isdigit() or int(length) > _MOST:
            raise MalformedError(f"a message of {bytes(length)!r} bytes")
        end = start + int(length)
        while len(self.data) < end:
            self._more(max(_FIRST, min(end - len(self.data), _CHUNK)))
        message = self.data[start:end]
        if len(self.data) == end:
            self.data.clear()
        else:
            del self.data[:end]
        try:
            return message.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise MalformedError("not text") from None

    def pending(self, seconds: float) -> bool:
        """Tell whether a message has come, or the end; wait for that. Any thread may ask."""
        if self.data:
            return True
        import select  # noqa: PLC0415  # most programs have no threads

        poller = select.poll()
        poller.register(self.incoming, select.POLLIN)
        return bool(poller.poll(seconds * 1000))

    def _more(self, size: int = _FIRST) -> None:
        self._wait()
        try:
            data = read(self.incoming, size)
        except OSError as error:
            if error.errno is None:  # raised by a signal handler
                raise
            data = b""
        if not data:
            raise GoneError(self._status())
        self.data += data

    def _wait(self) -> None:
        """Wait until there is something to read, also if a fork of the child holds its end open."""
        if self.child is None:
            return
        begin = monotonic()
        while not self._ready(_PATIENCE):
            if self.clock is not None:
                self.clock.waited(monotonic() - begin)
                begin = monotonic()
            elif self.seconds is not None:  # most children answer before they need a clock
                self.clock = Clock(self.child, self.seconds)
            self.check()
            if self.deadline is not None and monotonic() > self.deadline:
                raise GoneError(self._status())
            status = self._ended()
            if status is not None and not self._ready(0):
                raise GoneError(status)

    def _ready(self, seconds: float) -> bool:
        """Return whether there is something to read, or the descriptor is closed."""
        if self.poller is None:
            import select  # noqa: PLC0415  # the candidate's process needs none

            self.poller = select.poll()
            self.poller.register(self.incoming, select.POLLIN)
        return bool(self.poller.poll(seconds * 1000))

    def _status(self) -> int | None:
        """Return how the child has ended; kill it if it has only closed the pipe."""
        if self.child is None:
            return None
        for _ in range(_POLLS):
            status = self._ended()
            if status is not None:
                return status
            sleep(_POLL)
        kill(self.child, 9)
        waitpid(self.child, 0)
        self.child = None
        return None

    def _ended(self) -> int | None:
        if self.child is None:
            return None
        try:
            found, status = waitpid(self.child, WNOHANG)
        except ChildProcessError:
            return None
        if not found:
            return None
        self.child = None
        return status


def _frames(text: str) -> list[tuple[str, int]]:
    """Read frames as `faulthandler` writes them: 'File "solution.py", line 4 in f'."""
    found: list[tuple[str, int]] = []
    for line in text.split("\n"):
        head, quote, rest = line.strip().partition('", line ')
        number = rest.partition(" ")[0]
        if quote and head[:6] == 'File "' and number.isdigit() and len(number) <= _LINE_DIGITS:
            found.append((head[6:], int(number)))
    return found

"""Frame what a host and the supervisor of a program send each other.

The host sends one `Request` (see `request`): its length in 8 bytes, then the record, marshalled.
After that it sends nothing; when it closes its side, the supervisor ends the program. The
supervisor answers with frames: one byte of kind, 8 bytes of length, content.
"""

import marshal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "DONE",
    "ENDED",
    "FACTS",
    "FAILED",
    "FILE",
    "HEAD",
    "LEFT_OUT",
    "LOST",
    "MISSING",
    "OUTPUT",
    "RESULTS",
    "STARTED",
    "STDERR",
    "STDOUT",
    "Answer",
    "decode",
    "encode",
    "frame",
    "read_exactly",
    "receive",
    "send",
    "send_request",
    "write_all",
]

STARTED = b"S"  # nothing: the program starts next
FACTS = b"I"  # JSON: what the supervisor has found out about its sandbox
STDOUT = b"1"  # a piece of the program's standard output, where the host does not read it itself
STDERR = b"2"  # a piece of its standard error
ENDED = b"E"  # "<exit code, or minus the signal> <limit or -> <seconds> <cpu seconds>"
RESULTS = b"="  # what the program has written to its descriptor for results
FILE = b"F"  # path, a zero byte, content
OUTPUT = b"O"  # path in the outputs folder, a zero byte, content
LEFT_OUT = b"X"  # path in the outputs folder, or nothing for the folder itself; a zero byte, why
DONE = b"D"  # all has been sent, and nothing is left of the run; "again" if another may follow
MISSING = b"?"  # why the command that runs the program cannot be started
FAILED = b"!"  # what went wrong in the supervisor
LOST = b"L"  # which process of the sandbox has ended: nothing is known of the program

HEAD = 9
"""Bytes of a frame before its content."""

_CHUNK = 1 << 20
_FORMAT = 2  # of marshal: the last without references between objects; every Python reads it


def encode(value: "Any") -> bytes:
    """Return a value of plain types as a message: its length in 8 bytes, then its content."""
    body = marshal.dumps(value, _FORMAT)
    return len(body).to_bytes(8, "big") + body


def decode(body: bytes) -> "Any":
    """Return the value of a message without its length."""
    return marshal.loads(body)  # noqa: S302  # from our own other half


def send_request(descriptor: int, value: "Any") -> None:
    """Send one message.

    Raises:
        OSError: the other side is gone.
    """
    write_all(descriptor, encode(value))


def receive(descriptor: int) -> "Any | None":
    """Read one message; None when the other side closes before its end."""
    head = read_exactly(descriptor, 8)
    body = head and read_exactly(descriptor, int.from_bytes(head, "big"))
    return decode(body) if body else None


def read_exactly(descriptor: int, size: int) -> "bytes | None":
    """Read so many bytes; None when the other side closes before their end."""
    parts: list[bytes] = []
    while size:
        try:
            part = os.read(descriptor, min(size, _CHUNK))
        except ConnectionError:
            return None
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def frame(kind: bytes, content: bytes) -> bytes:
    """Return one frame."""
    return kind + len(content).to_bytes(8, "big") + content


def send(descriptor: int, kind: bytes, content: bytes = b"") -> None:
    """Send one frame, waiting until the other side has taken it.

    Raises:
        OSError: the other side is gone.
    """
    write_all(descriptor, frame(kind, content))


def write_all(descriptor: int, data: bytes) -> None:
    """Write some data, waiting until the other side has taken it.

    Raises:
        OSError: the other side is gone.
    """
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class Answer:
    """Collects frames and sends them in a few writes.

    Args:
        descriptor: Where they are sent; None: they are kept in `data`.

    Attributes:
        data: The frames that have not been sent.
    """

    def __init__(self, descriptor: "int | None") -> None:
        self._descriptor = descriptor
        self.data: bytearray = bytearray()

    def add(self, kind: bytes, content: bytes = b"") -> None:
        """Add one frame.

        Raises:
            OSError: the other side is gone.
        """
        self.data += frame(kind, content)
        if len(self.data) > _CHUNK:
            self.send()

    def send(self) -> None:
        """Send all that is collected, waiting until the other side has taken it.

        Raises:
            OSError: the other side is gone.
        """
        if self._descriptor is None:
            return
        sent = 0
        with memoryview(self.data) as whole:
            while sent < len(whole):
                sent += os.write(self._descriptor, whole[sent:])
        self.data.clear()

"""What the host and the warden say to each other, over one socket.

The host sends one request: its length in 8 bytes, then a `Request`, marshalled (both ends
are the same interpreter). Then it says no more; when it closes its side, the warden stops
the program. The warden answers in frames: one byte of kind, 8 bytes of length, content.
"""

import marshal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._request import Request

__all__ = ["ENDED", "FAILED", "FILE", "LEFT_OUT", "OUTPUT", "STARTED", "receive", "send"]

STARTED = b"S"  # nothing: the program's process is there with the next step
ENDED = b"E"  # "<exit code, or minus the signal> <limit or -> <seconds> <cpu seconds>"
FILE = b"F"  # name, a zero byte, content
OUTPUT = b"O"  # path in the outputs folder, a zero byte, content
LEFT_OUT = b"X"  # path in the outputs folder, empty for the folder itself, a zero byte
FAILED = b"!"  # what went wrong in the warden

_CHUNK = 1 << 20


def receive(control: int) -> "Request | None":
    """The host's request; None when the host closes before it is complete."""
    head = _take(control, 8)
    body = head and _take(control, int.from_bytes(head, "big"))
    request: Request | None = marshal.loads(body) if body else None  # noqa: S302  # our own host
    return request


def _take(control: int, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = os.read(control, min(size, _CHUNK))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def send(control: int, kind: bytes, content: bytes) -> None:
    """Send one frame, waiting until the host has taken it.

    Raises:
        OSError: the host is gone.
    """
    rest = memoryview(kind + len(content).to_bytes(8, "big") + content)
    while rest:
        rest = rest[os.write(control, rest) :]

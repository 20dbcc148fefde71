"""What the host, the zygote and the wardens say to each other.

Between host and zygote, one message each (SOCK_SEQPACKET). The host sends its configuration,
marshalled, and then CLAIMED for every sandbox that it is about to take, and LOAD with a descriptor
for the verifier's modules, which the sandboxes made from then on are to have. The zygote says READY
once, SPARE with a socket to its warden for every sandbox that is made, and BROKEN, with what went
wrong, before it ends.

Between host and warden, on the sandbox's socket, for each run: WAITS from the warden, with four
descriptors, once a process waits for the program (its standard input, output and error; a counter
that is not 0 once the program may have begun). Then one request from the host, its length in 8
bytes and then a `Request`, marshalled (both ends are the same interpreter). Then it says no
more; when it closes its side, the warden stops the program. The warden answers in frames:
one byte of kind, 8 bytes of length, content. After a DONE that offers it, the host may say AGAIN,
and the next run begins.
"""

import marshal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "AGAIN",
    "BROKEN",
    "CLAIMED",
    "DONE",
    "ENDED",
    "FAILED",
    "FILE",
    "GO",
    "LEFT_OUT",
    "LOAD",
    "OUTPUT",
    "READY",
    "RESULTS",
    "SPARE",
    "WAITS",
    "hand_over",
    "receive",
]

READY = b"R"  # nothing
SPARE = b"S"  # a descriptor
BROKEN = b"!"  # what went wrong
CLAIMED = b"C"  # nothing
LOAD = b"L"  # nothing, and a descriptor

ENDED = b"E"  # "<exit code, or minus the signal> <limit or -> <seconds> <cpu seconds>"
RESULTS = b"="  # what the program has reported over its descriptor for results
FILE = b"F"  # name, a zero byte, content
OUTPUT = b"O"  # path in the outputs folder, a zero byte, content
LEFT_OUT = b"X"  # path in the outputs folder, a zero byte, why
DONE = b"D"  # there is no more to say, nothing is left of the run: "again" if it may be reused
FAILED = b"!"  # what went wrong in the warden
WAITS = b"W"  # 1 if it has the verifier's modules or 0, in one byte; and four descriptors
AGAIN = b"A"  # nothing

GO = b"G"  # from the warden to the process of the program: its files are there; some beside

_CHUNK = 1 << 20


def receive(descriptor: int) -> "Any | None":
    """One marshalled value, after its length; None when the other side closes before its end."""
    head = _take(descriptor, 8)
    body = head and _take(descriptor, int.from_bytes(head, "big"))
    return marshal.loads(body) if body else None  # noqa: S302  # our own other half


def hand_over(descriptor: int, value: "Any") -> None:
    """Send one marshalled value, after its length."""
    body = marshal.dumps(value)
    rest = memoryview(len(body).to_bytes(8, "big") + body)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _take(descriptor: int, size: int) -> bytes | None:
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


class Answer:
    """Frames on their way to the host, a few writes for all of them."""

    def __init__(self, control: int) -> None:
        self._control = control
        self._waiting = bytearray()

    def add(self, kind: bytes, content: bytes) -> None:
        """One more frame.

        Raises:
            OSError: the host is gone.
        """
        self._waiting += kind + len(content).to_bytes(8, "big") + content
        if len(self._waiting) > _CHUNK:
            self.send()

    def send(self) -> None:
        """Send what is waiting, until the host has taken it.

        Raises:
            OSError: the host is gone.
        """
        sent = 0
        with memoryview(self._waiting) as whole:
            while sent < len(whole):
                sent += os.write(self._control, whole[sent:])
        self._waiting.clear()

"""Send messages over a descriptor: a length in 8 bytes, then JSON; descriptors may go beside.

JSON, because a process that runs code of the user's may send anything.
"""

from __future__ import annotations

import array
import json
import socket
import time

from ..supervisor.frames import read_exactly, write_all  # noqa: TID252  # beside us, in both interpreters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Gone", "hear", "pack", "read", "receive", "send", "write"]

_HEAD = 8
MOST = 1 << 30  # bytes of one message
_MOST_UNTRUSTED = 64 << 20  # bytes of one message of a process that runs code of the user's


class Gone(Exception):  # noqa: N818  # it is no error that the other side ends
    """The other side has closed."""


def pack(message: Any) -> bytes:
    """Return one message as bytes."""
    body = json.dumps(message).encode()
    return len(body).to_bytes(_HEAD, "big") + body


def read(number: int) -> Any:
    """Read the next message of a pipe or socket.

    Raises:
        Gone: there is none any more.
    """
    size = int.from_bytes(_take(number, _HEAD), "big")
    if size > MOST:
        raise Gone
    return json.loads(_take(number, size))


def _take(number: int, size: int) -> bytes:
    data = read_exactly(number, size)
    if data is None:
        raise Gone
    return data


def write(number: int, message: Any) -> None:
    """Send a message, waiting until it is taken.

    Raises:
        Gone: the other side has closed.
    """
    try:
        write_all(number, pack(message))
    except ConnectionError as error:
        raise Gone from error


def send(sock: socket.socket, message: Any, numbers: Sequence[int] = ()) -> None:
    """Send a message with descriptors beside it."""
    data = pack([message, len(numbers)])
    rights = array.array("i", numbers)
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)] if numbers else []
    try:
        sent = sock.sendmsg([data], ancillary)
        if sent < len(data):  # to send nothing fails when the other side has ended meanwhile
            sock.sendall(data[sent:])
    except (ConnectionError, TimeoutError) as error:
        raise Gone from error


def hear(sock: socket.socket, seconds: float) -> dict[str, Any]:
    """Read a message of a process that is not trusted, all of it within a time.

    Descriptors that come with it are dropped by the kernel.

    Raises:
        Gone: the other side has closed, takes too long, or talks nonsense.
    """
    end = time.monotonic() + seconds
    size = int.from_bytes(_read_within(sock, _HEAD, end), "big")
    if size > _MOST_UNTRUSTED:
        raise Gone
    body = _read_within(sock, size, end)
    try:
        message, _ = json.loads(body)
    except (ValueError, TypeError, RecursionError) as error:
        raise Gone from error
    if type(message).__name__ != "dict":
        raise Gone
    found: dict[str, Any] = message
    return found


def _read_within(sock: socket.socket, size: int, end: float) -> bytes:
    data = bytearray()
    while len(data) < size:
        sock.settimeout(max(0.001, end - time.monotonic()))
        try:
            part = sock.recv(min(size - len(data), 1 << 20))
        except OSError as error:  # also a time-out
            raise Gone from error
        if not part:
            raise Gone
        data += part
    return bytes(data)


def receive(sock: socket.socket) -> tuple[Any, list[int]]:
    """Read a message, and the descriptors that came with it."""
    rights = array.array("i")
    size = rights.itemsize
    try:
        head, ancillary, _, _ = sock.recvmsg(_HEAD, socket.CMSG_SPACE(8 * size))
    except ConnectionError as error:
        raise Gone from error
    if not head:
        raise Gone
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            rights.frombytes(data[: len(data) - len(data) % size])
    if len(head) < _HEAD:
        head += _take(sock.fileno(), _HEAD - len(head))
    length = int.from_bytes(head, "big")
    if length > MOST:
        raise Gone
    message, count = json.loads(_take(sock.fileno(), length))
    return message, list(rights)[:count]

"""What passes between process 1 and the host: a letter, a length, bytes."""

from __future__ import annotations

import os
import struct
import sys

__all__ = ["MOST", "read_exactly", "send"]

MOST = 65536  # bytes read at once


def send(kind: bytes, payload: bytes) -> None:
    data = struct.pack(">cI", kind, len(payload)) + payload
    while data:
        data = data[os.write(1, data) :]


def read_exactly(count: int) -> bytes:
    found = bytearray()
    while len(found) < count:
        piece = os.read(0, min(MOST, count - len(found)))
        if not piece:
            sys.exit(1)  # the host is gone before it has said all
        found += piece
    return bytes(found)

"""Reading what the warden sends."""

from collections import defaultdict

__all__ = ["Frames"]

_HEAD = 9  # bytes: one of kind, 8 of length


class Frames:
    """The frames that have arrived. See the warden's `_wire` for what they mean."""

    def __init__(self) -> None:
        self._complete: defaultdict[bytes, list[bytes]] = defaultdict(list)
        self._rest = bytearray()

    def feed(self, data: bytes) -> None:
        """Take in bytes as they come; a frame counts when it is complete."""
        self._rest += data
        while len(self._rest) >= _HEAD:
            end = _HEAD + int.from_bytes(self._rest[1:_HEAD], "big")
            if len(self._rest) < end:
                return
            self._complete[bytes(self._rest[:1])].append(bytes(self._rest[_HEAD:end]))
            del self._rest[:end]

    def __getitem__(self, kind: bytes) -> list[bytes]:
        """The contents of all frames of a kind, in order."""
        return self._complete[kind]

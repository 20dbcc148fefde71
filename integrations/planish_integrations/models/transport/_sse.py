"""Server-sent events out of bytes that were cut anywhere."""

import re

__all__ = ["EventParser"]

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class EventParser:
    r"""Gives the data of each event once the event is complete.

    Follows "Interpreting an event stream" of the HTML standard: lines end in LF, CR LF or CR;
    a line that starts with a colon is a comment; `data` lines of one event are joined with LF;
    an empty line ends the event. Fields other than `data` are not needed here. Lines are cut
    out as bytes and decoded whole, so a cut inside a character does no harm.

    >>> parser = EventParser()
    >>> parser.feed(b'data: {"a"'), parser.feed(b": 1}\r"), parser.feed(b"\n\r\n")
    ([], [], ['{"a": 1}'])
    """

    def __init__(self) -> None:
        self._partial: list[bytes] = []
        self._data: list[str] = []
        self._after_cr = False
        self._first = True

    def feed(self, piece: bytes) -> list[str]:
        """Take the next bytes; return the data of the events they complete."""
        if not piece:
            return []
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
        self._after_cr = piece.endswith(b"\r")
        *ended, rest = _LINE_END.split(piece)
        events: list[str] = []
        for end in ended:
            events += self._line(b"".join((*self._partial, end)))
            self._partial.clear()
        if rest:
            self._partial.append(rest)
        return events

    def end(self) -> list[str]:
        """The stream is over: the data of a last event whose empty line never came.

        The standard drops it; some servers end right after `data: [DONE]`.
        """
        return [*self.feed(b"\n"), *self.feed(b"\n")]

    def _line(self, line: bytes) -> list[str]:
        if self._first:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            self._first = False
        if not line:
            data, self._data = self._data, []
            return ["\n".join(data)] if data else []
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        return []

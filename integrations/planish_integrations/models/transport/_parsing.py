"""Parse response bodies (server-sent events, JSON lines, whole JSON) into replies."""

import re

from planish.data.message import Reply
from planish.data.usage import Price
from planish_integrations.models.transport._errors import complaint_in
from planish_integrations.models.transport.json_values import decode
from planish_integrations.models.transport.protocol import (
    Answer,
    ComplaintError,
    Framing,
    NonsenseError,
)

__all__ = ["CutError", "EventParser", "LineParser", "StreamedReply", "whole_reply"]

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


class LineParser:
    r"""Gives each line once it is complete; empty ones are left out.

    Lines are cut out as bytes and decoded whole, so a cut inside a character does no harm.

    >>> parser = LineParser()
    >>> parser.feed(b'{"a"'), parser.feed(b": 1}\r"), parser.feed(b"\n\n")
    ([], [], ['{"a": 1}'])
    """

    def __init__(self) -> None:
        self._partial: list[bytes] = []

    def feed(self, piece: bytes) -> list[str]:
        """Take the next bytes; return the lines they complete."""
        *ended, rest = piece.split(b"\n")
        lines: list[bytes] = []
        for end in ended:
            lines.append(b"".join((*self._partial, end)))
            self._partial.clear()
        if rest:
            self._partial.append(rest)
        texts = (line.decode("utf-8", "replace").strip() for line in lines)
        return [text for text in texts if text]

    def end(self) -> list[str]:
        """The stream is over: the last line, where it had no end."""
        return self.feed(b"\n")


_DONE = "[DONE]"  # ends the streams of OpenAI's API, and of those who took it for a model


class CutError(Exception):
    """The stream ended before the answer did."""


class StreamedReply:
    """Builds a reply of the bytes of a stream.

    Args:
        answer: What reads its events.
        framing: How it is cut into them.
        price: What the model costs, where known.
    """

    def __init__(self, answer: Answer, framing: Framing, price: Price | None = None) -> None:
        self._answer = answer
        self._price = price
        self._parser = EventParser() if framing == "events" else LineParser()

    @property
    def done(self) -> bool:
        """Nothing more will come."""
        return self._answer.over

    @property
    def finished(self) -> bool:
        """All of the answer has come."""
        return self._answer.finished

    def feed(self, piece: bytes) -> str:
        """Take the next bytes; return the text they complete, which may be empty.

        Raises:
            ComplaintError: an event holds an error object.
            NonsenseError: an event is not of the protocol.
        """
        for data in self._parser.feed(piece):
            self._event(data)
        return self._answer.told()

    def end(self) -> str:
        """The connection is at its end; return text that waited for more.

        Raises:
            CutError: the answer is not finished.
            ComplaintError: the last event holds an error object.
            NonsenseError: the stream ended well but had no answer in it.
        """
        for data in self._parser.end():
            try:
                self._event(data)
            except NonsenseError:
                break  # half an event: cut, and said below to be so
        if not self.finished:
            raise CutError
        if not self._answer.begun:
            raise NonsenseError("a stream without an answer in it")
        self._answer.end()
        return self._answer.told()

    def reply(self) -> Reply:
        """The answer as far as it has come."""
        return self._answer.reply(self._price)

    def _event(self, data: str) -> None:
        if self._answer.over or data.strip() == _DONE:
            self._answer.over = True
            return
        try:
            event = decode(data)
        except ValueError as error:
            raise NonsenseError(f"an event that is not JSON ({error}): {data[:200]!r}") from None
        if complaint := complaint_in(event):
            raise ComplaintError(complaint)
        self._answer.event(event)


def whole_reply(body: bytes, answer: Answer, price: Price | None = None) -> Reply:
    """The reply a body holds that was not streamed.

    Args:
        body: JSON.
        answer: What reads it.
        price: What the model costs, where known.

    Raises:
        ComplaintError: it is an error object, or holds one.
        NonsenseError: it is not JSON, or not of the protocol.
    """
    try:
        value = decode(body)
    except ValueError as error:
        raise NonsenseError(f"a body that is not JSON ({error}): {body[:200]!r}") from None
    if complaint := complaint_in(value):
        raise ComplaintError(complaint)
    answer.whole(value)
    answer.end()
    return answer.reply(price)

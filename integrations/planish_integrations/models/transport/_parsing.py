"""Parse response bodies (server-sent events, JSON lines, whole JSON) into replies."""

import re

from planish.data.message import Reply
from planish.data.usage import Price
from planish_integrations.models.transport._errors import find_error_body
from planish_integrations.models.transport.json_values import decode
from planish_integrations.models.transport.protocol import (
    Framing,
    InBandError,
    ProtocolError,
    ResponseReader,
)

__all__ = ["EventParser", "LineParser", "StreamReader", "TruncatedError", "reply_from_body"]

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DONE = "[DONE]"  # ends the streams of OpenAI's API and of servers that implement it


class TruncatedError(Exception):
    """The stream ended before the response was complete."""


class EventParser:
    r"""Parses server-sent events from chunks of bytes that may split them anywhere.

    Follows "Interpreting an event stream" of the HTML standard: lines end in LF, CR LF or CR;
    a line that starts with a colon is a comment; `data` lines of one event are joined with LF;
    an empty line ends the event. Fields other than `data` are ignored. Lines are decoded whole,
    so a chunk may end inside a character.

    >>> parser = EventParser()
    >>> parser.feed(b'data: {"a"'), parser.feed(b": 1}\r"), parser.feed(b"\n\r\n")
    ([], [], ['{"a": 1}'])
    """

    def __init__(self) -> None:
        self._partial: list[bytes] = []
        self._data: list[str] = []
        self._after_cr = False
        self._is_first_line = True

    def feed(self, chunk: bytes) -> list[str]:
        """Add a chunk; return the data of the events that it completes."""
        if not chunk:
            return []
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_cr = chunk.endswith(b"\r")
        *lines, rest = _LINE_END.split(chunk)
        events: list[str] = []
        for line in lines:
            events += self._line(b"".join((*self._partial, line)))
            self._partial.clear()
        if rest:
            self._partial.append(rest)
        return events

    def end(self) -> list[str]:
        """Return the data of a last event that no empty line ended.

        The standard discards it; some servers close the connection right after `data: [DONE]`.
        """
        return [*self.feed(b"\n"), *self.feed(b"\n")]

    def _line(self, line: bytes) -> list[str]:
        if self._is_first_line:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            self._is_first_line = False
        if not line:
            data, self._data = self._data, []
            return ["\n".join(data)] if data else []
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        return []


class LineParser:
    r"""Parses lines from chunks of bytes that may split them anywhere; skips empty lines.

    Lines are decoded whole, so a chunk may end inside a character.

    >>> parser = LineParser()
    >>> parser.feed(b'{"a"'), parser.feed(b": 1}\r"), parser.feed(b"\n\n")
    ([], [], ['{"a": 1}'])
    """

    def __init__(self) -> None:
        self._partial: list[bytes] = []

    def feed(self, chunk: bytes) -> list[str]:
        """Add a chunk; return the lines that it completes."""
        *ends, rest = chunk.split(b"\n")
        lines: list[bytes] = []
        for end in ends:
            lines.append(b"".join((*self._partial, end)))
            self._partial.clear()
        if rest:
            self._partial.append(rest)
        texts = (line.decode("utf-8", "replace").strip() for line in lines)
        return [text for text in texts if text]

    def end(self) -> list[str]:
        """Return a last line that has no line end."""
        return self.feed(b"\n")


class StreamReader:
    """Reads the bytes of a stream into a reply.

    Args:
        response: Interprets the events.
        framing: How the stream is split into events.
        price: The model's price; None (the default) if it is unknown.
        prompt_tokens: An estimate of the request's tokens, for a provider that reports none.

    Attributes:
        events: How many events have arrived; comments and empty lines are none.
    """

    def __init__(
        self,
        response: ResponseReader,
        framing: Framing,
        price: Price | None = None,
        prompt_tokens: int = 0,
    ) -> None:
        self.events: int = 0
        self._response = response
        self._price = price
        self._prompt_tokens = prompt_tokens
        self._parser = EventParser() if framing == "events" else LineParser()

    @property
    def has_ended(self) -> bool:
        """Nothing more will arrive."""
        return self._response.has_ended

    @property
    def is_complete(self) -> bool:
        """The whole response has arrived."""
        return self._response.is_complete

    def feed(self, chunk: bytes) -> str:
        """Add a chunk; return the text that it completes, which may be empty.

        Raises:
            InBandError: an event holds an error object.
            ProtocolError: an event does not follow the protocol.
        """
        for data in self._parser.feed(chunk):
            self._event(data)
        return self._response.take_new_text()

    def end(self) -> str:
        """Read the end of the stream; return text that waited for more.

        Raises:
            TruncatedError: the response is not complete.
            InBandError: the last event holds an error object.
            ProtocolError: the stream ended without a response in it.
        """
        for data in self._parser.end():
            try:
                self._event(data)
            except ProtocolError:
                break  # half an event: the stream is truncated, which is reported below
        if not self.is_complete:
            raise TruncatedError
        if not self._response.has_started:
            raise ProtocolError("a stream without a response in it")
        self._response.end()
        return self._response.take_new_text()

    def to_reply(self) -> Reply:
        """Return what has arrived so far as a reply."""
        return self._response.to_reply(self._price, self._prompt_tokens)

    def _event(self, data: str) -> None:
        self.events += 1
        if self._response.has_ended or data.strip() == _DONE:
            self._response.has_ended = True
            return
        try:
            event = decode(data)
        except ValueError as error:
            raise ProtocolError(f"an event that is not JSON ({error}): {data[:200]!r}") from None
        if error_body := find_error_body(event):
            raise InBandError(error_body)
        self._response.read_event(event)


def reply_from_body(
    body: bytes, response: ResponseReader, price: Price | None = None, prompt_tokens: int = 0
) -> Reply:
    """Return the reply in the body of a response that was not streamed.

    Args:
        body: The bytes, JSON.
        response: Interprets the body.
        price: The model's price; None (the default) if it is unknown.
        prompt_tokens: An estimate of the request's tokens, for a provider that reports none.

    Raises:
        InBandError: the body is an error object, or holds one.
        ProtocolError: the body is not JSON, or does not follow the protocol.
    """
    try:
        value = decode(body)
    except ValueError as error:
        raise ProtocolError(f"a body that is not JSON ({error}): {body[:200]!r}") from None
    if error_body := find_error_body(value):
        raise InBandError(error_body)
    response.read_body(value)
    response.end()
    return response.to_reply(price, prompt_tokens)

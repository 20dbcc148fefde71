"""A reply out of a streamed or whole answer, whoever's wire it is."""

from planish.data.message import Reply
from planish.data.usage import Price
from planish_integrations.models.transport._complaint import complaint_in
from planish_integrations.models.transport._lines import LineParser
from planish_integrations.models.transport._sse import EventParser
from planish_integrations.models.transport.decoded import decode
from planish_integrations.models.transport.wire import (
    Answer,
    ComplaintError,
    Framing,
    NonsenseError,
)

__all__ = ["CutError", "StreamedReply", "whole_reply"]

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

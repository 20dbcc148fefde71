"""An answer that comes in pieces, cut anywhere."""

from collections.abc import Mapping

from planish.data.message import Reply
from planish_integrations.openai._choice import NonsenseError, choice_of
from planish_integrations.openai._json import as_map, as_text, decode
from planish_integrations.openai._message import finish_of, reasoning_of, text_of
from planish_integrations.openai._sse import EventParser
from planish_integrations.openai._text import Mender, mend
from planish_integrations.openai._usage import Price, usage_of

__all__ = ["CutError", "StreamedReply"]


class CutError(Exception):
    """The stream ended before the answer did."""


class StreamedReply:
    """Builds a reply of a stream of `chat.completion.chunk` events.

    Args:
        price: What the model costs, where known.

    Attributes:
        done: `[DONE]` has come: nothing more will.
    """

    def __init__(self, price: Price | None = None) -> None:
        self._price = price
        self._events = EventParser()
        self._mender = Mender()
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._told: Mapping[str, object] = {}
        self._names: dict[str, str] = {}
        self._finish: object = None
        self._begun = False
        self.done = False

    @property
    def finished(self) -> bool:
        """Its end was announced, by a finish reason or `[DONE]`; only usage may still come."""
        return self.done or self._finish is not None

    def feed(self, piece: bytes) -> str:
        """Take the next bytes; return the text they complete, which may be empty.

        Raises:
            ComplaintError: an event holds an error object.
            NonsenseError: an event is not JSON.
        """
        return self._keep("".join(self._event(data) for data in self._events.feed(piece)))

    def end(self) -> str:
        """The connection is at its end; return text that waited for more.

        Raises:
            CutError: the answer has neither a finish reason nor `[DONE]`.
            ComplaintError: the last event holds an error object.
            NonsenseError: the stream ended well but had no choice in it.
        """
        last = ""
        for data in self._events.end():
            try:
                last += self._event(data)
            except NonsenseError:
                break  # half an event: cut, and said below to be so
        if not self.finished:
            raise CutError
        if not self._begun:
            raise NonsenseError("a stream without choices")
        return self._keep(last + self._mender.end())

    def reply(self) -> Reply:
        """The answer as far as it has come."""
        return Reply(
            text="".join(self._texts),
            finish_reason=finish_of(self._finish),
            usage=usage_of(self._told, self._price),
            model=self._names.get("model"),
            id=self._names.get("id"),
            reasoning=mend("".join(self._thoughts)),
        )

    def _keep(self, text: str) -> str:
        self._texts.append(text)
        return text

    def _event(self, data: str) -> str:
        if self.done or data.strip() == "[DONE]":
            self.done = True
            return ""
        event = _decoded(data)
        choice, fields = choice_of(event), as_map(event)
        for name in ("model", "id"):
            if said := mend(as_text(fields.get(name))):
                self._names[name] = said
        # OpenAI's place for it, or else Groq's.
        told = fields.get("usage") or as_map(fields.get("x_groq")).get("usage")
        self._told = as_map(told) or self._told
        return self._choice(choice) if choice else ""

    def _choice(self, choice: Mapping[str, object]) -> str:
        self._begun = True
        self._finish = choice.get("finish_reason") or self._finish
        delta = as_map(choice.get("delta"))
        self._thoughts.append(reasoning_of(delta))
        return self._mender.add(text_of(delta))


def _decoded(data: str) -> object:
    try:
        return decode(data)
    except ValueError as error:
        raise NonsenseError(f"an event that is not JSON ({error}): {data[:200]!r}") from None

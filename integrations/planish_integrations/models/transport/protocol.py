"""The interface of a provider's protocol: what a new provider implements.

`ProviderProtocol` builds requests; `ResponseReader` reads responses. Everything else (HTTP,
retries, rate limits, prices) is shared: see `HttpModel`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, Protocol

from planish.data.message import FinishReason, Reply, Request
from planish.data.usage import Price, Usage
from planish_integrations.models.transport._errors import ErrorBody, InBandError, find_error_body
from planish_integrations.models.transport.json_values import SurrogateRepairer, repair_surrogates

__all__ = [
    "ErrorBody",
    "Framing",
    "InBandError",
    "ProtocolError",
    "ProviderProtocol",
    "ResponseReader",
    "find_error_body",
]

Framing = Literal["events", "lines"]
"""How a stream is split into JSON values: server-sent events, or one object per line."""


class ProtocolError(Exception):
    """A response does not follow the provider's protocol; the message names the violation."""


class ResponseReader(ABC):
    """Reads one response, whole or event by event, into a `Reply`.

    A protocol subclasses it to interpret its JSON and to set the attributes.

    Attributes:
        finish_reason: Why the model stopped.
        usage: The token counts of the provider.
        cache_write_tokens: How many of the input tokens were written to the provider's cache;
            some providers charge more for them.
        model: The model that replied, as it names itself.
        id: The provider's id of the response.
        has_started: Some part of a response has arrived.
        has_ended: Nothing more will arrive.
    """

    def __init__(self) -> None:
        self.finish_reason: FinishReason = "unknown"
        self.usage: Usage = Usage()
        self.cache_write_tokens: int = 0
        self.model: str | None = None
        self.id: str | None = None
        self.has_started: bool = False
        self.has_ended: bool = False
        self._repairer = SurrogateRepairer()
        self._texts: list[str] = []
        self._reasoning: list[str] = []
        self._new_texts: list[str] = []

    @property
    @abstractmethod
    def is_complete(self) -> bool:
        """Text, finish reason and usage have arrived. A stream that ends before is truncated."""

    @abstractmethod
    def read_body(self, body: object) -> None:
        """Read the decoded body of a response that was not streamed.

        Raises:
            InBandError: the body holds an error object.
            ProtocolError: the body does not follow the protocol.
        """

    @abstractmethod
    def read_event(self, event: object) -> None:
        """Read one decoded event of a stream.

        Raises:
            InBandError: the event holds an error object.
            ProtocolError: the event does not follow the protocol.
        """

    def add_text(self, text: str) -> None:
        """Add the next piece of text."""
        self._append(self._repairer.add(text))

    def add_reasoning(self, text: str) -> None:
        """Add the next piece of reasoning, which is stored apart from the text."""
        self._reasoning.append(text)

    def set_identity(self, *, model: str = "", id: str = "") -> None:  # noqa: A002  # the field's name
        """Set the model and the id of the response; an empty value changes nothing."""
        self.model = repair_surrogates(model) or self.model
        self.id = repair_surrogates(id) or self.id

    def take_new_text(self) -> str:
        """Return the text that has arrived since the last call."""
        text = "".join(self._new_texts)
        self._new_texts.clear()
        return text

    def end(self) -> None:
        """Flush text that waited for the second half of a character."""
        self._append(self._repairer.end())

    def to_reply(self, price: Price | None = None) -> Reply:
        """Return what has arrived so far as a reply.

        Args:
            price: The model's price; None (the default) leaves `Usage.usd` at 0.
        """
        usage = replace(self.usage, model_calls=1)
        if price is not None:
            usage = replace(
                usage, usd=price.cost(usage, cache_write_tokens=self.cache_write_tokens)
            )
        return Reply(
            text="".join(self._texts),
            finish_reason=self.finish_reason,
            usage=usage,
            model=self.model,
            id=self.id,
            reasoning=repair_surrogates("".join(self._reasoning)),
        )

    def _append(self, text: str) -> None:
        if text:
            self._texts.append(text)
            self._new_texts.append(text)


class ProviderProtocol(Protocol):
    """One provider's format of requests and responses; an instance holds configuration only."""

    @property
    def framing(self) -> Framing:
        """How the provider's streams are split into JSON values."""
        ...

    @property
    def reserved_fields(self) -> frozenset[str]:
        """Fields of the request body that `extra` may not set."""
        ...

    def path(self, model: str, *, streamed: bool) -> str:
        """Return the path after the base URL; it may have a query."""
        ...

    def headers(self, key: str) -> Mapping[str, str]:
        """Return the protocol's headers, with the API key; `key` may be empty."""
        ...

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """Return the JSON to send; fields that the request leaves unset are omitted.

        Raises:
            UnsupportedError: the request sets a field that the provider does not accept.
        """
        ...

    def reader(self) -> ResponseReader:
        """Return a new reader for one response."""
        ...

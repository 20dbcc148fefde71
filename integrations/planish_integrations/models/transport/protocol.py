"""The interface of a provider's protocol: what a new provider implements.

`ProviderProtocol` builds requests; `ResponseReader` reads responses. Everything else (HTTP,
retries, rate limits, prices) is shared: see `HttpModel`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, Protocol, runtime_checkable

from planish.data.message import FinishReason, Reply, Request
from planish.data.usage import Price, Usage, estimate_tokens
from planish_integrations.models.transport._errors import ErrorBody, InBandError, find_error_body
from planish_integrations.models.transport.json_values import SurrogateRepairer, repair_surrogates

__all__ = [
    "AcceptsTuning",
    "Effort",
    "ErrorBody",
    "Framing",
    "InBandError",
    "ProtocolError",
    "ProviderProtocol",
    "ResponseReader",
    "find_error_body",
    "find_finish_reason",
]

Effort = Literal["low", "medium", "high"]
"""How much a model may reason before it replies."""

Framing = Literal["events", "lines"]
"""How a stream is split into JSON values: server-sent events, or one object per line."""

_MAX_WORD_CHARS = 100  # of a finish reason; the longest known one has 29
# The words of all providers, in lower case, from their documentation and recorded responses; no
# word has two meanings. "eos" is Together's, "abort" vLLM's, "error_limit" Cohere's.
_WORDS: Mapping[FinishReason, str] = {
    "stop": "stop stop_sequence end_turn eos eos_token complete completed",
    "length": "length max_tokens max_output_tokens model_length model_context_window_exceeded "
    "error_limit",
    "content_filter": "content_filter content_filtered refusal safety recitation language "
    "blocklist prohibited_content spii image_safety model_armor guardrail_intervened error_toxic",
    # "pause_turn": one of Anthropic's own tools exceeds the time of one request.
    "tool_calls": "tool_calls tool_call tool_use function_call pause_turn",
    # "queued" and "in_progress" are of a response that is not written yet; Ollama sends "load"
    # if it only loads the model.
    "error": "error insufficient_system_resource abort aborted failed cancelled queued in_progress "
    "malformed_function_call unexpected_tool_call too_many_tool_calls malformed_response load "
    "user_cancel",
}
_FINISH_REASONS: Mapping[str, FinishReason] = {
    word: reason for reason, words in _WORDS.items() for word in words.split()
}


def find_finish_reason(word: str | None) -> FinishReason:
    """Return planish's name for a provider's word for why a model stopped.

    Args:
        word: The provider's word, in any case; None or empty if it gave none.

    Returns:
        The finish reason; "unknown" for an unknown word or none.
    """
    return _FINISH_REASONS.get((word or "").lower(), "unknown")


class ProtocolError(Exception):
    """A response does not follow the provider's protocol; the message names the violation."""


class ResponseReader(ABC):
    """Reads one response, whole or event by event, into a `Reply`.

    A protocol subclasses it to interpret its JSON and to set the attributes.

    Attributes:
        provider_finish_reason: The provider's own word for it; empty until it has arrived.
        usage: The token counts of the provider.
        cost: The cost in US dollars that the provider reports; None if it reports none.
        model: The model that replied, as it names itself.
        id: The provider's id of the response.
        has_started: Some part of a response has arrived.
        has_ended: Nothing more will arrive.
    """

    def __init__(self) -> None:
        self.provider_finish_reason: str = ""
        self.usage: Usage = Usage()
        self.cost: float | None = None
        self.model: str | None = None
        self.id: str | None = None
        self.has_started: bool = False
        self.has_ended: bool = False
        self._finish_reason: FinishReason = "unknown"
        self._part_reason: FinishReason | None = None
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

    @property
    def finish_reason(self) -> FinishReason:
        """Why the model stopped.

        A refusal or a tool call among the parts of a response counts, where the provider's word
        is one for an ordinary end: several providers send "stop" with them.
        """
        if self._part_reason is not None and self._finish_reason in {"stop", "unknown"}:
            return self._part_reason
        return self._finish_reason

    def set_finish_reason(self, word: str, reason: FinishReason | None = None) -> None:
        """Set why the model stopped, in planish's words and in the provider's.

        Args:
            word: The provider's word; empty if it gave none.
            reason: What it means; None (the default) for what `find_finish_reason` returns.
        """
        self._finish_reason = reason or find_finish_reason(word)
        self.provider_finish_reason = repair_surrogates(word[:_MAX_WORD_CHARS])

    def note_refusal(self) -> None:
        """Note that a part of the response is a refusal."""
        self._part_reason = "content_filter"

    def note_tool_call(self) -> None:
        """Note that a part of the response is a call of a tool; a refusal counts more."""
        self._part_reason = self._part_reason or "tool_calls"

    def take_new_text(self) -> str:
        """Return the text that has arrived since the last call."""
        text = "".join(self._new_texts)
        self._new_texts.clear()
        return text

    def end(self) -> None:
        """Flush text that waited for the second half of a character."""
        self._append(self._repairer.end())

    def to_reply(self, price: Price | None = None, prompt_tokens: int = 0) -> Reply:
        """Return what has arrived so far as a reply.

        Args:
            price: The model's price; None (the default) leaves `Usage.usd` at what the provider
                reports, or at 0.
            prompt_tokens: An estimate of the request's tokens, for a provider that reports none;
                0 (the default) for no estimate.
        """
        sent = 0 if self.usage.input_tokens else prompt_tokens
        unknown = prompt_tokens and not self.usage.output_tokens
        received = self._estimated_output() if unknown else 0
        usage = self._with_cost(self._with_estimates(sent, received), price)
        return Reply(
            text="".join(self._texts),
            finish_reason=self.finish_reason,
            provider_finish_reason=self.provider_finish_reason or None,
            usage=replace(usage, model_calls=1),
            model=self.model,
            id=self.id,
            reasoning=repair_surrogates("".join(self._reasoning)),
        )

    def partial_usage(self, price: Price | None, prompt_tokens: int, unread: int = 0) -> Usage:
        """Return the usage of a response that broke off: what was reported, the rest estimated.

        Args:
            price: The model's price; None if it is unknown.
            prompt_tokens: An estimate of the request's tokens, if no count has arrived.
            unread: Characters of the response that were not read; 0 by default.
        """
        received = self._estimated_output(unread)
        if not self.is_complete:
            # Counts that arrive before the end are those so far, such as Anthropic's first "1".
            received = max(0, received - self.usage.output_tokens)
        elif self.usage.output_tokens:
            received = 0
        sent = 0 if self.usage.input_tokens else prompt_tokens
        return replace(self._with_cost(self._with_estimates(sent, received), price), failed_calls=1)

    def _with_estimates(self, sent: int, received: int) -> Usage:
        """Return the usage with estimated tokens added."""
        return replace(
            self.usage,
            input_tokens=self.usage.input_tokens + sent,
            output_tokens=self.usage.output_tokens + received,
            estimated_tokens=sent + received,
        )

    def _estimated_output(self, unread: int = 0) -> int:
        return estimate_tokens(sum(map(len, (*self._texts, *self._reasoning))) + unread)

    def _with_cost(self, usage: Usage, price: Price | None) -> Usage:
        """Return the usage with its cost: the one that the provider reports, else the price's.

        A reported 0 counts as not reported if there is a price: Azure sends 0 for models of xAI.
        """
        if self.cost or price is None:
            return replace(usage, usd=self.cost or 0.0)
        return replace(usage, usd=price.cost(usage))

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


@runtime_checkable
class AcceptsTuning(Protocol):
    """A provider's protocol that also has fields for the options `effort` and `cache`."""

    def tune(
        self, body: dict[str, object], model: str, *, effort: Effort | None, cache: bool
    ) -> None:
        """Add the fields for the two options to the JSON that `ProviderProtocol.body` returned.

        Args:
            body: The JSON; changed in place. The model calls this once with an empty one, to
                check the options where they are written.
            model: The provider's name of the model.
            effort: How much the model may reason; None for the provider's default.
            cache: Mark the part of the conversation that is to be stored.

        Raises:
            UnsupportedError: the model has no such option.
        """
        ...

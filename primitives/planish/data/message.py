"""What a model is asked and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from planish.data.record import Record
from planish.data.usage import Usage

__all__ = ["FinishReason", "Message", "Reply", "Request", "Role"]

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length", "content_filter", "tool_calls", "error", "unknown"]


@dataclass(frozen=True, slots=True)
class Message(Record):
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Record):
    """One question to a model. Requests are built from records: no chat is kept between them.

    Attributes:
        messages: The conversation, oldest first.
        temperature: Sampling temperature; None (the default) leaves it to the model.
        max_tokens: The most tokens to answer with; None leaves it to the model.
        seed: Sampling seed, for providers that take one.
        stop: Texts that end the answer.
        schema: JSON schema of an answer that is to be JSON; sent where the provider takes one.
            See `planish.structured.ask_for`.
        task_id: `Task.id`, for recordings and traces; not sent.
        attempt: Which attempt of its loop this is for, from 1; not sent.
        candidate: Which of several independent candidates, from 0; not sent.
    """

    messages: tuple[Message, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    task_id: str | None = None
    attempt: int = 1
    candidate: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Record):
    """One answer of a model.

    Attributes:
        text: What it wrote, reasoning left out.
        finish_reason: Why it stopped; "length" means the text is cut off.
        usage: Tokens and cost of this one request.
        model: The model that answered, as it names itself.
        id: The provider's id for the answer.
        reasoning: What it thought aloud, where the provider shows it.
        resends: How often the request was sent again before it was answered.
        request_id: The provider's id for the request, for its support.
    """

    text: str
    finish_reason: FinishReason = "stop"
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    id: str | None = None
    reasoning: str = ""
    resends: int = 0
    request_id: str | None = None

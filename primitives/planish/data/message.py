"""`Message`, `Request` and `Reply`: the input and output of a model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from planish.arguments import require_choice, require_text
from planish.data.record import Record
from planish.data.usage import Usage, estimate_tokens

__all__ = ["FinishReason", "Message", "Reply", "Request", "Role"]

Role = Literal["system", "user", "assistant"]
_ROLES: tuple[Role, ...] = get_args(Role)
FinishReason = Literal["stop", "length", "content_filter", "tool_calls", "error", "unknown"]


@dataclass(frozen=True, slots=True)
class Message(Record):
    """One turn of a conversation: its role and its text.

    Raises:
        ValueError: the role is none of "system", "user" and "assistant", or the content no text.
    """

    role: Role
    content: str

    def __post_init__(self) -> None:
        if self.role not in _ROLES:
            require_choice("Message", "role", self.role, _ROLES)
        if not isinstance(cast("object", self.content), str):
            require_text("Message", "content", self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Record):
    """A request to a model, with the whole conversation: models keep no state between requests.

    Attributes:
        messages: The conversation, oldest message first.
        temperature: Sampling temperature; None (the default) for the model's own default.
        max_tokens: Maximum number of tokens of the reply; None for the model's own default.
        seed: Sampling seed. Sent to providers that accept one.
        stop: Texts that end the reply.
        schema: JSON schema that the reply must match. Sent to providers that accept one. See
            `planish.structured.ask_for`.
        task_id: `Task.id`, for recordings and traces; not sent.
        attempt: Number of the loop's attempt, from 1; not sent.
        candidate: Number of the independent candidate, from 0; not sent.
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

    def estimate_tokens(self) -> int:
        """Return a rough number of the prompt's tokens: one per four characters."""
        return estimate_tokens(sum(len(message.content) for message in self.messages))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Record):
    """A model's reply to one request.

    Attributes:
        text: The text of the reply, without reasoning.
        finish_reason: Why the model stopped; "length" means that the text is cut off,
            "unknown" that the provider gave no reason, or one that planish does not know.
        provider_finish_reason: The provider's own word for it, such as "end_turn", in at most 100
            characters; None if it gave none.
        usage: Tokens and cost of this request.
        failed_usage: What the tries before this reply used, and others that failed on the way to
            it; not part of `usage`.
        model: Name of the model that replied, as the provider reports it.
        id: The provider's id of the reply.
        reasoning: The reasoning text, if the provider returns it.
        resends: How many times the request was sent again before this reply.
        request_id: The provider's id of the request, for support.
    """

    text: str
    finish_reason: FinishReason = "stop"
    provider_finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    failed_usage: Usage = field(default_factory=Usage)
    model: str | None = None
    id: str | None = None
    reasoning: str = ""
    resends: int = 0
    request_id: str | None = None

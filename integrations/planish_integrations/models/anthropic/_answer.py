"""The Messages wire: how answers are read."""

from collections.abc import Mapping

from planish.data.message import FinishReason
from planish.data.usage import Usage
from planish_integrations.models.transport.decoded import as_count, as_list, as_map, as_text
from planish_integrations.models.transport.wire import Answer, NonsenseError

__all__ = ["MessagesAnswer"]

_FINISHES: Mapping[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "pause_turn": "tool_calls",  # a tool of Anthropic's own takes longer than one request may
    "refusal": "content_filter",
}


class MessagesAnswer(Answer):
    """A `message`, or a stream of its events."""

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, object] = {}
        self._stopped = False

    @property
    def finished(self) -> bool:
        """`message_delta` has come, with the stop reason and the last of the usage."""
        return self._stopped

    def whole(self, body: object) -> None:
        """Take a `message`."""
        message = as_map(body)
        if "content" not in message:
            raise NonsenseError(f"no content: {body!r:.200}")
        for block in as_list(message.get("content")):
            self._piece(as_map(block))
        self._about(message)
        self._ending(message, message)

    def event(self, event: object) -> None:
        """Take one event; a kind that is not known says nothing (as Anthropic asks for)."""
        fields = as_map(event)
        match fields.get("type"):
            case "message_start":
                message = as_map(fields.get("message"))
                self.begun = True
                self._about(message)
                self._count(as_map(message.get("usage")))
            case "content_block_start":
                self._piece(as_map(fields.get("content_block")))
            case "content_block_delta":
                self._piece(as_map(fields.get("delta")))
            case "message_delta":
                self._ending(as_map(fields.get("delta")), fields)
            case "message_stop":
                self.over = True
            case _:
                pass

    def _piece(self, block: Mapping[str, object]) -> None:
        """A block, the beginning of one, or a piece of one; tools and signatures say nothing."""
        match block.get("type"):
            case "text" | "text_delta":
                self.begun = True
                self.say(as_text(block.get("text")))
            case "thinking" | "thinking_delta":
                self.begun = True
                self.think(as_text(block.get("thinking")))
            case _:
                pass

    def _ending(self, reasons: Mapping[str, object], usage_in: Mapping[str, object]) -> None:
        self._count(as_map(usage_in.get("usage")))
        if reason := as_text(reasons.get("stop_reason")):
            self.finish = _FINISHES.get(reason, "unknown")
            self.begun = self._stopped = True

    def _about(self, message: Mapping[str, object]) -> None:
        self.named(model=as_text(message.get("model")), id=as_text(message.get("id")))

    def _count(self, told: Mapping[str, object]) -> None:
        """Counts of a stream come in two events; each is of the whole answer, the last holds."""
        self._told |= {name: value for name, value in told.items() if value is not None}
        cached = as_count(self._told.get("cache_read_input_tokens"))
        self.written = as_count(self._told.get("cache_creation_input_tokens"))
        details = as_map(self._told.get("output_tokens_details"))
        self.tokens = Usage(
            # Anthropic's own count leaves out what was read from or written to the cache.
            input_tokens=as_count(self._told.get("input_tokens")) + cached + self.written,
            output_tokens=as_count(self._told.get("output_tokens")),
            cached_tokens=cached,
            reasoning_tokens=as_count(details.get("thinking_tokens")),
        )

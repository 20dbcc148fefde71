"""Ollama's wire: what is sent, and how answers are read. A whole one is a stream of one line."""

from collections.abc import Mapping
from dataclasses import dataclass

from planish.data.message import FinishReason, Request
from planish.data.usage import Usage
from planish_integrations.models.transport.decoded import as_count, as_map, as_text
from planish_integrations.models.transport.wire import Answer, Framing, NonsenseError

__all__ = ["OllamaAnswer", "OllamaWire"]

_FINISHES: Mapping[str, FinishReason] = {"stop": "stop", "length": "length", "": "stop"}


@dataclass(frozen=True, slots=True)
class OllamaWire:
    """`POST {base}/api/chat`."""

    @property
    def framing(self) -> Framing:
        """One object a line."""
        return "lines"

    @property
    def own_fields(self) -> frozenset[str]:
        """What the wire sets, and nobody else may."""
        return frozenset({"model", "messages", "stream"})

    def path(self, model: str, *, streamed: bool) -> str:
        """The same for all."""
        del model, streamed
        return "/api/chat"

    def headers(self, key: str) -> Mapping[str, str]:
        """The key, where there is one."""
        return {"authorization": f"Bearer {key}"} if key else {}

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """What to send; sampling parameters have a place of their own."""
        wishes: dict[str, object] = {
            "temperature": request.temperature,
            "num_predict": request.max_tokens,
            "seed": request.seed,
            "stop": list(request.stop) or None,
        }
        options = {name: wish for name, wish in wishes.items() if wish is not None}
        body: dict[str, object] = {
            "model": model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "stream": streamed,  # said aloud: Ollama streams where nothing is said
        }
        if request.schema is not None:
            body["format"] = dict(request.schema)
        return body | ({"options": options} if options else {})

    def answer(self) -> "OllamaAnswer":
        """A fresh answer to read into."""
        return OllamaAnswer()


class OllamaAnswer(Answer):
    """One object, or a stream of them; the last one has `done` and the counts."""

    @property
    def finished(self) -> bool:
        """The object with `done` has come."""
        return self.over

    def whole(self, body: object) -> None:
        """Take an answer of one object."""
        self.event(body)
        if not self.over:
            raise NonsenseError(f"not done: {body!r:.200}")

    def event(self, event: object) -> None:
        """Take one object."""
        fields = as_map(event)
        message = as_map(fields.get("message"))
        if not message and fields.get("done") is not True:
            raise NonsenseError(f"no message: {event!r:.200}")
        self.begun = True
        self.named(model=as_text(fields.get("model")))
        self.think(as_text(message.get("thinking")))
        self.say(as_text(message.get("content")))
        if fields.get("done") is True:
            self.finish = _FINISHES.get(as_text(fields.get("done_reason")), "unknown")
            self.tokens = Usage(
                input_tokens=as_count(fields.get("prompt_eval_count")),
                output_tokens=as_count(fields.get("eval_count")),
            )
            self.over = True

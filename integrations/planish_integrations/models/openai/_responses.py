"""The Responses wire: what is sent, and how answers are read."""

from collections.abc import Mapping
from dataclasses import dataclass

from planish.data.message import FinishReason, Request
from planish_integrations.models.openai._common import (
    Dialect,
    named_schema,
    refuse,
    usage_of,
    written_of,
)
from planish_integrations.models.transport.json_values import as_count, as_list, as_map, as_text
from planish_integrations.models.transport.protocol import (
    Answer,
    ComplaintError,
    Framing,
    NonsenseError,
    complaint_in,
)

__all__ = ["ResponsesAnswer", "ResponsesWire"]

_TEXTS = ("output_text", "refusal")
_THOUGHTS = ("reasoning_text", "summary_text")
_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_STATUSES: Mapping[str, FinishReason] = {
    "completed": "stop",
    "max_output_tokens": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "failed": "error",
    "cancelled": "error",
}


@dataclass(frozen=True, slots=True)
class ResponsesWire:
    """`POST {base}/responses`. It takes no seed and no stop texts.

    Attributes:
        dialect: How this server differs from others; only its key header counts here.
    """

    dialect: Dialect

    @property
    def framing(self) -> Framing:
        """Server-sent events."""
        return "events"

    @property
    def own_fields(self) -> frozenset[str]:
        """What the wire sets, and nobody else may."""
        return frozenset({"model", "input", "stream"})

    def path(self, model: str, *, streamed: bool) -> str:
        """The same for all."""
        del model, streamed
        return "/responses"

    def headers(self, key: str) -> Mapping[str, str]:
        """The key, where there is one."""
        return self.dialect.key_headers(key)

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """What to send; what the request leaves open is not sent at all.

        Raises:
            UnsupportedError: the request has a seed or stop texts.
        """
        refuse(request, "models of the Responses API", seed=True, stop=True)
        body: dict[str, object] = {
            "model": model,
            "input": [{"role": m.role, "content": m.content} for m in request.messages],
            "store": False,  # requests are built from records: nobody goes on from this one
        }
        wishes: dict[str, object] = {
            "stream": True if streamed else None,
            "temperature": request.temperature,
            "max_output_tokens": request.max_tokens,
            "text": None
            if request.schema is None
            else {"format": {"type": "json_schema"} | named_schema(request.schema)},
        }
        return body | {name: wish for name, wish in wishes.items() if wish is not None}

    def answer(self) -> "ResponsesAnswer":
        """A fresh answer to read into."""
        return ResponsesAnswer()


class ResponsesAnswer(Answer):
    """A `response`, or a stream of its events."""

    def __init__(self) -> None:
        super().__init__()
        self._ended = False
        self._told: set[tuple[str, int, int]] = set()

    @property
    def finished(self) -> bool:
        """The event with the whole response, its status and its usage has come."""
        return self._ended

    def whole(self, body: object) -> None:
        """Take a `response`."""
        response = as_map(body)
        if "output" not in response:
            raise NonsenseError(f"no output: {body!r:.200}")
        self._items(response)
        self._ending(response)

    def event(self, event: object) -> None:
        """Take one event; of the many kinds, those that say something."""
        fields = as_map(event)
        kind = as_text(fields.get("type"))
        if kind in _ENDS:
            response = as_map(fields.get("response"))
            if not self._told:  # else all that stands in here was told piece by piece
                self._items(response)
            self._ending(response)
        elif kind == "response.created":
            self._about(as_map(fields.get("response")))
        elif kind.endswith((".delta", ".done")):
            part = kind.removeprefix("response.").rpartition(".")[0]
            part = "summary_text" if part == "reasoning_summary_text" else part
            last = kind.endswith(".done")
            said = fields.get("text", fields.get("refusal")) if last else fields.get("delta")
            inner = fields.get("content_index", fields.get("summary_index"))
            where = (as_count(fields.get("output_index")), as_count(inner))
            self._part(part, as_text(said), where, last=last)

    def _items(self, response: Mapping[str, object]) -> None:
        for place, item in enumerate(map(as_map, as_list(response.get("output")))):
            for name in ("summary", "content"):
                for inner, part in enumerate(map(as_map, as_list(item.get(name)))):
                    text = as_text(part.get("text")) or as_text(part.get("refusal"))
                    self._part(as_text(part.get("type")), text, (place, inner), last=True)

    def _part(self, kind: str, text: str, where: tuple[int, int], *, last: bool) -> None:
        """A piece of a part, or, as `last`, all of it: that is news where no piece came."""
        if kind not in _TEXTS and kind not in _THOUGHTS:
            return
        self.begun = True
        told = (kind, *where)
        if last and told in self._told:
            return
        self._told.add(told)
        (self.say if kind in _TEXTS else self.think)(text)

    def _ending(self, response: Mapping[str, object]) -> None:
        status = as_text(response.get("status"))
        if complaint := complaint_in({"error": response.get("error")}):
            raise ComplaintError(complaint)
        self._about(response)
        why = as_text(as_map(response.get("incomplete_details")).get("reason"))
        self.finish = _STATUSES.get(why if status == "incomplete" else status, "unknown")
        told = as_map(response.get("usage"))
        self.tokens, self.written = usage_of(told), written_of(told)
        self.begun = self._ended = self.over = True

    def _about(self, response: Mapping[str, object]) -> None:
        self.named(model=as_text(response.get("model")), id=as_text(response.get("id")))

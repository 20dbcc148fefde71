"""The Responses protocol: build requests, read responses."""

from collections.abc import Mapping
from dataclasses import dataclass

from planish.data.message import Request
from planish_integrations.models.openai._common import (
    ProtocolVariant,
    named_schema,
    parse_cost,
    parse_usage,
    reject_unsupported,
)
from planish_integrations.models.transport.json_values import as_count, as_list, as_map, as_text
from planish_integrations.models.transport.protocol import (
    Effort,
    Framing,
    InBandError,
    ProtocolError,
    ResponseReader,
    find_error_body,
)

__all__ = ["ResponsesProtocol", "ResponsesReader"]

_TEXT_PARTS = ("output_text", "refusal")
_REASONING_PARTS = ("reasoning_text", "summary_text")
_END_EVENTS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")


def _single_part(content: object) -> list[object]:
    """Return the part that content stands for which is no list: a text, or a part itself."""
    if isinstance(content, str):
        return [{"type": "output_text", "text": content}]
    return [content] if isinstance(content, dict) else []


@dataclass(frozen=True, slots=True)
class ResponsesProtocol:
    """The protocol of `POST {base}/responses`; it accepts no seed and no stop texts.

    Attributes:
        variant: How this server differs from others; only its key header is used here.
    """

    variant: ProtocolVariant

    @property
    def framing(self) -> Framing:
        """Server-sent events."""
        return "events"

    @property
    def reserved_fields(self) -> frozenset[str]:
        """The fields of the body that `extra` may not set."""
        return frozenset({"model", "input", "stream"})

    def path(self, model: str, *, streamed: bool) -> str:
        """Return the path, the same for all requests."""
        del model, streamed
        return "/responses"

    def headers(self, key: str) -> Mapping[str, str]:
        """Return the header with the key; none if the key is empty."""
        return self.variant.key_headers(key)

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """Return the JSON to send; fields that the request leaves unset are omitted.

        Raises:
            UnsupportedError: the request has a seed or stop texts.
        """
        reject_unsupported(request, "models of the Responses API", seed=True, stop=True)
        body: dict[str, object] = {
            "model": model,
            "input": [{"role": m.role, "content": m.content} for m in request.messages],
            "store": False,  # planish sends the whole conversation, so no request refers to this
        }
        optional: dict[str, object] = {
            "stream": True if streamed else None,
            "temperature": request.temperature,
            "max_output_tokens": request.max_tokens,
            "text": None
            if request.schema is None
            else {"format": {"type": "json_schema"} | named_schema(request.schema)},
        }
        return body | {name: value for name, value in optional.items() if value is not None}

    def tune(
        self, body: dict[str, object], model: str, *, effort: Effort | None, cache: bool
    ) -> None:
        """Add the effort; servers of this API cache by themselves, so nothing is sent for it."""
        del model, cache
        if effort is not None:
            body["reasoning"] = {"effort": effort}

    def reader(self) -> "ResponsesReader":
        """Return a new reader for one response."""
        return ResponsesReader()


class ResponsesReader(ResponseReader):
    """Reads a `response`, or a stream of its events."""

    def __init__(self) -> None:
        super().__init__()
        self._has_end_event = False
        self._seen_parts: set[tuple[str, int, int]] = set()
        self._commentary: set[int] = set()
        self._last_item: dict[bool, int] = {}  # of the answer and of the reasoning

    @property
    def is_complete(self) -> bool:
        """The event with the whole response, its status and its usage has arrived."""
        return self._has_end_event

    def read_body(self, body: object) -> None:
        """Read a `response`."""
        response = as_map(body)
        self._read_end(response)  # first: it is paid for even if it cannot be read
        if not isinstance(response.get("output"), list):
            raise ProtocolError(f"no output: {body!r:.200}")
        self._read_items(response)

    def read_event(self, event: object) -> None:
        """Read one event; kinds without text, identity or end are ignored."""
        fields = as_map(event)
        kind = as_text(fields.get("type"))
        if kind in _END_EVENTS:
            response = as_map(fields.get("response"))
            if not self._seen_parts:  # otherwise the events before it had all of the text
                self._read_items(response)
            self._read_end(response)
        elif kind == "response.created":
            self._read_identity(as_map(fields.get("response")))
        elif kind == "response.output_item.added":
            self._note_item(as_count(fields.get("output_index")), as_map(fields.get("item")))
        elif kind.endswith((".delta", ".done")):
            part = kind.removeprefix("response.").rpartition(".")[0]
            part = "summary_text" if part == "reasoning_summary_text" else part
            is_whole = kind.endswith(".done")
            text = fields.get("text", fields.get("refusal")) if is_whole else fields.get("delta")
            inner = fields.get("content_index", fields.get("summary_index"))
            position = (as_count(fields.get("output_index")), as_count(inner))
            self._read_part(part, as_text(text), position, is_whole=is_whole)

    def _read_items(self, response: Mapping[str, object]) -> None:
        for index, item in enumerate(map(as_map, as_list(response.get("output")))):
            self._note_item(index, item)
            for name in ("summary", "content"):
                parts = as_list(item.get(name)) or _single_part(item.get(name))
                for inner, part in enumerate(map(as_map, parts)):
                    text = as_text(part.get("text")) or as_text(part.get("refusal"))
                    kind = as_text(part.get("type"))
                    self._read_part(kind, text, (index, inner), is_whole=True)

    def _read_part(
        self, kind: str, text: str, position: tuple[int, int], *, is_whole: bool
    ) -> None:
        """Read a piece of a part; a whole part is ignored if pieces of it were read before."""
        if kind not in _TEXT_PARTS and kind not in _REASONING_PARTS:
            return
        self.has_started = True
        if kind == "refusal":
            self.note_refusal()
        part = (kind, *position)
        if is_whole and part in self._seen_parts:
            return
        self._seen_parts.add(part)
        is_answer = kind in _TEXT_PARTS and position[0] not in self._commentary
        add = self.add_text if is_answer else self.add_reasoning
        before = self._last_item.get(is_answer, position[0])
        self._last_item[is_answer] = position[0]
        # Each item is a message of its own; without a blank line they would run together.
        add("\n\n" + text if before != position[0] else text)

    def _note_item(self, index: int, item: Mapping[str, object]) -> None:
        """Note whether an item is commentary, or a call of a tool."""
        if item.get("type") in {"function_call", "custom_tool_call"}:
            self.note_tool_call()
        if item.get("phase") == "commentary":
            self._commentary.add(index)

    def _read_end(self, response: Mapping[str, object]) -> None:
        status = as_text(response.get("status"))
        if error_body := find_error_body({"error": response.get("error")}):
            raise InBandError(error_body)
        self._read_identity(response)
        reason = as_text(as_map(response.get("incomplete_details")).get("reason"))
        ending = reason if status == "incomplete" else status
        self.set_finish_reason(ending or status)
        usage = as_map(response.get("usage"))
        self.usage, self.cost = parse_usage(usage), parse_cost(usage)
        self.has_started = self._has_end_event = self.has_ended = True

    def _read_identity(self, response: Mapping[str, object]) -> None:
        self.set_identity(model=as_text(response.get("model")), id=as_text(response.get("id")))

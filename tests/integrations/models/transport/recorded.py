"""The recorded exchanges, and what each says, read in a second and simpler way."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.integrations.models.openai.loopback import Answer

Shared = Callable[[str], Path]
Said = tuple[str, str]
Tokens = tuple[int, int, int, int]

NONE: dict[str, Any] = {}
CHAT = {"chat.completions"}
APIS = {
    "chat": CHAT,
    "responses": {"responses"},
    "anthropic": {"anthropic.messages"},
    "gemini": {"gemini.generate", "gemini.stream"},
    "ollama": {"ollama.chat"},
}
"""Which recorded APIs each protocol speaks."""

FINISHES: Mapping[str, str] = {
    "eos": "stop",
    "function_call": "tool_calls",
    "end_turn": "stop",
    "tool_use": "tool_calls",
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "UNEXPECTED_TOOL_CALL": "error",
    "completed": "stop",
}


@dataclass(frozen=True)
class Exchange:
    """One recorded exchange."""

    row: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def api(self) -> str:
        return str(self.row["api"])

    @property
    def status(self) -> int:
        return int(self.row["status"])

    @property
    def streamed(self) -> bool:
        return bool(self.row["stream"])

    @property
    def framing(self) -> Any:
        return "lines" if self.api == "ollama.chat" else "events"

    @property
    def body(self) -> bytes:
        text = self.row["response_text"]
        return (json.dumps(self.row["response_json"]) if text is None else str(text)).encode()

    def answer(self, cuts: tuple[int, ...] = ()) -> Answer:
        """It, to be served again as it was."""
        return Answer(self.body, self.status, self.row["resp_headers"] or {}, cuts)

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The decoded body, or those of its events."""
        if not self.streamed:
            return [json.loads(self.body)]
        lines = [line.strip() for line in self.body.decode().split("\n")]
        data = [line.removeprefix("data:").strip() for line in lines]
        return [json.loads(text) for text in data if text.startswith("{")]

    @property
    def said(self) -> Said:
        """Its text and its reasoning."""
        pieces = list(READERS[self.api](self))
        return "".join(text for text, _ in pieces), "".join(thought for _, thought in pieces)

    @property
    def finish(self) -> str:
        if self.api == "responses":
            finish = FINISHES[self.last_response["status"]]
        else:
            reasons: list[str] = [r for r in self.row["finish"] if r != "refusal_field"]
            finish = FINISHES.get(reasons[0], reasons[0]) if reasons else "unknown"
        if finish not in {"stop", "unknown"}:
            return finish
        # The text of the body, since neither word stands in a prompt that it repeats.
        text = json.dumps(self.objects)
        if re.search(r'"refusal": "|"type": "refusal"', text):
            return "content_filter"
        calls = r'"(functionCall|function_call)": \{|"tool_calls": \[\{|"type": "function_call"'
        return "tool_calls" if re.search(calls, text) else finish

    @property
    def last_response(self) -> dict[str, Any]:
        last = self.objects[-1]
        response: dict[str, Any] = last.get("response", last)
        return response

    @property
    def usage(self) -> Tokens:
        """Tokens: input, output, cached, reasoning."""
        match self.api:
            case "responses":
                return openai_tokens(self.last_response["usage"], "input", "output")
            case "anthropic.messages":
                return anthropic_tokens(self.objects)
            case "gemini.generate" | "gemini.stream":
                return gemini_tokens(self.objects)
            case "ollama.chat":
                last = self.objects[-1]
                return last["prompt_eval_count"], last["eval_count"], 0, 0
            case _:
                told = [
                    o.get("usage") or (o.get("x_groq") or NONE).get("usage") for o in self.objects
                ]
                last_told = [t for t in told if t]
                return openai_tokens(last_told[-1] if last_told else NONE, "prompt", "completion")

    @property
    def _counts(self) -> dict[str, Any]:
        """The last counts in it, wherever they stand."""
        found: dict[str, Any] = {}
        for value in self.objects:
            for place in (value, value.get("response") or NONE, value.get("x_groq") or NONE):
                found = place.get("usage") or place.get("usageMetadata") or found
        return found

    @property
    def total(self) -> int | None:
        """The provider's own total of tokens; None if it states none."""
        return self._counts.get("total_tokens", self._counts.get("totalTokenCount"))

    @property
    def cost(self) -> float | None:
        """The provider's own figure of the cost in US dollars; None if it states none."""
        counts = self._counts
        nested: dict[str, Any] = {"total_cost": counts.get("cost")}
        if isinstance(counts.get("cost"), dict):
            nested = counts["cost"]
        ticks: float | None = counts.get("cost_in_usd_ticks")
        stated: float | None = nested["total_cost"]
        return stated if ticks is None else ticks / 1e10


def openai_tokens(told: dict[str, Any], sent: str, received: str) -> Tokens:
    of_sent: dict[str, Any] = told.get(f"{sent}_tokens_details") or NONE
    of_received: dict[str, Any] = told.get(f"{received}_tokens_details") or NONE
    counted = (told.get(f"{sent}_tokens", 0), told.get(f"{received}_tokens", 0))
    omitted = told.get("total_tokens", sum(counted)) - sum(counted)  # Gemini's thoughts
    return (
        counted[0],
        counted[1] + omitted,
        of_sent.get("cached_tokens", 0),
        of_received.get("reasoning_tokens", 0) or omitted,
    )


def anthropic_tokens(objects: list[dict[str, Any]]) -> Tokens:
    """Cached ones are input, too, and an advisor counts, which Anthropic's own counts omit."""
    told: dict[str, Any] = {}
    for value in objects:
        told |= value.get("message", NONE).get("usage", NONE) | (value.get("usage") or NONE)
    cached = told.get("cache_read_input_tokens", 0)
    written = told.get("cache_creation_input_tokens", 0)
    thought = (told.get("output_tokens_details") or NONE).get("thinking_tokens", 0)
    advice = [i for i in told.get("iterations", ()) if i["type"] == "advisor_message"]
    sent = told["input_tokens"] + cached + written + sum(i["input_tokens"] for i in advice)
    received = told["output_tokens"] + sum(i["output_tokens"] for i in advice)
    return sent, received, cached, thought


def gemini_tokens(objects: list[dict[str, Any]]) -> Tokens:
    """Thoughts are output, and what a tool put into the prompt is input."""
    told: dict[str, Any] = {}
    for value in objects:
        told |= value.get("usageMetadata", NONE)
    sent = told["promptTokenCount"] + told.get("toolUsePromptTokenCount", 0)
    thought = told.get("thoughtsTokenCount", 0)
    received = told.get("candidatesTokenCount", 0) + thought
    return sent, received, told.get("cachedContentTokenCount", 0), thought


def chat_said(exchange: Exchange) -> Iterator[Said]:
    for value in exchange.objects:
        for choice in value["choices"]:
            m = choice["delta"] if exchange.streamed else choice.get("message", {})
            thought = m.get("reasoning_content") or m.get("reasoning") or ""
            yield (m.get("content") or "") + (m.get("refusal") or ""), thought


def responses_said(exchange: Exchange) -> Iterator[Said]:
    output = exchange.last_response["output"]
    for item in output:
        parts: list[dict[str, Any]] = [*(item.get("summary") or ()), *(item.get("content") or ())]
        for part in parts:
            is_text = part["type"] == "output_text"
            yield (part["text"], "") if is_text else ("", part["text"])
    if not output:  # OpenRouter's last event has none
        for value in exchange.objects:
            kind, delta = value["type"], value.get("delta", "")
            if kind == "response.output_text.delta":
                yield delta, ""
            elif "reasoning" in kind and kind.endswith(".delta"):
                yield "", delta


def anthropic_said(exchange: Exchange) -> Iterator[Said]:
    blocks: list[dict[str, Any]] = []
    if not exchange.streamed:
        blocks += exchange.objects[0]["content"]
    for value in exchange.objects:
        blocks += [value.get("delta", NONE), value.get("content_block", NONE)]
    for block in blocks:
        if block.get("type", "text").startswith("text"):
            yield block.get("text", ""), ""
        elif block["type"].startswith("thinking"):
            yield "", block["thinking"]


def gemini_said(exchange: Exchange) -> Iterator[Said]:
    for value in exchange.objects:
        for part in value["candidates"][0]["content"].get("parts", []):
            text = part.get("text", "")
            yield ("", text) if part.get("thought") else (text, "")


def ollama_said(exchange: Exchange) -> Iterator[Said]:
    for value in exchange.objects:
        yield value["message"]["content"], value["message"].get("thinking", "")


READERS: Mapping[str, Callable[[Exchange], Iterator[Said]]] = {
    "chat.completions": chat_said,
    "responses": responses_said,
    "anthropic.messages": anthropic_said,
    "gemini.generate": gemini_said,
    "gemini.stream": gemini_said,
    "ollama.chat": ollama_said,
}


def exchanges(shared_data: Shared) -> list[Exchange]:
    """All recorded exchanges, of every provider and API."""
    lines = shared_data("wire/exchanges_dev.jsonl").read_text().splitlines()
    return [Exchange(json.loads(line)) for line in lines]


def answered(shared_data: Shared, protocol: str) -> list[Exchange]:
    """Those that a protocol speaks and that were answered."""
    rows = exchanges(shared_data)
    return [r for r in rows if r.row["api"] in APIS[protocol] and r.status == 200]

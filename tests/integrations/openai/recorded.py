"""The recorded exchanges, and what each says, read in a second and simpler way."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.integrations.openai.loopback import Answer

FINISHES = {"eos": "stop", "function_call": "tool_calls"}


@dataclass(frozen=True)
class Exchange:
    """One recorded exchange."""

    row: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def status(self) -> int:
        return int(self.row["status"])

    @property
    def streamed(self) -> bool:
        return bool(self.row["stream"])

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
        lines = self.body.decode().split("\n")
        data = [line.removeprefix("data: ") for line in lines if line.startswith("data: {")]
        return [json.loads(text) for text in data]

    @property
    def text(self) -> str:
        said = [(m.get("content") or "") + (m.get("refusal") or "") for m in self._messages()]
        return "".join(said)

    @property
    def reasoning(self) -> str:
        said = [m.get("reasoning_content") or m.get("reasoning") or "" for m in self._messages()]
        return "".join(said)

    @property
    def finish(self) -> str:
        reasons: list[str] = [r for r in self.row["finish"] if r != "refusal_field"]
        return FINISHES.get(reasons[0], reasons[0]) if reasons else "unknown"

    @property
    def usage(self) -> tuple[int, int, int, int]:
        """Tokens: input, output, cached, reasoning."""
        none: dict[str, Any] = {}
        told = none
        for value in self.objects:
            groq: dict[str, Any] = value.get("x_groq") or none
            told = value.get("usage") or groq.get("usage") or told
        sent: dict[str, Any] = told.get("prompt_tokens_details") or none
        received: dict[str, Any] = told.get("completion_tokens_details") or none
        return (
            told.get("prompt_tokens", 0),
            told.get("completion_tokens", 0),
            sent.get("cached_tokens", 0),
            received.get("reasoning_tokens", 0),
        )

    def _messages(self) -> Iterator[dict[str, Any]]:
        for value in self.objects:
            for choice in value["choices"]:
                yield choice["delta"] if self.streamed else choice.get("message", {})


def exchanges(shared_data: Callable[[str], Path]) -> list[Exchange]:
    """All recorded exchanges, of every provider and API."""
    lines = shared_data("wire/exchanges_dev.jsonl").read_text().splitlines()
    return [Exchange(json.loads(line)) for line in lines]


def answered(shared_data: Callable[[str], Path]) -> list[Exchange]:
    """Those of the chat-completions API that were answered."""
    rows = exchanges(shared_data)
    return [r for r in rows if r.row["api"] == "chat.completions" and r.status == 200]

"""Ollama's own API (/api/chat): the model, its requests and its responses.

>>> from planish_integrations.ollama import OllamaModel
>>> OllamaModel("qwen3:8b")
OllamaModel('qwen3:8b', provider='ollama')
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

import httpx

from planish.data.message import FinishReason, Request
from planish.data.usage import Usage
from planish_integrations.models.transport import (
    Endpoint,
    HttpModel,
    Options,
    Secret,
    key_of,
    new_client,
)
from planish_integrations.models.transport.json_values import (
    as_count,
    as_list,
    as_map,
    as_text,
    decode,
)
from planish_integrations.models.transport.protocol import Answer, Framing, NonsenseError

__all__ = ["OLLAMA_URL", "OllamaAnswer", "OllamaModel", "OllamaWire", "listed"]

OLLAMA_URL = "http://localhost:11434"
"""Where Ollama listens when nobody told it otherwise."""


class OllamaModel(HttpModel):
    """A model served by Ollama, over its own API: NDJSON, with options OpenAI's has no name for.

    All that is said of `HttpModel` holds. More of Ollama's options, such as the size of the
    context, go into `extra`: `{"options": {"num_ctx": 16384}, "think": True}`.

    Args:
        name: The model, as `ollama list` names it.
        api_key: For ollama.com: the key; None (the default) reads OLLAMA_API_KEY, once, here.
            A server of one's own needs none.
        base_url: What stands before `/api/chat`.
        provider: Who serves it.
        options: Time-outs, backoff and more: see `Options`.

    Raises:
        AuthenticationError: the key cannot stand in an HTTP header.
        ValueError: `base_url` is not an http(s) URL; a time is not above 0; `extra` sets the
            model, messages or stream.
        TypeError: `extra` holds something JSON has no form for.
    """

    HOME = OLLAMA_URL

    def __init__(
        self,
        name: str,
        *,
        api_key: Secret | str | None = None,
        base_url: str = OLLAMA_URL,
        provider: str = "ollama",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(
            name,
            wire=OllamaWire(),
            provider=provider,
            base_url=base_url,
            api_key=key_of(api_key, os.environ, "OLLAMA_API_KEY", needed_by=None),
            **options,
        )


_PATIENCE = httpx.Timeout(2.0, connect=0.3)  # seconds; a server on this machine needs less


async def listed(base_url: str = OLLAMA_URL) -> list[str] | None:
    """The names of the models an Ollama has, newest first; None where there is no such server.

    Waits 0.3 s for a connection, and 2 s for the answer.

    Args:
        base_url: Where to ask.

    Raises:
        ValueError: `base_url` is not an http(s) URL.
    """
    endpoint = Endpoint("ollama", base_url, Secret(""))
    async with new_client(proxies=not endpoint.is_local) as client:
        try:
            response = await client.get(endpoint.url("/api/tags"), timeout=_PATIENCE)
            tags = decode(response.content)
        except (httpx.TransportError, httpx.DecodingError, ValueError):
            return None  # nobody there, or somebody else
    if not response.is_success:
        return None
    names = (as_text(as_map(model).get("name")) for model in as_list(as_map(tags).get("models")))
    return [name for name in names if name]


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

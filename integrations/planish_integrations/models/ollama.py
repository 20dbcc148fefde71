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

from planish.data.message import Request
from planish.data.usage import Usage
from planish_integrations.models.transport import (
    ApiKey,
    Endpoint,
    HttpModel,
    Options,
    Secret,
    new_client,
    resolve_key,
)
from planish_integrations.models.transport.json_values import (
    as_count,
    as_list,
    as_map,
    as_text,
    decode,
)
from planish_integrations.models.transport.protocol import (
    Effort,
    Framing,
    ProtocolError,
    ResponseReader,
)

__all__ = ["OLLAMA_URL", "OllamaModel", "OllamaProtocol", "OllamaReader", "list_models"]

OLLAMA_URL = "http://localhost:11434"
"""Ollama's default address."""


class OllamaModel(HttpModel):
    """A model served by Ollama, over its own API: JSON lines, and all of Ollama's options.

    It behaves as `HttpModel` describes. Set further options of Ollama, such as the context
    length, with `extra`: `{"options": {"num_ctx": 16384}, "think": True}`.

    Args:
        name: The model's name in `ollama list`.
        api_key: The key, for ollama.com; None (the default) reads OLLAMA_API_KEY, once, now. A
            local server needs none.
        base_url: The part of the URL before `/api/chat`.
        provider: The provider's name in OpenTelemetry.
        options: Time-outs, backoff and more: see `Options`.

    Raises:
        AuthenticationError: the key has characters that no HTTP header can have.
        ValueError: `base_url` is not an http(s) URL; a time is not above 0; `extra` sets the
            model, messages or stream.
        TypeError: an argument has another type; `extra` holds an object that JSON cannot
            represent.
    """

    DEFAULT_URL = OLLAMA_URL

    def __init__(
        self,
        name: str,
        *,
        api_key: ApiKey | None = None,
        base_url: str = OLLAMA_URL,
        provider: str = "ollama",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(
            name,
            protocol=OllamaProtocol(),
            provider=provider,
            base_url=base_url,
            api_key=resolve_key(api_key, os.environ, "OLLAMA_API_KEY", required_by=None),
            **options,
        )


_LIST_TIMEOUT = httpx.Timeout(2.0, connect=0.3)  # seconds; a local server needs less


async def list_models(base_url: str = OLLAMA_URL) -> list[str] | None:
    """Return the names of an Ollama server's models, newest first; None without such a server.

    Waits 0.3 s for a connection and 2 s for the response.

    Args:
        base_url: The server's address.

    Raises:
        ValueError: `base_url` is not an http(s) URL.
    """
    endpoint = Endpoint("ollama", base_url, Secret(""))
    async with new_client(proxies=not endpoint.is_local) as client:
        try:
            response = await client.get(endpoint.url("/api/tags"), timeout=_LIST_TIMEOUT)
            tags = decode(response.content)
        except (httpx.TransportError, httpx.DecodingError, ValueError):
            return None  # no server, or another one
    if not response.is_success:
        return None
    names = (as_text(as_map(model).get("name")) for model in as_list(as_map(tags).get("models")))
    return [name for name in names if name]


@dataclass(frozen=True, slots=True)
class OllamaProtocol:
    """The protocol of `POST {base}/api/chat`."""

    @property
    def framing(self) -> Framing:
        """One JSON object per line."""
        return "lines"

    @property
    def reserved_fields(self) -> frozenset[str]:
        """The fields of the body that `extra` may not set."""
        return frozenset({"model", "messages", "stream"})

    def path(self, model: str, *, streamed: bool) -> str:
        """Return the path, the same for all requests."""
        del model, streamed
        return "/api/chat"

    def headers(self, key: str) -> Mapping[str, str]:
        """Return the header with the key; none if the key is empty."""
        return {"authorization": f"Bearer {key}"} if key else {}

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """Return the JSON to send; sampling parameters go into a field of their own."""
        optional: dict[str, object] = {
            "temperature": request.temperature,
            "num_predict": request.max_tokens,
            "seed": request.seed,
            "stop": list(request.stop) or None,
        }
        options = {name: value for name, value in optional.items() if value is not None}
        body: dict[str, object] = {
            "model": model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "stream": streamed,  # always sent, because Ollama streams by default
        }
        if request.schema is not None:
            body["format"] = dict(request.schema)
        return body | ({"options": options} if options else {})

    def tune(
        self, body: dict[str, object], model: str, *, effort: Effort | None, cache: bool
    ) -> None:
        """Add the effort; Ollama caches by itself, so nothing is sent for it."""
        del model, cache
        if effort is not None:
            body["think"] = effort

    def reader(self) -> ResponseReader:
        """Return a new reader for one response."""
        return OllamaReader()


class OllamaReader(ResponseReader):
    """Reads one object, or a stream of them; the last one has `done` and the counts."""

    usage: Usage

    @property
    def is_complete(self) -> bool:
        """The object with `done` has arrived."""
        return self.has_ended

    def read_body(self, body: object) -> None:
        """Read a response of one object."""
        fields = as_map(body)
        if "message" not in fields and "response" not in fields:
            self._read_counts(fields)
            raise ProtocolError(f"no message: {body!r:.200}")
        self.read_event(body)
        if not self.has_ended:
            raise ProtocolError(f"not done: {body!r:.200}")

    def read_event(self, event: object) -> None:
        """Read one object."""
        fields = as_map(event)
        message = as_map(fields.get("message"))
        if not message and "response" not in fields and fields.get("done") is not True:
            raise ProtocolError(f"no message: {event!r:.200}")
        self.has_started = True
        self.set_identity(model=as_text(fields.get("model")))
        self.add_reasoning(as_text(message.get("thinking")))
        # `response` is the field of /api/generate, which some proxies send.
        self.add_text(as_text(message.get("content")) or as_text(fields.get("response")))
        if as_list(message.get("tool_calls")):  # ended by "stop", as a text is
            self.note_tool_call()
        if fields.get("done") is True:
            done_reason = as_text(fields.get("done_reason"))
            # Older servers send no reason.
            self.set_finish_reason(done_reason, None if done_reason else "stop")
            self._read_counts(fields)
            self.has_ended = True

    def _read_counts(self, fields: Mapping[str, object]) -> None:
        self.usage = Usage(
            input_tokens=as_count(fields.get("prompt_eval_count")),
            output_tokens=as_count(fields.get("eval_count")),
        )

"""The model this machine has, if it has one."""

import os

import httpx

from planish_integrations.openai._model import OPENAI_URL, OpenAIModel
from planish_integrations.transport import Endpoint, Secret, new_client
from planish_integrations.transport.decoded import as_list, as_map, as_text, decode

__all__ = ["OLLAMA_URL", "model_from_env"]

OLLAMA_URL = "http://localhost:11434/v1"
"""Where Ollama listens when nobody told it otherwise."""

_OPENAI_MODEL = "gpt-5-mini"
_PATIENCE = httpx.Timeout(2.0, connect=0.3)  # seconds; a server on this machine needs less


async def model_from_env(*, ollama_url: str = OLLAMA_URL) -> OpenAIModel | None:
    """The model the environment names, else the first of a local Ollama, else None.

    With OPENAI_API_KEY set: OPENAI_MODEL ("gpt-5-mini" where it is not set) at OPENAI_BASE_URL
    (OpenAI's own where it is not set). Nothing is sent to find out.

    Otherwise, when an Ollama accepts a connection within 0.3 s: OLLAMA_MODEL, or the first
    model it lists.

    Args:
        ollama_url: Where to look for Ollama, up to and with `/v1`.

    Raises:
        ValueError: OPENAI_BASE_URL or `ollama_url` is not an http(s) URL.
        AuthenticationError: OPENAI_API_KEY cannot stand in an HTTP header.
    """
    if os.environ.get("OPENAI_API_KEY", "").strip():
        return OpenAIModel(
            os.environ.get("OPENAI_MODEL") or _OPENAI_MODEL,
            base_url=os.environ.get("OPENAI_BASE_URL") or OPENAI_URL,
        )
    listed = await _listed(ollama_url)
    if listed is None:
        return None
    name = os.environ.get("OLLAMA_MODEL") or next(iter(listed), None)
    if name is None:
        return None
    return OpenAIModel(name, base_url=ollama_url, provider="ollama", api_key="")


async def _listed(base_url: str) -> list[str] | None:
    """The names of the models a server lists; None where there is no such server."""
    endpoint = Endpoint("ollama", base_url, Secret(""))
    async with new_client(proxies=not endpoint.is_local) as client:
        try:
            response = await client.get(endpoint.url("/models"), timeout=_PATIENCE)
            listed = decode(response.content)
        except (httpx.TransportError, httpx.DecodingError, ValueError):
            return None  # nobody there, or somebody else
    models = as_list(as_map(listed).get("data"))
    names = (as_text(as_map(model).get("id")) for model in models)
    return [name for name in names if name] if response.is_success else None

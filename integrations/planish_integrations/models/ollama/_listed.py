"""Which models a server has."""

import httpx

from planish_integrations.models.ollama._model import OLLAMA_URL
from planish_integrations.models.transport import Endpoint, Secret, new_client
from planish_integrations.models.transport.decoded import as_list, as_map, as_text, decode

__all__ = ["listed"]

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

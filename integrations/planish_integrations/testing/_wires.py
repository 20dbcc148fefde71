"""All protocols, and by which path each is asked."""

from collections.abc import Mapping

from ._chat import Chat
from ._gemini import Gemini
from ._messages import Messages
from ._ollama import Ollama
from ._responses import Responses
from ._wire import Wire, WireName

__all__ = ["BASES", "WIRES", "wire_of"]

WIRES: Mapping[WireName, Wire] = {
    "openai": Chat(),
    "responses": Responses(),
    "anthropic": Messages(),
    "gemini": Gemini(),
    "ollama": Ollama(),
}

BASES: Mapping[WireName, str] = {
    "openai": "/v1",
    "responses": "/v1",
    "anthropic": "/v1",
    "gemini": "/v1beta",
    "ollama": "",
}
"""What stands before the path in each provider's own base URL."""

_ENDS: Mapping[str, WireName] = {
    "/chat/completions": "openai",
    "/responses": "responses",
    "/messages": "anthropic",
    ":generateContent": "gemini",
    ":streamGenerateContent": "gemini",
    "/api/chat": "ollama",
}


def wire_of(path: str) -> WireName | None:
    """The protocol a path is of, by its end, so that any base URL will do; None for no one."""
    return next((name for end, name in _ENDS.items() if path.endswith(end)), None)

"""Requests read and answers given whole: what all parts of a loopback E2B share."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from ._http import Receive, Scope, Send

__all__ = ["Asked", "answer", "ask", "headers_of", "say"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, read whole."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> dict[str, Any]:
        """Its body; empty where there is none."""
        found: dict[str, Any] = json.loads(self.body or b"{}")
        return found


def headers_of(scope: Scope) -> dict[str, str]:
    """The headers, by their names in small letters."""
    return {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}


async def ask(scope: Scope, receive: Receive) -> Asked:
    """Read a request to its end."""
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
    query = {name: values[-1] for name, values in parse_qs(scope["query_string"].decode()).items()}
    return Asked(scope["method"], scope["path"], query, headers_of(scope), bytes(body))


async def answer(
    send: Send,
    status: int,
    body: bytes = b"",
    kind: str = "application/octet-stream",
    headers: Mapping[str, str] | None = None,
) -> None:
    """Give a whole answer."""
    pairs = [(b"content-type", kind.encode())]
    pairs += [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})


async def say(
    send: Send, status: int, value: Any = None, headers: Mapping[str, str] | None = None
) -> None:
    """Give a whole answer in JSON; a text is an error's message."""
    if isinstance(value, str):
        value = {"code": status, "message": value}
    body = b"" if value is None else json.dumps(value).encode()
    await answer(send, status, body, "application/json", headers)

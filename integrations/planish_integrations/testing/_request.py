"""A request as it came."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ._protocol import ProtocolName

__all__ = ["ReceivedRequest"]

_HIDDEN = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie"}
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReceivedRequest:
    """One request a loopback provider was sent. Its repr shows no key.

    Attributes:
        number: Which one of all requests to this server, from 1.
        wire: The protocol it speaks; None where the path is of no known one.
        method: "POST", mostly.
        path: Where to, without the query.
        query: What follows the "?"; empty where nothing does. Gemini's key may be in it.
        headers: By lower-case name.
        body: As it came.
    """

    number: int
    protocol: ProtocolName | None
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The decoded body.

        Raises:
            ValueError: it is not JSON.
        """
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """All text in the body, wherever it stands, one a line: what a model would have read."""
        return "\n".join(_texts(self.json))

    def __repr__(self) -> str:
        headers = {
            name: "[hidden]" if name in _HIDDEN else value for name, value in self.headers.items()
        }
        query = "?[hidden]" if self.query else ""
        return f"Received({self.number}, {self.method} {self.path}{query}, {headers})"


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(cast("dict[str, object]", value).values())
    if not isinstance(value, list):
        return []
    return [text for inner in cast("list[object]", value) for text in _texts(inner)]

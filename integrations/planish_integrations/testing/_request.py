"""A request that a loopback provider received."""

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
    """One request that a loopback provider received. Its repr contains no key.

    Attributes:
        number: Its place among all requests to this server, from 1.
        protocol: The protocol; None if the path belongs to no known one.
        method: The HTTP method, usually "POST".
        path: The path without the query.
        query: The text after the "?"; "" if there is none. It can contain Gemini's key.
        headers: By lower-case name.
        body: The body, unchanged.
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
        """All texts in the body, one a line: everything that a model would read."""
        return "\n".join(_texts(self.json))

    def __repr__(self) -> str:
        headers = {
            name: "[hidden]" if name in _HIDDEN else value for name, value in self.headers.items()
        }
        query = "?[hidden]" if self.query else ""
        return f"ReceivedRequest({self.number}, {self.method} {self.path}{query}, {headers})"


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(cast("dict[str, object]", value).values())
    if not isinstance(value, list):
        return []
    return [text for inner in cast("list[object]", value) for text in _texts(inner)]

"""The Messages wire: what is sent."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from planish.data.message import Request
from planish.errors import UnsupportedError
from planish_integrations.models.anthropic._answer import MessagesAnswer
from planish_integrations.models.transport.wire import Framing

__all__ = ["MessagesWire"]

_SAMPLED = re.compile(
    r"claude-(?:[123]|instant|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:-latest|[-@]\d{8})?$)"
)
"""Anthropic's models that take sampling parameters. Those after them answer 400 to any but the
default: https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide"""

_DEFAULT_TEMPERATURE = 1.0

_VERSION = "2023-06-01"  # the only one there is; what is newer is asked for field by field


@dataclass(frozen=True, slots=True)
class MessagesWire:
    """`POST {base}/messages`.

    Attributes:
        max_tokens: Where a request does not say.
    """

    max_tokens: int

    @property
    def framing(self) -> Framing:
        """Server-sent events."""
        return "events"

    @property
    def own_fields(self) -> frozenset[str]:
        """What the wire sets, and nobody else may."""
        return frozenset({"model", "messages", "stream"})

    def path(self, model: str, *, streamed: bool) -> str:
        """The same for all."""
        del model, streamed
        return "/messages"

    def headers(self, key: str) -> Mapping[str, str]:
        """The version, and the key where there is one."""
        return {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """What to send; system messages have a place of their own.

        Raises:
            UnsupportedError: the request has a seed, or a temperature and the model takes none.
        """
        if request.seed is not None:
            raise UnsupportedError("Anthropic's models take no 'seed': leave Request.seed out")
        if request.temperature not in (None, _DEFAULT_TEMPERATURE) and not _takes_sampling(model):
            raise UnsupportedError(
                f"{model} takes no sampling parameters: leave Request.temperature "
                f"({request.temperature}) out"
            )
        turns = [m for m in request.messages if m.role != "system"]
        system = "\n\n".join(m.content for m in request.messages if m.role == "system")
        body: dict[str, object] = {
            "model": model,
            "max_tokens": request.max_tokens or self.max_tokens,
            "messages": [{"role": m.role, "content": m.content} for m in turns],
        }
        wishes: dict[str, object] = {
            "system": system or None,
            "stream": True if streamed else None,
            "temperature": request.temperature,
            "stop_sequences": list(request.stop) or None,
            "output_config": None
            if request.schema is None
            else {"format": {"type": "json_schema", "schema": dict(request.schema)}},
        }
        return body | {name: wish for name, wish in wishes.items() if wish is not None}

    def answer(self) -> MessagesAnswer:
        """A fresh answer to read into."""
        return MessagesAnswer()


def _takes_sampling(model: str) -> bool:
    """Return whether a model takes a temperature; True for models that are not Anthropic's."""
    return not model.startswith("claude-") or _SAMPLED.match(model) is not None

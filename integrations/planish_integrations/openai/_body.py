"""A request as the JSON body the API wants."""

from collections.abc import Mapping

from planish.data.message import Request

__all__ = ["OWN_FIELDS", "body_of"]

OWN_FIELDS = frozenset({"model", "messages", "stream"})
"""What only `body_of` may set."""


def body_of(
    request: Request,
    *,
    model: str,
    streamed: bool,
    max_tokens_field: str,
    extra: Mapping[str, object],
) -> dict[str, object]:
    """What to send; what the request leaves open is not sent at all.

    Args:
        request: The question.
        model: Who is asked.
        streamed: The answer is wanted in pieces, its usage in the last one.
        max_tokens_field: What this server calls `Request.max_tokens`.
        extra: Fields that are added, and win.
    """
    body: dict[str, object] = {
        "model": model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
    }
    if streamed:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    wishes = {
        "temperature": request.temperature,
        max_tokens_field: request.max_tokens,
        "seed": request.seed,
        "stop": list(request.stop) or None,
    }
    return body | {name: wish for name, wish in wishes.items() if wish is not None} | dict(extra)

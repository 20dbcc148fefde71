"""An answer that came in one piece."""

from planish.data.message import Reply
from planish_integrations.openai._choice import NonsenseError, choice_of
from planish_integrations.openai._json import as_map, as_text, decode
from planish_integrations.openai._message import finish_of, reasoning_of, text_of
from planish_integrations.openai._text import mend
from planish_integrations.openai._usage import Price, usage_of

__all__ = ["whole_reply"]


def whole_reply(body: bytes, price: Price | None = None) -> Reply:
    """The answer a `chat.completion` object holds.

    Args:
        body: The object as JSON.
        price: What the model costs, where known.

    Raises:
        ComplaintError: it is an error object, or its choice is.
        NonsenseError: it is not JSON, or has no choice.
    """
    try:
        value = decode(body)
    except ValueError as error:
        raise NonsenseError(f"a body that is not JSON ({error}): {body[:200]!r}") from None
    choice = choice_of(value)
    if choice is None:
        raise NonsenseError(f"no choices: {body[:200]!r}")
    fields = as_map(value)
    message = as_map(choice.get("message"))
    return Reply(
        text=mend(text_of(message)),
        finish_reason=finish_of(choice.get("finish_reason")),
        usage=usage_of(as_map(fields.get("usage")), price),
        model=mend(as_text(fields.get("model"))) or None,
        id=mend(as_text(fields.get("id"))) or None,
        reasoning=mend(reasoning_of(message)),
    )

"""How the many servers of one API differ, as data."""

from dataclasses import dataclass
from typing import Literal

from planish.data.message import Request
from planish.errors import UnsupportedError

__all__ = ["Dialect", "refuse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one server of the chat-completions API calls things, and what it does not take.

    Attributes:
        max_tokens: Its name of `Request.max_tokens`. OpenAI's reasoning models refuse the old
            name, "max_tokens"; few other servers know the new one.
        seed: Its name of `Request.seed`; None where it takes none.
        stop: It takes `Request.stop`.
        stream_usage: A streamed answer has to be asked for its usage. Servers that tell it
            unasked may refuse the question.
        schema: "json_schema" where it takes `Request.schema`; "json_object" where it can only
            be told to answer with JSON of any kind; None where not even that.
        key_header: The header that bears the key: "authorization" as a bearer, any other as
            it is.
    """

    max_tokens: str = "max_tokens"
    seed: str | None = "seed"
    stop: bool = True
    stream_usage: bool = True
    schema: Literal["json_schema", "json_object"] | None = "json_schema"
    key_header: str = "authorization"

    def key_headers(self, key: str) -> dict[str, str]:
        """The header for this key; none for an empty one."""
        if not key:
            return {}
        bearer = self.key_header == "authorization"
        return {self.key_header: f"Bearer {key}" if bearer else key}


def refuse(request: Request, whose: str, *, seed: bool = False, stop: bool = False) -> None:
    """Refuse a request that wishes what a provider does not take.

    It is never left out in silence: who asks for a seed counts on it.

    Args:
        request: The question.
        whose: Whose model it is, for the message.
        seed: `Request.seed` is not taken.
        stop: `Request.stop` is not taken.

    Raises:
        UnsupportedError: the request sets one of those.
    """
    wishes = {"seed": seed and request.seed is not None, "stop": stop and bool(request.stop)}
    for name, refused in wishes.items():
        if refused:
            raise UnsupportedError(f"{whose} take no {name!r}: leave Request.{name} out")

"""API keys: hidden in repr and messages, and read from the environment."""

import os
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import lru_cache
from inspect import isawaitable
from typing import Any, Self, cast

from planish.errors import AuthenticationError, PlanishError
from planish_integrations.models.transport.json_values import as_list, as_map

__all__ = [
    "ApiKey",
    "Secret",
    "TokenSource",
    "find_secrets",
    "holds_secret",
    "is_secret_header",
    "resolve_key",
    "resolve_token",
]

_REDACTED = "***"
# Names of headers, query parameters and fields whose values are secrets. "tokenizer", "author" and
# "keyword" are not, nor are the two keys that only tell a provider which requests are alike.
_SECRET_NAME = re.compile(
    r"(?:key(?!w)|token(?!iz)|secret|auth(?!or(?!iz))|passw|pwd|credential|cookie|signature|jwt"
    r"|session|bearer|^sig$|^code$|^sas$)",
    re.IGNORECASE,
)
_NOT_ASYNCHRONOUS = object()
_NO_SECRETS = frozenset({"prompt_cache_key", "idempotency-key", "sec-websocket-key"})

TokenSource = Callable[[], Awaitable[str]]
"""Returns the current key: called before each request is sent, so it may be one that expires."""


class Secret:
    """A text that only `reveal` returns; `str`, `repr` and pickles do not hold it.

    >>> Secret("sk-canary")
    Secret('***')

    A secret that was read from the environment is pickled as the name of its variable, and read
    again where it is unpickled: a model can be sent to another machine, its key is not.

    Args:
        text: The secret; white space around it is removed, since files end in a line break.
        of: Whose key it is, for messages.
        variable: The environment variable it was read from; None (the default) if none was.
        prefix: Text that stands before the variable's value in `text`, such as "Bearer ".

    Raises:
        AuthenticationError: `text` has characters that no HTTP header can have.
        TypeError: `text` is not a text.
    """

    __slots__ = ("_of", "_prefix", "_text", "_variable")

    def __init__(
        self,
        text: str,
        *,
        of: str = "the provider",
        variable: str | None = None,
        prefix: str = "",
    ) -> None:
        if not isinstance(cast("object", text), str):
            raise TypeError(f"Secret(...): must be a text, not {type(text).__name__}")
        text = text.strip()
        if not (text.isascii() and text.isprintable()):
            raise AuthenticationError(
                f"the key for {of} has a line break, or another character that no HTTP "
                "header can have; was more copied than the key?"
            )
        self._text = text
        self._of = of
        self._variable = variable
        self._prefix = prefix

    @classmethod
    def from_environment(
        cls, variable: str, *, prefix: str = "", of: str = "the provider"
    ) -> "Secret":
        """Return the secret in an environment variable; a pickle of it holds the name only.

        Args:
            variable: The variable; it is read now, and again where the secret is unpickled.
            prefix: Text to put before the value: "Bearer " for an `authorization` header.
            of: Whose key it is, for messages.

        Raises:
            AuthenticationError: the variable is not set or empty, or no header can have its value.
        """
        text = os.environ.get(variable, "").strip()
        if not text:
            raise AuthenticationError(
                f"no key for {of} on this machine: set the environment variable {variable}"
            )
        return cls(prefix + text, of=of, variable=variable, prefix=prefix)

    def __repr__(self) -> str:
        return f"Secret({_REDACTED if self._text else ''!r})"

    @property
    def variable(self) -> str | None:
        """The environment variable it was read from, or None."""
        return self._variable

    def __bool__(self) -> bool:
        return bool(self._text)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._text:
            return Secret, ("",)
        if self._variable is not None:
            return _from_environment, (self._variable, self._prefix, self._of)
        raise TypeError(
            "a key is not pickled, because others could read it in a queue or a file; set it in "
            "the environment of the machine where the model runs, or create the model there"
        )

    @property
    def can_travel(self) -> bool:
        """A pickle holds no more than the name of the variable, or there is no secret."""
        return not self._text or self._variable is not None

    def reveal(self) -> str:
        """Return the text itself; use it for a header only."""
        return self._text


ApiKey = Secret | str | TokenSource
"""A key, or an asynchronous function that returns the current one."""


def resolve_key(
    api_key: ApiKey | None, variables: Mapping[str, str], *names: str, required_by: str | None
) -> Secret | TokenSource:
    """Return the user's key or function, or else the first key in the environment.

    Args:
        api_key: The user's argument; "" for no key, None to read the environment.
        variables: The environment.
        names: Environment variables that may hold the key, in order.
        required_by: The server that requires a key, for the message; None if it is optional.

    Raises:
        AuthenticationError: a required key is missing, or the key has characters that no HTTP
            header can have.
        TypeError: `api_key` is neither a text nor a function.
    """
    if isinstance(api_key, Secret):
        return api_key
    if api_key is not None and not isinstance(api_key, str):
        if callable(api_key):
            return api_key
        raise TypeError(
            f"api_key is {type(api_key).__name__}: pass a str, a Secret, or an asynchronous "
            "function that returns the key"
        )
    of = required_by or "the server"
    name = next((n for n in names if variables.get(n, "").strip()), None)
    if api_key is None and name is not None:
        return Secret(variables[name], of=of, variable=name)
    key = Secret(api_key or "", of=of)
    if not key and required_by is not None:
        raise AuthenticationError(
            f"no key for {required_by}: set the environment variable {' or '.join(names)}, or "
            "pass api_key=...; for a server that requires no key, pass base_url=..."
        )
    return key


async def resolve_token(source: TokenSource, of: str) -> Secret:
    """Call a function that returns the current key.

    Args:
        source: The function.
        of: Whose key it is, for messages.

    Raises:
        AuthenticationError: the function failed, or returned no text that a header can have.
    """
    subject = f"the function that returns the key for {of}"
    call: Callable[[], object] = source  # a user's function may return anything
    try:
        pending = call()
        text: object = await pending if isawaitable(pending) else _NOT_ASYNCHRONOUS
    except PlanishError:
        raise
    except Exception as error:  # noqa: BLE001  # a user's function may raise anything
        # Only the class: what it raises may quote the secrets that it works with.
        kind = f"{type(error).__module__}.{type(error).__qualname__}"
        raise AuthenticationError(f"{subject} raised {kind}") from None
    if text is _NOT_ASYNCHRONOUS:
        raise AuthenticationError(f"{subject} is not asynchronous: define it with `async def`")
    if not isinstance(text, str) or not text.strip():
        kind = type(text).__name__ if text else "nothing"
        raise AuthenticationError(f"{subject} returned {kind}")
    return Secret(text, of=of)


@lru_cache(maxsize=1024)
def holds_secret(name: str) -> bool:
    """Return whether a header, query parameter or field of this name holds a secret.

    >>> holds_secret("X-Api-Key"), holds_secret("authorization"), holds_secret("api-version")
    (True, True, False)
    """
    return name.lower() not in _NO_SECRETS and _SECRET_NAME.search(name) is not None


def is_secret_header(name: str, value: str) -> bool:
    """Return whether the value of a header is a secret: by its name, or its scheme."""
    return holds_secret(name) or value.lower().startswith(("bearer ", "basic "))


def find_secrets(fields: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each secret in decoded JSON, at any depth."""
    for name, value in fields.items():
        for item in as_list(value) or [value]:
            if isinstance(item, str) and holds_secret(name):
                yield name, item
            yield from find_secrets(as_map(item))


def _from_environment(variable: str, prefix: str, of: str) -> Secret:
    return Secret.from_environment(variable, prefix=prefix, of=of)

"""API keys: hidden in repr and messages, and read from the environment."""

import os
from collections.abc import Mapping
from typing import Any, Self

from planish.errors import AuthenticationError

__all__ = ["Secret", "resolve_key"]

_REDACTED = "***"


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

    Raises:
        AuthenticationError: `text` has characters that no HTTP header can have.
    """

    __slots__ = ("_of", "_text", "_variable")

    def __init__(self, text: str, *, of: str = "the provider", variable: str | None = None) -> None:
        text = text.strip()
        if not (text.isascii() and text.isprintable()):
            raise AuthenticationError(
                f"the key for {of} has a line break, or another character that no HTTP "
                "header can have; was more copied than the key?"
            )
        self._text = text
        self._of = of
        self._variable = variable

    def __repr__(self) -> str:
        return f"Secret({_REDACTED if self._text else ''!r})"

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
            return _from_environment, (self._variable, self._of)
        raise TypeError(
            "a key is not pickled, because others could read it in a queue or a file; set it in "
            "the environment of the machine where the model runs, or create the model there"
        )

    def reveal(self) -> str:
        """Return the text itself; use it for a header only."""
        return self._text

    def redact_in(self, text: str) -> str:
        """Return `text` with each occurrence of the secret replaced by "***"."""
        return text.replace(self._text, _REDACTED) if self._text else text


def resolve_key(
    api_key: Secret | str | None, variables: Mapping[str, str], *names: str, required_by: str | None
) -> Secret:
    """Return the user's key, or else the first one in the environment.

    Args:
        api_key: The user's argument; "" for no key, None to read the environment.
        variables: The environment.
        names: Environment variables that may hold the key, in order.
        required_by: The server that requires a key, for the message; None if it is optional.

    Raises:
        AuthenticationError: a required key is missing, or the key has characters that no HTTP
            header can have.
    """
    if isinstance(api_key, Secret):
        return api_key
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


def _from_environment(variable: str, of: str) -> Secret:
    text = os.environ.get(variable, "")
    if not text.strip():
        raise AuthenticationError(
            f"no key for {of} on this machine: set the environment variable {variable}"
        )
    return Secret(text, of=of, variable=variable)

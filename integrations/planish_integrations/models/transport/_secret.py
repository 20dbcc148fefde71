"""A key that is never shown."""

import os
from collections.abc import Mapping
from typing import Any, Self

from planish.errors import AuthenticationError

__all__ = ["Secret", "key_of"]

_HIDDEN = "***"


class Secret:
    """A text that only `reveal` gives: not `str`, not `repr`, not a pickle.

    >>> Secret("sk-canary")
    Secret('***')

    One that came from the environment is pickled as the name of its variable, and read again
    on the machine where it arrives: a model can travel, its key does not.

    Args:
        text: What is to be hidden; white space around it is dropped, as it comes from a file.
        of: Whose it is, for messages.
        variable: The environment variable it was read from, where it was.

    Raises:
        AuthenticationError: it has characters that no HTTP header can have.
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
        return f"Secret({_HIDDEN if self._text else ''!r})"

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
            return _read_again, (self._variable, self._of)
        raise TypeError(
            "a key is not pickled: it would lie in a queue or a file for others to read; set it "
            "in the environment of the machine where the model runs, or build the model there"
        )

    def reveal(self) -> str:
        """The text itself: for a header, and nothing else."""
        return self._text

    def hide_in(self, text: str) -> str:
        """`text` with the secret replaced, where somebody quotes it."""
        return text.replace(self._text, _HIDDEN) if self._text else text


def _read_again(variable: str, of: str) -> Secret:
    text = os.environ.get(variable, "")
    if not text.strip():
        raise AuthenticationError(
            f"no key for {of} on this machine: set the environment variable {variable}"
        )
    return Secret(text, of=of, variable=variable)


def key_of(
    given: Secret | str | None, variables: Mapping[str, str], *names: str, needed_by: str | None
) -> Secret:
    """The key that was given, or else the first the environment has.

    Args:
        given: As the user gave it; "" for none.
        variables: The environment.
        names: Which variables may hold it.
        needed_by: Who must have one, for the message; None where it can do without.

    Raises:
        AuthenticationError: there is none, and one is needed; or no header can have it.
    """
    if isinstance(given, Secret):
        return given
    of = needed_by or "the server"
    name = next((n for n in names if variables.get(n, "").strip()), None)
    if given is None and name is not None:
        return Secret(variables[name], of=of, variable=name)
    key = Secret(given or "", of=of)
    if not key and needed_by is not None:
        raise AuthenticationError(
            f"no key for {needed_by}: set the environment variable {' or '.join(names)}, or "
            "give api_key=...; a server that wants no key is named by base_url=..."
        )
    return key

"""A key that is never shown."""

from typing import NoReturn, Self

from planish.errors import AuthenticationError

__all__ = ["Secret"]

_HIDDEN = "***"


class Secret:
    """A text that only `reveal` gives: not `str`, not `repr`, not a pickle.

    >>> Secret("sk-canary")
    Secret('***')

    Args:
        text: What is to be hidden; white space around it is dropped, as it comes from a file.
        of: Whose it is, for messages.

    Raises:
        AuthenticationError: it has characters that no HTTP header can have.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str, *, of: str = "the provider") -> None:
        text = text.strip()
        if not (text.isascii() and text.isprintable()):
            raise AuthenticationError(
                f"the key for {of} has a line break, or another character that no HTTP "
                "header can have; was more copied than the key?"
            )
        self._text = text

    def __repr__(self) -> str:
        return f"Secret({_HIDDEN if self._text else ''!r})"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a key is not pickled: it would lie in a queue or a file for others to read; "
            "build the model on the machine where it runs"
        )

    def reveal(self) -> str:
        """The text itself: for a header, and nothing else."""
        return self._text

    def hide_in(self, text: str) -> str:
        """`text` with the secret replaced, where somebody quotes it."""
        return text.replace(self._text, _HIDDEN) if self._text else text

"""Text whose characters were split between two pieces of a stream."""

__all__ = ["Mender", "mend"]


def mend(text: str) -> str:
    r"""`text` with surrogate pairs joined, and a lone half replaced by U+FFFD.

    JSON may write a character beyond U+FFFF as two escapes, and half a one is valid JSON; but
    no such half can be written as UTF-8, so none may reach a `Reply`.

    >>> mend("\ud83d\ude00") == "\U0001f600"
    True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Mender:
    """Mends pieces one by one: the first half of a pair waits for the second."""

    def __init__(self) -> None:
        self._half = ""

    def add(self, piece: str) -> str:
        """What can be said now, with this piece."""
        piece = self._half + piece
        self._half = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        return mend(piece[: len(piece) - len(self._half)])

    def end(self) -> str:
        """What waited for a half that never came."""
        half, self._half = self._half, ""
        return mend(half)

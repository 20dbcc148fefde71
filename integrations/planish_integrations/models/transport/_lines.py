"""JSON lines out of bytes that were cut anywhere."""

__all__ = ["LineParser"]


class LineParser:
    r"""Gives each line once it is complete; empty ones are left out.

    Lines are cut out as bytes and decoded whole, so a cut inside a character does no harm.

    >>> parser = LineParser()
    >>> parser.feed(b'{"a"'), parser.feed(b": 1}\r"), parser.feed(b"\n\n")
    ([], [], ['{"a": 1}'])
    """

    def __init__(self) -> None:
        self._partial: list[bytes] = []

    def feed(self, piece: bytes) -> list[str]:
        """Take the next bytes; return the lines they complete."""
        *ended, rest = piece.split(b"\n")
        lines: list[bytes] = []
        for end in ended:
            lines.append(b"".join((*self._partial, end)))
            self._partial.clear()
        if rest:
            self._partial.append(rest)
        texts = (line.decode("utf-8", "replace").strip() for line in lines)
        return [text for text in texts if text]

    def end(self) -> list[str]:
        """The stream is over: the last line, where it had no end."""
        return self.feed(b"\n")

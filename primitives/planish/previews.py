"""`preview`: a value, a table or the content of a file, as a few lines of text."""

from collections.abc import Mapping
from typing import cast

from planish.guest.protocol import preview as _preview

__all__ = ["is_text", "preview"]

_SAMPLE = 8_000  # bytes that decide whether a file is text
_MOST = 4_000  # characters of a preview


def preview(value: object, *, rows: int = 30, chars: int = 100, items: int = 3) -> str:
    r"""Return a value as text of at most some 4,000 characters, which says what it leaves out.

    Use it for what a model is to see of large data: in feedback, in a `Task`'s context, for
    `Execution.artifacts`. Sessions show their variables by the same rules.

    Args:
        value: Anything: a pandas table or series (its first rows), a text, a collection, an object
            (its `repr`). Bytes are the content of a file: the first lines of text in UTF-8, and
            of any other file its size.
        rows: Most rows of a table, or lines of a file; 30 by default.
        chars: Most characters of a text, a cell or a line; 100 by default.
        items: Most items of a collection, at each of three levels; 3 by default.

    Example:
        >>> preview(list(range(1000)))
        '[0, 1, 2, … 997 more]'
        >>> print(preview(b"region,amount\nnorth,2\nsouth,3\n", rows=2))
        region,amount
        north,2
        … 1 more lines
    """
    if isinstance(value, bytes):
        return _file(value, rows, chars)
    if isinstance(value, Mapping):  # such as `Execution.artifacts`
        value = dict(cast("Mapping[object, object]", value))
    return _preview(value, rows, chars, items)


def is_text(content: bytes) -> bool:
    """Return whether the content of a file begins with text in UTF-8, without a NUL."""
    sample = content[:_SAMPLE]
    try:
        text = sample.decode()
    except UnicodeDecodeError as error:
        cut = len(content) > len(sample) and error.start >= len(sample) - 3
        return cut and b"\0" not in sample  # it was cut within a character
    return "\0" not in text


def _file(content: bytes, rows: int, chars: int) -> str:
    if not is_text(content):
        return f"<{len(content):,} bytes, not text>"
    lines: list[str] = []
    position = 0
    while len(lines) < rows and position < len(content):
        end = content.find(b"\n", position)
        end = len(content) if end < 0 else end
        lines.append(_line(content[position:end].removesuffix(b"\r"), chars))
        position = end + 1
    left = content.count(b"\n", position) + (not content.endswith(b"\n"))
    text = "\n".join(lines)
    if len(text) > _MOST:
        text = f"{text[:_MOST]} … {len(text) - _MOST:,} more characters"
    return f"{text}\n… {left:,} more lines" if position < len(content) and left else text


def _line(line: bytes, chars: int) -> str:
    """Return a line, or its beginning: a character has at most four bytes."""
    text = line[: 4 * chars + 4].decode("utf-8", "ignore")
    if len(line) <= chars or (len(line) <= 4 * chars and len(text) <= chars):
        return line.decode("utf-8", "replace")
    return f"{text[:chars]} … {len(line) - len(text[:chars].encode()):,} more bytes"

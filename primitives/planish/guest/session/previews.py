"""A value in a few lines: of a table its first rows, of a text its beginning, of a list some."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ROWS", "described", "preview"]

ROWS = 30  # of a table
CHARS = 100  # of a text
ITEMS = 3  # of a collection
DEPTH = 3  # collections in one another
MOST = 4000  # characters of a preview
_LARGEST = 1 << 63  # of a shape; and so many axes
_AXES = 64


def preview(value: Any, rows: int = ROWS, chars: int = CHARS, items: int = ITEMS) -> str:
    """Return a value as text, bounded; it says how much it leaves out.

    Args:
        value: Anything.
        rows: Of a table or series.
        chars: Of a text or bytes, and of what an unknown class calls itself.
        items: Of a collection.
    """
    try:
        text = _preview(value, rows, chars, items, DEPTH)
    except BaseException as error:  # noqa: BLE001  # a class may do anything
        text = f"<{type(value).__name__}: its repr raised {type(error).__name__}>"
    return text if len(text) <= MOST else f"{text[:MOST]} … {len(text) - MOST} more characters"


def _preview(value: Any, rows: int, chars: int, items: int, depth: int) -> str:
    if issubclass(type(value), str | bytes | bytearray):
        return _cut(value, chars)
    if _is_table(value):
        left = value.shape[0] - rows
        more = f"\n… {left} more rows" if left > 0 else ""
        widths = {"max_colwidth": chars} if type(value).__name__ == "DataFrame" else {}
        return f"{value.iloc[:rows].to_string(**widths)}{more}"
    if type(value) in (list, tuple, set, frozenset, dict):
        return _collection(value, rows, chars, items, depth)
    return _shorten(repr(value), max(chars, 200))


def _cut(value: Any, chars: int) -> str:
    left = len(value) - chars
    return f"{value[:chars]!r} … {left} more" if left > 0 else repr(value)


def _shorten(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[:chars]} … {len(text) - chars} more characters"


def _is_table(value: Any) -> bool:
    kind = type(value).__name__
    return kind in ("DataFrame", "Series") and hasattr(value, "iloc") and hasattr(value, "shape")


_BRACKETS = {"list": "[]", "tuple": "()", "dict": "{}", "set": "{}", "frozenset": "{}"}


def _collection(value: Any, rows: int, chars: int, items: int, depth: int) -> str:
    if depth == 0:
        return f"<{type(value).__name__} of {len(value)}>"
    texts: list[str] = []
    for index, item in enumerate(value):
        if index == items:
            texts.append(f"… {len(value) - items} more")
            break
        text = _preview(item, rows, chars, items, depth - 1)
        if type(value).__name__ == "dict":
            text = f"{text}: {_preview(value[item], rows, chars, items, depth - 1)}"
        texts.append(text)
    inner = ", ".join(texts)
    if type(value).__name__ == "tuple" and len(value) == 1:
        inner += ","
    left, right = list(_BRACKETS[type(value).__name__])
    text = f"{left}{inner}{right}"
    if type(value).__name__ in ("set", "frozenset") and not value:
        return f"{type(value).__name__}()"
    return text


def described(name: str, value: Any) -> dict[str, Any]:
    """Describe a variable in short: its name, type, shape and preview."""
    return {
        "name": name[:CHARS],
        "type": type(value).__name__[:CHARS],
        "shape": _shape(value),
        "preview": preview(value),
    }


def _shape(value: Any) -> list[int] | None:
    try:
        shape: Any = getattr(value, "shape", None)
        if type(shape).__name__ == "tuple":
            return [min(int(size), _LARGEST) for size in shape[:_AXES]]
        return (
            [len(value)] if type(value) in (list, tuple, set, frozenset, dict, str, bytes) else None
        )
    except BaseException:  # noqa: BLE001  # a class may do anything
        return None

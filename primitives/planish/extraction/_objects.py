"""Read code from a JSON object: the code of one program, or the files of one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

__all__ = ["code_in_json", "files_in_json"]

_CODE = (
    *("code", "solution", "program", "python", "source_code", "source", "implementation"),
    *("script", "answer", "completion", "content", "text"),
)
_PATH = ("path", "file", "filename", "file_path", "name")
_DEPTH = 5
_MAX_VALUES = 10_000  # values that are searched


def _load(text: str) -> Any:
    """Return the value of JSON text, line ends in its strings allowed; None if it is none."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "["):
        return None
    try:
        return json.loads(stripped, strict=False)
    except (ValueError, RecursionError):
        return None


def code_in_json(text: str) -> list[str]:
    """Return the texts under keys that mean code, best first; [] if the text is no JSON."""
    value = _load(text)
    if value is None:
        return []
    found = [(key, one) for key, one in _texts(value, _DEPTH) if key in _CODE]
    found.sort(key=lambda pair: _CODE.index(pair[0]))
    return [one for _, one in found]


def files_in_json(text: str) -> list[tuple[str, str]]:
    """Return the path and content of each file in a JSON object; [] if there is none.

    The forms are {"files": {path: content}}, {"files": [{"path": ..., "content": ...}]}, either
    of them without "files", and deeper inside.
    """
    value = _load(text)
    return [] if value is None else _files(value, _DEPTH)


def _files(value: Any, depth: int) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        if named and all(isinstance(one, str) and _is_path(key) for key, one in named.items()):
            return list(named.items())
        inside: list[Any] = [named["files"]] if "files" in named else list(named.values())
    elif isinstance(value, list):
        rows = cast("Sequence[Any]", value)
        pairs = [_file(row) for row in rows]
        if pairs and all(pairs):
            return [pair for pair in pairs if pair]
        inside = []
    else:
        return []
    for one in inside[:100] if depth else ():
        found = _files(one, depth - 1)
        if found:
            return found
    return []


def _file(row: Any) -> tuple[str, str] | None:
    if not isinstance(row, dict):
        return None
    texts = {k: v for k, v in cast("Mapping[str, Any]", row).items() if isinstance(v, str)}
    path = next((texts[key] for key in _PATH if key in texts), None)
    content = next((texts[key] for key in _CODE if key in texts), None)
    return (path, content) if path is not None and content is not None else None


def _is_path(key: str) -> bool:
    """Return whether a key is a path: it has an extension and no white space."""
    stem, dot, extension = key.rpartition(".")
    return bool(stem and dot) and extension.isalnum() and not any(map(str.isspace, key))


def _texts(value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the texts in JSON data, each with its key."""
    pending: list[tuple[str, Any, int]] = [("", value, depth)]
    for _ in range(_MAX_VALUES):
        if not pending:
            return
        key, one, left = pending.pop()
        if isinstance(one, str):
            yield key, one
        elif isinstance(one, dict) and left:
            pending += [(k, v, left - 1) for k, v in cast("dict[str, Any]", one).items()]
        elif isinstance(one, list) and left:
            pending += [(key, v, left - 1) for v in cast("Sequence[Any]", one)]

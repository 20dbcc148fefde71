"""Results of E2B's code interpreter as `Display`s: pictures as bytes, charts and tables as JSON."""

import base64
import json
from typing import Any

from planish.data.sandbox import Display

from ._sdk import Result

__all__ = ["display", "size_of"]

_TEXT = {
    "text": "text/plain",
    "html": "text/html",
    "markdown": "text/markdown",
    "svg": "image/svg+xml",
    "latex": "text/latex",
    "javascript": "application/javascript",
}
_BINARY = {"png": "image/png", "jpeg": "image/jpeg", "pdf": "application/pdf"}
_JSON = {"json": "application/json", "data": "application/vnd.e2b.data+json"}
_CHART = "application/vnd.e2b.chart+json"


def display(result: Result) -> Display:
    """Convert a result; a chart's numbers get the form `application/vnd.e2b.chart+json`."""
    forms: dict[str, bytes] = {}
    for field, form in _TEXT.items():
        if (text := getattr(result, field)) is not None:
            forms[form] = str(text).encode("utf-8", "replace")
    for field, form in _BINARY.items():
        if (data := getattr(result, field)) is not None:
            forms[form] = base64.b64decode(data)
    for field, form in _JSON.items():
        if (value := getattr(result, field)) is not None:
            forms[form] = _dumped(value)
    if result.chart is not None:
        forms[_CHART] = _dumped(result.chart.to_dict())
    for form, value in (result.extra or {}).items():
        forms[form] = value.encode() if isinstance(value, str) else _dumped(value)
    return Display(forms=forms, main=result.is_main_result)


def size_of(result: Result) -> int:
    """Return roughly how many bytes a result has in all its forms."""
    fields = [getattr(result, field) for field in (*_TEXT, *_BINARY, *_JSON)]
    forms = [*fields, *(result.extra or {}).values()]
    return sum(len(str(form)) for form in forms if form is not None)


def _dumped(value: Any) -> bytes:
    return json.dumps(value, default=str).encode()

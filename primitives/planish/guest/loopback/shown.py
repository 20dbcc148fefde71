"""How a value is shown: the forms it has of itself, in the words of E2B's code interpreter."""

import base64
from contextlib import suppress
from typing import Any, cast

__all__ = ["bundle", "result"]

_METHODS = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_svg_": "image/svg+xml",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_pdf_": "application/pdf",
    "_repr_latex_": "text/latex",
    "_repr_json_": "application/json",
    "_repr_javascript_": "application/javascript",
}
_FIELDS = {
    "text/plain": "text",
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpeg",
    "application/pdf": "pdf",
    "text/latex": "latex",
    "application/json": "json",
    "application/javascript": "javascript",
    "e2b/data": "data",
    "e2b/chart": "chart",
}


def bundle(value: Any) -> dict[str, Any]:
    """A value's forms by media type; binary ones in base64, as notebooks have them."""
    forms: dict[str, Any] = {"text/plain": repr(value)}
    kind = cast("Any", type(value))
    with suppress(Exception):
        forms.update(kind._repr_mimebundle_(value))
        return forms
    for method, form in _METHODS.items():
        found = getattr(kind, method, None)
        if found is not None:
            with suppress(Exception):
                shown = found(value)
                if shown is not None:
                    forms[form] = shown
    if type(value).__name__ == "DataFrame":
        with suppress(Exception):
            forms["e2b/data"] = value.to_dict(orient="list")
    return forms


def result(forms: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `result` event; media types without a field of their own are in `extra`."""
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for form, shown in forms.items():
        if isinstance(shown, bytes):
            shown = base64.b64encode(shown).decode()  # noqa: PLW2901
        if form in _FIELDS:
            fields[_FIELDS[form]] = shown
        else:
            extra[form] = shown
    text = fields.get("text")
    if isinstance(text, str) and len(text) > 1 and text[0] == text[-1] == "'":
        fields["text"] = text[1:-1]  # E2B's server takes the quotes off as well
    if extra:
        fields["extra"] = extra
    return fields

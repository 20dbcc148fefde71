"""What a step shows: each thing in the forms it has, as notebooks have them."""

from __future__ import annotations

import base64
import json
import os
import sys

from .previews import preview

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["FILE_BYTES", "Displays", "genuine", "read_displays"]

_FORMS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_latex_", "text/latex"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_json_", "application/json"),
)
_MOST = 8 << 20  # bytes of one form
_ALL = 4 * _MOST  # bytes of all that one step shows, as base64
_THINGS = 1000  # that one step shows
FILE_BYTES = 2 * _ALL  # of a program's file of displays: with names of forms, and lines to drop


class Displays:
    """What the steps show; `display` is what they call."""

    def __init__(self) -> None:
        self._things: list[dict[str, Any]] = []
        self._size = 0
        self._file = ""

    def write_to(self, file: str) -> None:
        """Write from now on to a file, a line for each thing.

        A program's processes each have a copy of this object, and have the file in common.
        """
        self._things, self._size, self._file = [], 0, file

    def display(self, *values: Any) -> None:
        """Show values, each in all the forms it has, apart from what is printed."""
        for value in values:
            self.add(value)

    def add(self, value: Any, *, main: bool = False) -> None:
        """Take one value."""
        forms = _forms(value)
        size = sum(map(len, forms.values()))
        if self._size + size > _ALL:
            forms = {"text/plain": forms["text/plain"]}
            size = len(forms["text/plain"])
        if len(self._things) < _THINGS:
            self._size += size
            thing = {"forms": forms, "main": main}
            if self._file:
                _append(self._file, thing)
                thing = {}  # only counted
            self._things.append(thing)

    def last(self, value: Any) -> None:
        """Take the value of a program's last expression, and the figures that are open."""
        if value is not None:
            self.add(value, main=True)
        self.figures()

    def figures(self) -> None:
        """Take the figures of matplotlib that are open, and close them."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return
        for number in pyplot.get_fignums():
            self.add(pyplot.figure(number))
        pyplot.close("all")

    def take(self) -> list[dict[str, Any]]:
        """Return all that was shown since the last time."""
        things, self._things, self._size = self._things, [], 0
        return things


def _append(path: str, thing: dict[str, Any]) -> None:
    """Write a thing at the end of a file; nothing where the disk is full, or the file is gone."""
    line = json.dumps(thing).encode() + b"\n"
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            while line:
                line = line[os.write(file, line) :]
        finally:
            os.close(file)
    except OSError:
        return


def read_displays(lines: bytes) -> list[dict[str, Any]]:
    """Return the things that a program has written to its file, by the bounds of a step.

    The program may have written anything: a line that is no thing is left out.
    """
    things: list[Any] = []
    for line in lines.splitlines():
        try:
            things.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    return genuine(things)


def genuine(things: Any) -> list[dict[str, Any]]:
    """Return those of untrusted things that are some, up to the bounds of a step."""
    found: list[dict[str, Any]] = []
    left = _ALL
    for thing in things if type(things).__name__ == "list" else ():
        forms: Any = thing.get("forms") if type(thing).__name__ == "dict" else None
        if type(forms).__name__ != "dict" or len(found) == _THINGS:
            continue
        own = {kind: form for kind, form in forms.items() if _is_base64(form)}
        size = sum(map(len, own.values()))
        if own and size <= left:
            left -= size
            found.append({"forms": own, "main": thing.get("main") is True})
    return found


def _is_base64(form: Any) -> bool:
    try:
        return len(base64.b64decode(form, validate=True)) <= _MOST
    except (TypeError, ValueError):
        return False


def _forms(value: Any) -> dict[str, str]:
    forms: dict[str, Any] = {"text/plain": preview(value)}
    bundle = _first(_called(value, "_repr_mimebundle_"))
    if type(bundle).__name__ == "dict":
        forms |= {str(kind): form for kind, form in bundle.items()}
    for method, kind in _FORMS:
        form = _first(_called(value, method))
        if form is not None and kind not in forms:
            forms[kind] = form
    if type(value).__name__ == "Figure" and "image/png" not in forms:
        forms["image/png"] = _png(value)
    encoded = {kind: _encoded(form) for kind, form in forms.items()}
    return {kind: text for kind, text in encoded.items() if text is not None}


def _called(value: Any, method: str) -> Any:
    try:
        made: Any = getattr(value.__class__, method, None)
        return None if made is None else made(value)
    except Exception:  # noqa: BLE001  # a form that cannot be made is not there
        return None


def _first(form: Any) -> Any:
    """Return a form without what may describe it."""
    return form[0] if type(form).__name__ == "tuple" and form else form


def _png(figure: Any) -> bytes | None:
    import io  # noqa: PLC0415  # only where there are figures

    data = io.BytesIO()
    try:
        figure.savefig(data, format="png")
    except Exception:  # noqa: BLE001  # a form that cannot be made is not there
        return None
    return data.getvalue()


def _encoded(form: Any) -> str | None:
    """Return content in Base64; None where it is larger than the limit."""
    if isinstance(form, dict | list):
        try:
            form = json.dumps(form)
        except (TypeError, ValueError):
            return None
    if isinstance(form, str):
        form = form.encode("utf-8", "replace")
    if not isinstance(form, bytes) or len(form) > _MOST:
        return None
    return base64.b64encode(form).decode()

"""Every name that planish emits stands in the documentation, and is what was documented."""

import re
from collections.abc import Iterator
from pathlib import Path

from planish.telemetry import names

PAGE = Path(__file__).resolve().parents[2] / "docs" / "telemetry.md"


def emitted() -> list[str]:
    found = (value for name, value in vars(names).items() if name.isupper())
    return [value for value in found if isinstance(value, str)]


def documented() -> Iterator[str]:
    """Each name of the page; one that begins with a dot continues the name before it."""
    before = ""
    for name in re.findall(r"`([\w.]+)`", PAGE.read_text(encoding="utf-8")):
        if name.startswith("."):
            parts = before.split(".")
            yield from (".".join(parts[:end]) + name for end in range(1, len(parts)))
        else:
            before = name if "." in name else before  # `pass` is a value, not a name
            yield name


def test_every_name_is_documented() -> None:
    assert sorted(set(emitted()) - set(documented())) == []


def test_no_name_is_used_twice() -> None:
    assert len(set(emitted())) == len(emitted())

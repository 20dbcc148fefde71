"""Every name that planish emits stands in the documentation, and is what was documented."""

import re
from collections.abc import Iterator
from pathlib import Path

import planish
from planish.telemetry import names
from planish.telemetry.spans import SCOPE

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


def test_spans_state_the_version() -> None:
    assert ("planish", planish.__version__) == SCOPE


def test_every_name_is_documented() -> None:
    assert sorted(set(emitted()) - set(documented())) == []


def test_every_name_is_emitted() -> None:
    root = Path(planish.__file__).parents[2]
    files = [*root.glob("primitives/**/*.py"), *root.glob("integrations/**/*.py")]
    assert len(files) > 400  # the walk finds them
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    used = {*re.findall(r"\bnames\.([A-Z_]+)\b", text)}
    assert sorted({name for name in vars(names) if name.isupper()} - used) == []


def test_no_name_is_used_twice() -> None:
    assert len(set(emitted())) == len(emitted())

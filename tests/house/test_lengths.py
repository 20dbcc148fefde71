"""A file is one idea and a function fits a screen; and nothing is left half done."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    path
    for folder in ("primitives", "integrations", "examples", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
LONGEST_FILE = 300  # lines; one that wants more wants a second idea split out
LONGEST_FUNCTION = 40  # lines without the docstring; most are under 25
# Spelled apart, so that this file does not find itself.
LEFT_OPEN = ("TO" + "DO", "FIX" + "ME", "XX" + "X", "pragma: " + "no cover", "Not" + "Implemented")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_it_is_short_and_finished(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    assert [word for word in LEFT_OPEN if word in text] == []
    tall = [f"{name}: {lines}" for name, lines in _functions(text) if lines > LONGEST_FUNCTION]
    assert tall == []


def test_a_docstring_does_not_make_a_function_long() -> None:
    text = 'def f():\n    """One\n\n    two.\n    """\n    return 1\n'
    assert list(_functions(text)) == [("f", 2)]


def _functions(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if ast.get_docstring(node) is not None:
                first = node.body[0]
                lines -= (first.end_lineno or first.lineno) - first.lineno + 1
            yield node.name, lines

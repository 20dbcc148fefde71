"""Docstrings name what is there: each documented attribute belongs to its class."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.arrows import PACKAGES, ROOT

SECTION = re.compile(r"^ *Attributes:\n((?:\n|[ ]+.*\n?)+)", re.MULTILINE)


def documented(node: ast.ClassDef) -> list[str]:
    """Return the names in the section "Attributes" of a class's docstring."""
    section = SECTION.search(f"{ast.get_docstring(node) or ''}\n")
    if section is None:
        return []
    lines = section[1].splitlines()
    names = [re.match(r"    (\w+(?:, \w+)*):(?: |$)", line) for line in lines]
    return [name for found in names if found for name in found[1].split(", ")]


def attributes(node: ast.ClassDef) -> set[str]:
    """Return the names that a class defines, in its body or on `self`."""
    found: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Attribute(
                value=ast.Name(id="self" | "cls" | "found" | "made"), ctx=ast.Store()
            ):
                found.add(part.attr)
            case ast.Name(ctx=ast.Store()) | ast.AnnAssign(target=ast.Name()):
                found.add(part.id if isinstance(part, ast.Name) else ast.unparse(part.target))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found.add(part.name)
            case _:
                pass
    return found


def wrong(path: Path) -> Iterator[str]:
    """Find documented attributes that a file's classes do not have."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in classes.values():
        # Bases of other files may define more.
        known = [attributes(node), *(attributes(classes[b]) for b in _bases(node) if b in classes)]
        for name in documented(node):
            if not any(name in names for names in known):
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}.{name}"


def _bases(node: ast.ClassDef) -> list[str]:
    return [ast.unparse(base).partition("[")[0] for base in node.bases]


def test_documented_attributes_are_there() -> None:
    found = [line for package in PACKAGES for path in package.rglob("*.py") for line in wrong(path)]
    assert not found, "\n".join(found)


def test_one_that_is_not_there_is_seen(tmp_path: Path) -> None:
    path = ROOT / "tests" / "house" / "guest.py"
    assert list(wrong(path)) == []
    module = ast.parse(
        'class A:\n    """An a.\n\n    Attributes:\n        b: It.\n    """\n\n    c = 1'
    )
    node = module.body[0]
    assert isinstance(node, ast.ClassDef)
    assert documented(node) == ["b"]
    assert attributes(node) == {"c"}

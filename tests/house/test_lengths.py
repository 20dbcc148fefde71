"""A file is one idea and a function fits a screen; and nothing is left half done."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    path
    for folder in ("primitives", "integrations", "examples", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
LONGEST_FILE = 300  # lines; one that wants more wants a second idea split out
LONGEST_FUNCTION = 50  # lines without the docstring, a screen; most are under 25
# Spelled apart, so that this file does not find itself.
LEFT_OPEN = ("TO" + "DO", "FIX" + "ME", "pragma: " + "no cover")


def test_every_file_is_short_and_finished() -> None:
    assert len(FILES) > 500  # the walk finds them
    found = {str(path.relative_to(ROOT)): list(_wrong(path)) for path in FILES}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_a_file_that_is_long_or_unfinished_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "it.py"
    path.write_text("x = 1\n" * (LONGEST_FILE + 1) + f"# {LEFT_OPEN[0]}\n", encoding="utf-8")
    assert list(_wrong(path)) == [f"{LONGEST_FILE + 2} lines", LEFT_OPEN[0]]


def test_a_docstring_does_not_make_a_function_long() -> None:
    text = 'def f():\n    """One\n\n    two.\n    """\n    return 1\n'
    assert list(_functions(_nodes(text))) == [("f", 2)]


def test_a_long_function_is_seen() -> None:
    text = "async def f():\n" + "    print()\n" * LONGEST_FUNCTION
    assert [_tall(lines) for _, lines in _functions(_nodes(text))] == [True]


def test_a_stub_is_seen() -> None:
    assert _stub(_nodes("def f():\n    raise NotImplementedError"))
    assert _stub(_nodes("def f():\n    raise NotImplementedError('later')"))
    assert not _stub(_nodes("def f():\n    return 'raise NotImplementedError'"))


def _wrong(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    if lines > LONGEST_FILE:
        yield f"{lines} lines"
    yield from (word for word in LEFT_OPEN if word in text)
    nodes = _nodes(text)
    if _stub(nodes):
        yield "a stub"
    yield from (f"{name}: {lines} lines" for name, lines in _functions(nodes) if _tall(lines))


def _nodes(text: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(text)))


def _tall(lines: int) -> bool:
    return lines > LONGEST_FUNCTION


def _functions(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if ast.get_docstring(node) is not None:
                first = node.body[0]
                lines -= (first.end_lineno or first.lineno) - first.lineno + 1
            yield node.name, lines


def _stub(nodes: Iterable[ast.AST]) -> bool:
    raised = [node.exc for node in nodes if isinstance(node, ast.Raise)]
    names = [one.func if isinstance(one, ast.Call) else one for one in raised]
    return any(isinstance(one, ast.Name) and one.id == "NotImplementedError" for one in names)

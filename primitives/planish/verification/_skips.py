"""Which tests their author skips, or expects to fail, whatever the candidate."""

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal

from planish.verification._plan import tree_of

__all__ = ["Mark", "author_marks"]

Mark = Literal["skip", "xfail"]

_MARKS: dict[str, Mark] = {"skip": "skip", "xfail": "xfail", "expectedFailure": "xfail"}
_CONDITIONAL = ("skipif", "skipIf", "skipUnless")
_KNOWN = ("sys", "os", "platform", "None", "True", "False", "bool", "not", "tuple", "int", "str")


@lru_cache(maxsize=64)
def author_marks(code: str) -> Mapping[str, Mark]:
    """Give the tests that a decorator skips or expects to fail: "test_x", "Class.test_y".

    A condition of a skip counts only where it speaks of nothing but `sys`, `os` and `platform`:
    those of the process that judges, which the candidate cannot change.

    Args:
        code: Test code that parses.
    """
    tree = tree_of(code)
    return dict(_marked(tree.body, "", _module_mark(tree.body)))


def _marked(body: list[ast.stmt], owner: str, around: Mark | None) -> Iterator[tuple[str, Mark]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            mark = around or _first(node.decorator_list)
            if mark is not None:
                yield f"{owner}{node.name}", mark
        elif isinstance(node, ast.ClassDef):
            mark = around or _first(node.decorator_list)
            yield from _marked(node.body, f"{node.name}.", mark)


def _module_mark(body: list[ast.stmt]) -> Mark | None:
    """The mark of `pytestmark = pytest.mark.skip(...)`, alone or in a list."""
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                return _first(value.elts if isinstance(value, ast.List | ast.Tuple) else [value])
            case _:
                continue
    return None


def _first(marks: list[ast.expr]) -> Mark | None:
    for one in marks:
        mark = _mark(one)
        if mark is not None:
            return mark
    return None


def _mark(decorator: ast.expr) -> Mark | None:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    conditions = decorator.args[:1] if isinstance(decorator, ast.Call) else []
    if name in _CONDITIONAL:
        return "skip" if conditions and _decided(conditions[0]) else None
    mark = _MARKS.get(name)
    return None if mark == "xfail" and conditions else mark


def _decided(condition: ast.expr) -> bool:
    names = (node.id for node in ast.walk(condition) if isinstance(node, ast.Name))
    return all(name in _KNOWN for name in names)

"""Which tests their author skips, or expects to fail, whatever the candidate."""

import ast
from collections.abc import Iterator
from functools import lru_cache

from planish.harness._plan import tree_of

__all__ = ["author_skips"]

_ALWAYS = ("skip", "expectedFailure", "xfail")
_SOMETIMES = ("skipif", "skipIf", "skipUnless")
_KNOWN = ("sys", "os", "platform", "None", "True", "False", "bool", "not", "tuple", "int", "str")


@lru_cache(maxsize=64)
def author_skips(code: str) -> frozenset[str]:
    """Name the tests that a decorator skips: "test_x", "Class.test_y".

    A condition counts only where it speaks of nothing but `sys`, `os` and `platform`: those of
    the process that judges, which the candidate cannot change.

    Args:
        code: Test code that parses.
    """
    tree = tree_of(code)
    everything = any(_is_module_mark(node) for node in tree.body)
    return frozenset(_skipped(tree.body, "", everything=everything))


def _skipped(body: list[ast.stmt], owner: str, *, everything: bool) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if everything or any(map(_skips, node.decorator_list)):
                yield f"{owner}{node.name}"
        elif isinstance(node, ast.ClassDef):
            all_of_it = everything or any(map(_skips, node.decorator_list))
            yield from _skipped(node.body, f"{node.name}.", everything=all_of_it)


def _is_module_mark(node: ast.stmt) -> bool:
    """It is `pytestmark = pytest.mark.skip(...)`, alone or in a list."""
    match node:
        case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
            marks = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
            return any(map(_skips, marks))
        case _:
            return False


def _skips(mark: ast.expr) -> bool:
    called = mark.func if isinstance(mark, ast.Call) else mark
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    conditions = mark.args[:1] if isinstance(mark, ast.Call) else []
    if name in _SOMETIMES or (name == "xfail" and conditions):
        return bool(conditions) and _decided(conditions[0])
    return name in _ALWAYS


def _decided(condition: ast.expr) -> bool:
    names = (node.id for node in ast.walk(condition) if isinstance(node, ast.Name))
    return all(name in _KNOWN for name in names)

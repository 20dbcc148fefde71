"""Find the test functions and methods of test code, and refuse those that would not run."""

import ast
from collections.abc import Iterator

from planish.data.tests.uses import Function
from planish.errors import TaskError

__all__ = [
    "names_left_out",
    "require_own_choice",
    "require_parameters",
    "require_reached",
    "test_functions",
]

_FIXTURES = frozenset(
    {
        *("capfd", "caplog", "capsys", "monkeypatch", "recwarn", "request"),
        *("tmp_path", "tmp_path_factory", "tmpdir"),
    }
)
"""Parameters that pytest alone gives a value."""


def test_functions(body: list[ast.stmt]) -> Iterator[tuple[str, int]]:
    """Yield the name and the line of each test function and each test method of a unittest class.

    A class has the methods of those classes of the code that it derives from, too.
    """
    cases: set[str] = set()
    methods: dict[str, dict[str, int]] = {}
    deleted = {
        target.id
        for node in body
        if isinstance(node, ast.Delete)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in body:
        if isinstance(node, Function) and node.name.startswith("test"):
            if not _required_parameters(node):
                yield node.name, node.lineno
        elif isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base) for base in node.bases]
            found = methods[node.name] = _test_methods(node, [methods.get(b, {}) for b in bases])
            if any(base.endswith("TestCase") or base in cases for base in bases):
                cases.add(node.name)
                if node.name in deleted:  # a base of others only
                    continue
                yield from ((f"{node.name}.{name}", line) for name, line in found.items())


def _test_methods(node: ast.ClassDef, inherited: list[dict[str, int]]) -> dict[str, int]:
    """Return the test methods that a class has, and their lines.

    Args:
        node: The class.
        inherited: The same of its bases, in order.
    """
    found: dict[str, int] = {}
    for base in reversed(inherited):
        found |= base
    for inner in node.body:
        if isinstance(inner, Function) and inner.name.startswith("test"):
            found[inner.name] = inner.lineno
        elif isinstance(inner, ast.Assign):  # as `test_a = None`, which leaves one out
            for target in inner.targets:
                found.pop(ast.unparse(target), None)
    return found


def require_reached(body: list[ast.stmt], used: set[str]) -> None:
    """Refuse tests that only pytest would call, because they would not run.

    A function with parameters may be a helper, if pytest is not used and they are no fixtures.

    Args:
        body: The statements of the test code.
        used: The names that it uses anywhere.

    Raises:
        TaskError: there is such a test.
    """
    for node in body:
        lost = ""
        if isinstance(node, Function) and node.name.startswith("test"):
            fixtures = "pytest" in used or _FIXTURES.intersection(one.arg for one in node.args.args)
            lost = node.name if fixtures and _required_parameters(node) else ""
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test") and not node.bases:
            lost = node.name if _test_methods(node, []) else ""
        if lost and lost not in used:
            raise TaskError(
                f"line {node.lineno} of the test code: {lost!r} takes fixtures or is no "
                "unittest.TestCase, and nothing uses it, so it would not run: give tests that "
                "are written for pytest as a PytestFile"
            )


def _required_parameters(node: Function) -> bool:
    """Return whether a function cannot be called without arguments.

    Decorators give some, as `patch` and Hypothesis's `given` do; those of pytest do not.
    """
    if not all(ast.unparse(one).startswith("pytest.") for one in node.decorator_list):
        return False
    parameters = node.args
    positional = len(parameters.posonlyargs) + len(parameters.args)
    return positional > len(parameters.defaults) or None in parameters.kw_defaults


def require_parameters(tree: ast.Module, what: str) -> None:
    """Refuse marks of pytest that no test can have, as they stand: `parametrize` and its values.

    Only what is certain from the text is refused: names and values that are written out, at tests
    that pytest collects.

    Args:
        tree: A test file.
        what: Name of the file in the message.

    Raises:
        TaskError: there is such a mark.
    """
    if not any(isinstance(node, ast.Import) and _imports_pytest(node) for node in tree.body):
        return
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name.startswith("Test")]
    for body in (tree.body, *(node.body for node in classes)):
        found = {node.name: node for node in body if isinstance(node, Function | ast.ClassDef)}
        for node in found.values():  # of two with the same name, the last
            if isinstance(node, Function) and node.name.startswith("test"):
                for mark in node.decorator_list:
                    if fault := _fault_of_mark(mark):
                        raise TaskError(
                            f"line {mark.lineno} of {what}: {ast.unparse(mark)[:200]} {fault}"
                        )


def _imports_pytest(node: ast.Import) -> bool:
    return any(name.name == "pytest" and name.asname is None for name in node.names)


def _fault_of_mark(mark: ast.expr) -> str:
    """Return why pytest refuses a mark, or runs no test because of it; "" if it may be right."""
    if not isinstance(mark, ast.Call):
        return ""
    name = ast.unparse(mark.func)
    if name in {f"pytest.mark.{word}" for word in ("parameterize", "parametrise", "parameterise")}:
        return "is misspelt: write pytest.mark.parametrize"
    options: dict[str | None, ast.expr] = {one.arg: one.value for one in mark.keywords}
    unclear = None in options or any(isinstance(one, ast.Starred) for one in mark.args)
    if name != "pytest.mark.parametrize" or unclear:
        return ""
    arguments = dict(zip(("argnames", "argvalues"), mark.args, strict=False)) | options
    values = arguments.get("argvalues")
    if values is None:
        return "has no values"
    if isinstance(values, ast.Constant) and not isinstance(values.value, str | bytes):
        return "has no list of values"
    count = _count_of_names(arguments.get("argnames"))
    if not isinstance(values, ast.List | ast.Tuple) or count is None:
        return ""
    if not values.elts:
        return "has an empty list of values, so the test would not run"
    if count > 1 and any(_size(one) not in (None, count) for one in values.elts):
        return f"has {count} names, and not as many values in each set"
    return ""


def _count_of_names(names: ast.expr | None) -> int | None:
    """Return how many parameters `parametrize` names; None if the text does not show it."""
    if isinstance(names, ast.Constant) and isinstance(names.value, str):
        return len([name for name in names.value.split(",") if name.strip()])
    if isinstance(names, ast.List | ast.Tuple):
        return None if any(isinstance(one, ast.Starred) for one in names.elts) else len(names.elts)
    return None


def _size(values: ast.expr) -> int | None:
    """Return how many values a set of `parametrize` has; None if the text does not show it."""
    if isinstance(values, ast.Call) and ast.unparse(values.func) == "pytest.param":
        items = values.args
    elif isinstance(values, ast.List | ast.Tuple):
        items = values.elts
    else:
        return None
    return None if any(isinstance(one, ast.Starred) for one in items) else len(items)


def require_own_choice(tree: ast.Module, called: set[str], used: frozenset[str] | None) -> None:
    """Refuse what tells unittest or pytest which tests there are, as neither is asked here.

    Args:
        tree: The test code.
        called: The names of its functions and classes that are called as tests.
        used: The names that its statements use; None if it runs its classes itself.

    Raises:
        TaskError: a test function is a generator, or tests are chosen by `load_tests` or by
            `__test__`.
    """
    left_out = called.intersection(names_left_out(tree.body))
    for node in tree.body:
        name = getattr(node, "name", "")
        generator = next(_generators(node), None) if name in called else None
        if generator is not None:
            raise TaskError(
                f"line {generator.lineno} of the test code: {generator.name!r} is a generator, so "
                "that calling it runs nothing: take the `yield` out of it"
            )
        if name == "load_tests" and used is not None and name not in used:
            raise TaskError(
                f"line {node.lineno} of the test code: nothing calls {name!r}, by which unittest "
                "chooses tests when it loads a module: define them as unittest classes or test "
                "functions, which all run"
            )
        if name in left_out:
            raise TaskError(
                f"line {node.lineno} of the test code: `__test__ = False` of {name!r} or of its "
                "base holds for pytest alone: give the tests as a PytestFile; or give a function "
                "another name, and delete a class (`del`) behind those that derive from it"
            )


def _generators(node: ast.stmt) -> Iterator[Function]:
    """Yield the test functions, a statement or in a class, that have a `yield` of their own."""
    for one in node.body if isinstance(node, ast.ClassDef) else [node]:
        if not isinstance(one, Function) or one.decorator_list:
            continue
        left: list[ast.AST] = [*one.body] if one.name.startswith("test") else []
        while left:
            inner = left.pop()
            if isinstance(inner, ast.Yield | ast.YieldFrom):
                yield one
                break
            if not isinstance(inner, Function | ast.Lambda):
                left += ast.iter_child_nodes(inner)


def names_left_out(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names of classes and functions whose `__test__` the code sets to False."""
    values: dict[str, bool] = {}
    for node in body:
        match node:
            case ast.ClassDef(name=name, bases=bases, body=inner):
                named = [ast.unparse(base) for base in bases]
                values[name] = all(values.get(base, True) for base in named)
                for one in inner:
                    match one:
                        case ast.Assign([ast.Name("__test__")], ast.Constant(bool(value))):
                            values[name] = value
                        case _:
                            pass
            case ast.Assign([ast.Attribute(ast.Name(name), "__test__")], ast.Constant(bool(value))):
                values[name] = value
            case _:
                pass
    yield from (name for name, value in values.items() if not value)

"""Test code for inputs without outputs: the canonical solution says what is expected."""

import ast
from collections.abc import Mapping, Sequence

from planish_integrations.evaluation._errors import RowError

__all__ = ["tests_of"]

_SETS = frozenset(
    (
        *("similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly"),
        *("larg_nnum", "intersection_array", "find_dissimilar", "Diff"),
    )
)
"""MBPP+ functions whose results have no order."""

_FOUND = frozenset(["check_str", "text_match_three", "text_starta_endb"])
"""MBPP+ functions that return a match object or None, or say only whether there is one."""

_HELPERS = """
def _close(got, wanted, allowed):
    if isinstance(wanted, (list, tuple)) and isinstance(got, (list, tuple)):
        pairs = zip(got, wanted)
        return len(got) == len(wanted) and all(_close(one, two, allowed) for one, two in pairs)
    numbers = (int, float, complex)
    if not isinstance(got, numbers) or not isinstance(wanted, numbers):
        return False
    if wanted != wanted:
        return got != got
    return got == wanted or abs(got - wanted) <= allowed + 1e-7 * abs(wanted) < float("inf")


def _floats(value):
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(isinstance(item, float) for item in value)
    return isinstance(value, float)


def _same(got, wanted, allowed):
    if got == wanted:
        return True
    if allowed == 0 and _floats(wanted):
        allowed = 1e-6
    if allowed == 0 and wanted == wanted:
        return False
    return type(got) is type(wanted) and _close(got, wanted, allowed)
"""

_CHECK = """
def _check(arguments):
    import copy
    wanted = _REFERENCE(*copy.deepcopy(arguments))
    got = {name}(*copy.deepcopy(arguments))
    shown = ", ".join(map(repr, arguments))[:500]
    assert {right}, f"{name}({{shown}}) is {{got!r:.500}}, expected {{wanted!r:.500}}"
"""

# What each benchmark takes for right beside the result of the canonical solution itself.
_PLAIN = "_same(got, wanted, {allowed})"
_RIGHT_HUMANEVAL = {
    "find_zero": "abs(sum(c * got ** n for n, c in enumerate(arguments[0]))) <= {allowed}",
}
_RIGHT_MBPP = {
    "are_equivalent": "True or got",
    "sum_div": "_same(got, wanted, {allowed}) or got == 0",
    "surface_Area": "_same(got, wanted, {allowed}) or abs(got - _surface(*arguments)) <= {allowed}",
    "digit_distance_nums": "_same(got, wanted, {allowed}) or got == _distance(*arguments)",
    **dict.fromkeys(_SETS, "set(got) == set(wanted)"),
    **dict.fromkeys(
        _FOUND,
        "(got if isinstance(got, bool) else got is not None) == "
        "(wanted if isinstance(wanted, bool) else wanted is not None)",
    ),
}
_READINGS = """
def _surface(base, height):
    return round(base**2 + 2 * base * ((base / 2) ** 2 + height**2) ** 0.5)


def _distance(one, other):
    width = max(len(str(one)), len(str(other)))
    pairs = zip(str(one).zfill(width), str(other).zfill(width))
    return sum(abs(int(a) - int(b)) for a, b in pairs)
"""


def tests_of(
    name: str,
    solution: str,
    inputs: Mapping[str, Sequence[str]],
    tolerance: float,
    *,
    mbpp: bool,
) -> str:
    """Return test code with one check for each input.

    Args:
        name: The function that is asked for.
        solution: A program that defines it rightly.
        inputs: By the field they stand in, the source of each list of arguments.
        tolerance: How far a number may be from the expected one.
        mbpp: The special cases are those of MBPP+; else those of HumanEval+.

    Raises:
        RowError: the solution cannot be taken into test code, or there are no inputs.
    """
    if not any(inputs.values()):
        raise RowError("has no inputs")
    right = (_RIGHT_MBPP if mbpp else _RIGHT_HUMANEVAL).get(name, _PLAIN)
    parts = [
        _reference(name, solution),
        _HELPERS,
        _READINGS if "_surface(" in right or "_distance(" in right else "",
        _CHECK.format(name=name, right=right.format(allowed=repr(tolerance))),
    ]
    for field, sources in inputs.items():
        parts.append(f"def check_{field}(number):\n    _check(_{field.upper()}[number])\n")
        parts.append(f"_{field.upper()} = [\n" + "".join(f"    {s},\n" for s in sources) + "]\n")
        parts += [f"check_{field}({number})" for number in range(len(sources))]
    return "\n".join(parts) + "\n"


def _reference(name: str, solution: str) -> str:
    """Return code that makes `_REFERENCE` of the solution, with all it defines kept inside."""
    try:
        tree = ast.parse(solution)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RowError(f"its canonical solution does not parse: {error}") from error
    for node in ast.walk(tree):
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        star = isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names)
        if future or star or isinstance(node, ast.Global):
            raise RowError(
                f"its canonical solution cannot be run beside a candidate: {ast.unparse(node)}"
            )
    defined = (n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef))
    if name not in defined:
        raise RowError(f"its canonical solution does not define {name}")
    maker = ast.parse("def _reference(): pass")
    function = maker.body[0]
    assert isinstance(function, ast.FunctionDef)  # noqa: S101 - so that type checkers know
    function.body = [*tree.body, ast.Return(ast.Name(name, ast.Load()))]
    return f"{ast.unparse(ast.fix_missing_locations(maker))}\n\n\n_REFERENCE = _reference()\n"

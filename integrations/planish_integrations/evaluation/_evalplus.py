"""Read problems in EvalPlus's format: HumanEval+ and MBPP+ with `base_input` and `plus_input`.

The release has inputs and a canonical solution, but no outputs. The test code therefore computes
each expected output with the canonical solution, in the verifier's process.
"""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from planish.data.literal import to_source
from planish_integrations.evaluation._errors import RowError
from planish_integrations.evaluation._humaneval import examples, head
from planish_integrations.evaluation._jsonl import as_list, text_field
from planish_integrations.evaluation._mbpp import restore_inputs
from planish_integrations.evaluation._problem import Problem

__all__ = ["check_code", "from_evalplus"]

_SETS = frozenset(
    (
        *("similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly"),
        *("larg_nnum", "intersection_array", "find_dissimilar", "Diff"),
    )
)
"""MBPP+ functions whose results have no order."""

_MATCHERS = frozenset(["check_str", "text_match_three", "text_starta_endb"])
"""MBPP+ functions that return a match object or None, or a bool."""

_HELPERS = """
def _close(actual, expected, allowed):
    if isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple)):
        pairs = zip(actual, expected)
        return len(actual) == len(expected) and all(_close(one, two, allowed) for one, two in pairs)
    numbers = (int, float, complex)
    if not isinstance(actual, numbers) or not isinstance(expected, numbers):
        return False
    if expected != expected:
        return actual != actual
    if actual == expected:
        return True
    return abs(actual - expected) <= allowed + 1e-7 * abs(expected) < float("inf")


def _floats(value):
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(isinstance(item, float) for item in value)
    return isinstance(value, float)


def _same(actual, expected, allowed):
    if actual == expected:
        return True
    if allowed == 0 and _floats(expected):
        allowed = 1e-6
    if allowed == 0 and expected == expected:
        return False
    return type(actual) is type(expected) and _close(actual, expected, allowed)
"""

_CHECK = """
def _check(arguments):
    import copy
    expected = _REFERENCE(*copy.deepcopy(arguments))
    actual = {name}(*copy.deepcopy(arguments))
    listing = ", ".join(map(repr, arguments))[:500]
    assert {condition}, f"{name}({{listing}}) is {{actual!r:.500}}, expected {{expected!r:.500}}"
"""

# What each benchmark accepts besides the result of the canonical solution.
_PLAIN = "_same(actual, expected, {allowed})"
_HUMANEVAL_CONDITIONS = {
    "find_zero": "abs(sum(c * actual ** n for n, c in enumerate(arguments[0]))) <= {allowed}",
}
_MBPP_CONDITIONS = {
    "are_equivalent": "True or actual",
    "sum_div": "_same(actual, expected, {allowed}) or actual == 0",
    "surface_Area": "_same(actual, expected, {allowed}) "
    "or abs(actual - _surface(*arguments)) <= {allowed}",
    "digit_distance_nums": "_same(actual, expected, {allowed}) or actual == _distance(*arguments)",
    **dict.fromkeys(_SETS, "set(actual) == set(expected)"),
    **dict.fromkeys(
        _MATCHERS,
        "(actual if isinstance(actual, bool) else actual is not None) == "
        "(expected if isinstance(expected, bool) else expected is not None)",
    ),
}
_ALTERNATIVES = """
def _surface(base, height):
    return round(base**2 + 2 * base * ((base / 2) ** 2 + height**2) ** 0.5)


def _distance(one, other):
    width = max(len(str(one)), len(str(other)))
    pairs = zip(str(one).zfill(width), str(other).zfill(width))
    return sum(abs(int(a) - int(b)) for a, b in pairs)
"""


def check_code(
    name: str,
    solution: str,
    inputs: Mapping[str, Sequence[str]],
    tolerance: float,
    *,
    mbpp: bool,
) -> str:
    """Return test code with one check for each input.

    Args:
        name: The function to test.
        solution: A program that defines it correctly.
        inputs: By field, the source of each list of arguments.
        tolerance: How far a number may be from the expected one.
        mbpp: Use MBPP+'s special cases; else those of HumanEval+.

    Raises:
        RowError: the solution cannot be part of test code, or there are no inputs.
    """
    if not any(inputs.values()):
        raise RowError("has no inputs")
    condition = (_MBPP_CONDITIONS if mbpp else _HUMANEVAL_CONDITIONS).get(name, _PLAIN)
    parts = [
        _reference(name, solution),
        _HELPERS,
        _ALTERNATIVES if "_surface(" in condition or "_distance(" in condition else "",
        _CHECK.format(name=name, condition=condition.format(allowed=repr(tolerance))),
    ]
    for field, sources in inputs.items():
        parts.append(f"def check_{field}(number):\n    _check(_{field.upper()}[number])\n")
        parts.append(f"_{field.upper()} = [\n" + "".join(f"    {s},\n" for s in sources) + "]\n")
        parts += [f"check_{field}({number})" for number in range(len(sources))]
    return "\n".join(parts) + "\n"


def _reference(name: str, solution: str) -> str:
    """Return code that defines `_REFERENCE`, the solution with all its names local."""
    try:
        tree = ast.parse(solution)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RowError(f"its canonical solution does not parse: {error}") from error
    for node in ast.walk(tree):
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        star = isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names)
        if future or star or isinstance(node, ast.Global):
            raise RowError(
                f"its canonical solution cannot run in a candidate's process: {ast.unparse(node)}"
            )
    defined = (n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef))
    if name not in defined:
        raise RowError(f"its canonical solution does not define {name}")
    maker = ast.parse("def _reference(): pass")
    function = maker.body[0]
    assert isinstance(function, ast.FunctionDef)  # noqa: S101 - for the type checkers
    function.body = [*tree.body, ast.Return(ast.Name(name, ast.Load()))]
    return f"{ast.unparse(ast.fix_missing_locations(maker))}\n\n\n_REFERENCE = _reference()\n"


_INPUTS = ("base_input", "plus_input")


def from_evalplus(row: Mapping[str, Any]) -> Problem | None:
    """Return the problem of a row; None if the row has another format.

    Raises:
        RowError: not all of the row's tests can be run.
    """
    if not any(name in row for name in _INPUTS):
        return None
    task_id, name, prompt, solution = _texts(row)
    tolerance = row.get("atol", 0)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float):
        raise RowError(f"its atol {tolerance!r} is not a number")
    mbpp = task_id.lower().startswith("mbpp")
    inputs = {field: _inputs(row, field) for field in _INPUTS}
    if mbpp:
        inputs = {field: restore_inputs(task_id, found) for field, found in inputs.items()}
    sources = {
        field: [to_source(arguments) for arguments in found] for field, found in inputs.items()
    }
    assertion = text_field(row, "assertion")
    return Problem(
        bench="MBPP+" if mbpp else "HumanEval+",
        task_id=task_id,
        prompt=prompt,
        entry_point=name,
        preamble="" if mbpp else head(prompt, name),
        tests=check_code(name, prompt + solution, sources, tolerance, mbpp=mbpp),
        visible_tests=_lines(assertion) if mbpp else tuple(examples(prompt, name)),
        canonical_solution=prompt + solution,
        counts={field: len(found) for field, found in inputs.items()},
    )


def _texts(row: Mapping[str, Any]) -> tuple[str, ...]:
    fields = ("task_id", "entry_point", "prompt", "canonical_solution")
    found = [text_field(row, field) for field in fields]
    missing = [field for field, text in zip(fields, found, strict=True) if text is None]
    if missing:
        raise RowError(
            f"has inputs but no {', '.join(missing)}: the expected outputs are those of the "
            "canonical solution"
        )
    return tuple(text or "" for text in found)


def _inputs(row: Mapping[str, Any], field: str) -> list[list[Any]]:
    """Return the argument lists of a field; a release may write an empty field as an object."""
    found = row.get(field)
    if found == {}:
        return []
    rows = as_list(found)
    if rows is None:
        raise RowError(f"its {field} is missing or not a list: only part of its tests would be run")
    if not all(isinstance(arguments, list) for arguments in rows):
        raise RowError(f"its {field} contains values other than lists of arguments")
    return rows


def _lines(assertion: str | None) -> tuple[str, ...]:
    lines = (line.strip() for line in (assertion or "").splitlines())
    return tuple(line for line in lines if line.startswith("assert"))

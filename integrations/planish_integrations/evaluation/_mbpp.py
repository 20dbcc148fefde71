"""Read problems in MBPP's format, and restore the input types of MBPP+.

A row has `code` and `test_list`; MBPP+ is also published with a `test` program. EvalPlus's release
of MBPP+ writes tuples, sets and complex numbers as JSON. Which problem takes which types is a fact
of the data set that is not in its rows.
"""

import ast
from collections.abc import Callable, Mapping
from typing import Any

from planish_integrations.evaluation._errors import RowError
from planish_integrations.evaluation._jsonl import as_list, id_field, text_field, text_list_field
from planish_integrations.evaluation._problem import Problem

__all__ = ["from_mbpp", "restore_inputs"]

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def from_mbpp(row: Mapping[str, Any]) -> Problem | None:
    """Return the problem of a row; None if the row has another format.

    Raises:
        RowError: it has no tests, or they do not parse.
    """
    task_id, code = id_field(row, "task_id"), text_field(row, "code")
    prompt, test_list = text_field(row, "prompt", "text"), text_list_field(row, "test_list")
    if task_id is None or code is None or prompt is None or test_list is None:
        return None
    setup = [
        *(text_list_field(row, "test_imports") or ()),
        text_field(row, "test_setup_code") or "",
    ]
    more = text_list_field(row, "challenge_test_list") or ()
    test = text_field(row, "test")
    if not test_list and not test:
        raise RowError("has no tests: its test_list is empty")
    lines = [*setup, *test_list, *more] if test is None else [*setup, test]
    counts = {"test_list": len(test_list), "challenge_test_list": len(more)}
    return Problem(
        bench="MBPP" if test is None else "MBPP+",
        task_id=task_id,
        prompt=prompt,
        entry_point=_entry_point(code, test_list),
        tests="\n".join([line for line in lines if line]) + "\n",
        visible_tests=tuple(test_list),
        canonical_solution=code,
        counts={field: n for field, n in counts.items() if n} if test is None else {"test": 1},
    )


def _entry_point(code: str, tests: tuple[str, ...]) -> str | None:
    """Return the function or class of the solution that the tests use, if it is just one."""
    try:
        defined = {node.name for node in ast.parse(code).body if isinstance(node, _DEFINITIONS)}
        tree = ast.parse("\n".join(tests))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RowError(f"its test_list or code does not parse: {error}") from error
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & defined
    return next(iter(names)) if len(names) == 1 else None


Arguments = list[Any]


def _numbers(text: str) -> frozenset[int]:
    return frozenset(map(int, text.split()))


def _tuple_each(arguments: Arguments) -> Arguments:
    return [tuple(one) for one in arguments]


def _tuples_in_each(arguments: Arguments) -> Arguments:
    return [[tuple(item) for item in one] for one in arguments]


def _tuple_of_tuples(arguments: Arguments) -> Arguments:
    return [tuple(tuple(item) for item in one) for one in arguments]


def _tuples_in_first(arguments: Arguments) -> Arguments:
    return [[tuple(item) for item in arguments[0]], arguments[1]]


def _first_tuple(arguments: Arguments) -> Arguments:
    return [tuple(arguments[0]), *arguments[1:]]


def _second_tuple(arguments: Arguments) -> Arguments:
    return [arguments[0], tuple(arguments[1])]


def _sets(arguments: Arguments) -> Arguments:
    # An empty one stays an empty dict, as in the release's own reader.
    return [[set(items) if (items := as_list(one)) else {} for one in arguments[0]]]


def _mixed(arguments: Arguments) -> Arguments:
    items = ((as_list(one), one) for one in arguments[0])
    return [tuple(one if found is None else tuple(found) for found, one in items)]


def _tuple_values(arguments: Arguments) -> Arguments:
    return [{key: tuple(value) for key, value in arguments[0].items()}, *arguments[1:]]


def _all_tuples(arguments: Any) -> Any:
    items = as_list(arguments)
    return arguments if items is None else tuple(_all_tuples(item) for item in items)


def _all_tuples_inside(arguments: Arguments) -> Arguments:
    return [_all_tuples(one) for one in arguments]


def _polar(arguments: Arguments) -> Arguments:
    return [float(arguments[0]), complex(arguments[1])]


def _complex(arguments: Arguments) -> Arguments:
    return [complex(arguments[0])]


_RULES: tuple[tuple[frozenset[int], Callable[[Arguments], Arguments]], ...] = (
    (
        _numbers(
            "2 116 132 143 222 261 273 394 399 421 424 429 470 560 579 596 616 630 726 740 744 809"
        ),
        _tuple_each,
    ),
    (_numbers("63 64 70 94 120 237 272 299 400 409 417 438 473 614 780"), _tuples_in_each),
    (_numbers("75 413 444 753"), _tuples_in_first),
    (_numbers("106 750"), _second_tuple),
    (_numbers("115"), _sets),
    (_numbers("124"), _polar),
    (_numbers("250 307 405 446 617 720 763 808"), _first_tuple),
    (_numbers("252"), _complex),
    (_numbers("259 401 445"), _tuple_of_tuples),
    (_numbers("278"), _mixed),
    (_numbers("580 615 791"), _all_tuples_inside),
    (_numbers("722"), _tuple_values),
)


def restore_inputs(task_id: str, inputs: list[Arguments]) -> list[Arguments]:
    """Return the inputs of an MBPP+ problem with the types that its function takes.

    Args:
        task_id: Such as "Mbpp/2".
        inputs: Lists of arguments, decoded from JSON.

    Raises:
        RowError: the inputs do not have the form of this problem's inputs.
    """
    number = task_id.rpartition("/")[2]
    rule = next((rule for known, rule in _RULES if number in map(str, known)), None)
    if rule is None:
        return inputs
    try:
        return [rule(arguments) for arguments in inputs]
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise RowError(f"its inputs are not those of {task_id}: {error}") from error

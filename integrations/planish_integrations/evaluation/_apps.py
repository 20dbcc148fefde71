"""Read problems in APPS's format: `question`, and `input_output` as JSON text."""

from collections.abc import Mapping
from typing import Any

from planish.data import Case
from planish.data.literal import to_source
from planish.data.tests import Tests, Tolerance
from planish_integrations.evaluation._contests import (
    IMPORTS,
    call_tests,
    entry_point_of,
    prompt_of,
    stdio_tests,
)
from planish_integrations.evaluation._errors import RowError
from planish_integrations.evaluation._jsonl import (
    as_list,
    as_object,
    id_field,
    json_field,
    text_field,
)
from planish_integrations.evaluation._problem import Problem

__all__ = ["from_apps"]

_TOLERANCE = Tolerance(absolute=1e-8, relative=1e-5)  # those of the published judge
_AS_LISTS = (
    "(lambda plain, value: plain(plain, value))"
    "(lambda plain, value: [plain(plain, item) for item in value]"
    " if isinstance(value, (list, tuple)) else value, result)"
)


def from_apps(row: Mapping[str, Any]) -> Problem | None:
    """Return the problem of a row; None if the row has another format.

    Raises:
        RowError: it has no tests, or they do not have APPS's format.
    """
    question, task_id = text_field(row, "question"), id_field(row, "problem_id", "id", "task_id")
    if question is None or task_id is None or "input_output" not in row:
        return None
    decoded = json_field(row, "input_output") if row["input_output"] else None
    fields = as_object(decoded)
    if fields is None:
        raise RowError("has no tests: its input_output is empty")
    inputs, outputs = _list(fields, "inputs"), _list(fields, "outputs")
    if len(inputs) != len(outputs):
        raise RowError(f"has {len(inputs)} inputs and {len(outputs)} outputs")
    function, starter = text_field(fields, "fn_name"), text_field(row, "starter_code") or ""
    tests: Tests
    if function is None:
        pairs = [(_text(one), _text(other)) for one, other in zip(inputs, outputs, strict=True)]
        tests = stdio_tests(pairs, tolerance=_TOLERANCE)
    else:
        tests = call_tests(_cases(inputs, outputs))
    return Problem(
        bench="APPS",
        task_id=task_id,
        prompt=prompt_of(question, starter, program=function is None),
        entry_point=None if function is None else entry_point_of(function, starter),
        preamble=IMPORTS,
        tests=tests,
        canonical_solution=_solution(row, function, starter),
        counts={"input_output": len(inputs)},
    )


def _list(fields: Mapping[str, Any], name: str) -> list[Any]:
    value = as_list(fields.get(name))
    if value is None:
        raise RowError(f"its input_output has no list of {name}")
    return value


def _text(value: Any) -> str:
    """Return what a program reads or writes: a text, or the text of its lines."""
    if isinstance(value, str):
        return value
    lines = as_list(value)
    if lines is not None and all(isinstance(line, str) for line in lines):
        return "\n".join(lines)
    raise RowError("its input_output contains values other than texts")


def _cases(inputs: list[Any], outputs: list[Any]) -> list[Case]:
    if not all(isinstance(arguments, list) for arguments in inputs):
        raise RowError("its input_output contains values other than lists of arguments")
    # Most results are published in a list of one item, and some functions return such a list.
    wrapped = all(len(as_list(one) or ()) == 1 for one in outputs)
    make = _wrapped_case if wrapped else _plain_case
    return [make(one, _whole_keys(other)) for one, other in zip(inputs, outputs, strict=True)]


def _plain_case(arguments: list[Any], expected: Any) -> Case:
    return Case(_arguments(arguments), expected)


def _wrapped_case(arguments: list[Any], expected: list[Any]) -> Case:
    (value,) = expected
    value = _whole_keys(value)
    accepted = f"({to_source(value)}, {to_source([value])})"
    return Case(_arguments(arguments), predicate=f"{_AS_LISTS} in {accepted}")


def _arguments(arguments: list[Any]) -> tuple[Any, ...]:
    return (_whole_keys(arguments[0]), *arguments[1:]) if arguments else ()


def _whole_keys(value: Any) -> Any:
    """Return a dict with integer keys, which JSON had to write as text; other values unchanged."""
    items = as_object(value)
    if items is None:
        return value
    try:
        return {int(key): item for key, item in items.items()}
    except ValueError:
        return items


def _solution(row: Mapping[str, Any], function: str | None, starter: str) -> str | None:
    """Return the first published solution with the form that the tests call."""
    decoded = json_field(row, "solutions") if row.get("solutions") else None
    solutions = [text for text in as_list(decoded) or () if isinstance(text, str)]
    if function is not None:
        form = "class Solution" if "class Solution" in starter else f"def {function}"
        solutions = [text for text in solutions if form in text]
    return solutions[0] if solutions else None

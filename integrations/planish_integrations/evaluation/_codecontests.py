"""Read problems in CodeContests' format: tests in three fields."""

from collections.abc import Mapping
from typing import Any

from planish.data.tests import Tolerance
from planish_integrations.evaluation._contests import prompt_of, stdio_tests
from planish_integrations.evaluation._errors import RowError
from planish_integrations.evaluation._jsonl import as_list, as_object, text_field
from planish_integrations.evaluation._problem import Problem

__all__ = ["from_codecontests"]

_FIELDS = ("public_tests", "private_tests", "generated_tests")
_TOLERANCE = Tolerance(absolute=1e-5, relative=1e-5)
_PYTHON3 = (3, "PYTHON3")


def from_codecontests(row: Mapping[str, Any]) -> Problem | None:
    """Return the problem of a row; None if the row has another format.

    Raises:
        RowError: it has no tests, they do not have CodeContests' format, or the program must read
            or write files.
    """
    name, description = text_field(row, "name"), text_field(row, "description")
    if name is None or description is None or "public_tests" not in row:
        return None
    for field in ("input_file", "output_file"):
        if row.get(field):
            raise RowError(
                f"its {field} is {row[field]!r}: programs that use files are not supported"
            )
    groups = {field: _pairs(row, field) for field in _FIELDS}
    seconds = _seconds(row.get("time_limit"))
    public = groups["public_tests"]
    pairs = [pair for group in groups.values() for pair in group]
    return Problem(
        bench="CodeContests",
        task_id=name,
        prompt=prompt_of(description, "", program=True),
        entry_point=None,
        tests=stdio_tests(pairs, tolerance=_TOLERANCE, seconds=seconds),
        visible_tests=stdio_tests(public, tolerance=_TOLERANCE, seconds=seconds) if public else (),
        canonical_solution=_solution(row.get("solutions")),
        counts={field: len(pairs) for field, pairs in groups.items()},
    )


def _pairs(row: Mapping[str, Any], field: str) -> list[tuple[str, str]]:
    """Return the pairs of a field, which is an object of two lists, or a list of objects."""
    if field not in row:
        raise RowError(f"its {field} is missing: only part of its tests would be run")
    rows, columns = as_list(row[field]), as_object(row[field])
    if rows is not None:
        fields = [as_object(one) or {} for one in rows]
        values = [(one.get("input"), one.get("output")) for one in fields]
    elif columns is not None:
        inputs, outputs = as_list(columns.get("input")), as_list(columns.get("output"))
        if inputs is None or outputs is None:
            raise RowError(f"its {field} has no lists of input and output")
        if len(inputs) != len(outputs):
            raise RowError(f"its {field} has {len(inputs)} inputs and {len(outputs)} outputs")
        values = list(zip(inputs, outputs, strict=True))
    else:
        raise RowError(f"its {field} is neither an object nor a list")
    pairs = [(a, b) for a, b in values if isinstance(a, str) and isinstance(b, str)]
    if len(pairs) != len(values):
        raise RowError(f"its {field} contains values other than texts")
    return pairs


def _seconds(value: Any) -> float | None:
    """Return a time limit (a number, or seconds and nanoseconds); None if there is none."""
    parts = as_object(value)
    whole, nanos = (value, 0) if parts is None else (parts.get("seconds", 0), parts.get("nanos", 0))
    if not isinstance(whole, int | float) or not isinstance(nanos, int | float):
        return None
    return float(whole + nanos / 1e9) or None


def _solution(value: Any) -> str | None:
    """Return the first solution in Python 3; None if there is none."""
    columns = as_object(value) or {}
    languages, texts = as_list(columns.get("language")), as_list(columns.get("solution"))
    pairs = zip(languages or (), texts or (), strict=False)
    values = (text for language, text in pairs if language in _PYTHON3)
    return next((text for text in values if isinstance(text, str)), None)

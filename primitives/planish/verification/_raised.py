"""Where an exception was raised, by the records of a run: fields of a `TestResult`."""

import ast
from collections.abc import Mapping
from typing import Any

from planish.data.execution import Failure
from planish.data.status import Place
from planish.verification._analysis import statements_by_line
from planish.verification._records import TestRecord

__all__ = ["MAX_SOURCE", "raised_facts", "raised_record"]

MAX_SOURCE = 500  # characters of a statement: a longer one is not pasted


def raised_facts(
    code: str, raised: Mapping[str, Any] | None, record: TestRecord, stop: Failure | None
) -> dict[str, Any]:
    """Return the fields of a `TestResult` that say where an exception was raised, and which.

    Args:
        code: The test code; "" if the exception's line is not in one file.
        raised: The record of the exception; None without one.
        record: The records of the test.
        stop: What stopped the program; None if it finished.
    """
    if raised is None:
        stopped = stop is not None and record.begun and record.end is None
        return {"solution_line": stop.line} if stop is not None and stopped else {}
    bases = raised.get("bases", "").split()  # recorded runs of earlier versions have none
    line = raised.get("line")
    place: Place | None = "tests" if line else None
    return {
        "exception": raised["name"],
        "bases": tuple(bases),
        "place": "solution" if raised.get("inside") else place,
        "solution_line": raised.get("at"),
        "source": _statement_source(code, line) if code and line else "",
    }


def _statement_source(code: str, line: int) -> str:
    """Return the source of the assert or call at a line of test code; "" if there is none."""
    node = statements_by_line(code).get(line)
    if node is None:
        return ""
    try:
        source = ast.unparse(node)
    except RecursionError:
        return ""
    return source if len(source) <= MAX_SOURCE else ""


def raised_record(record: TestRecord) -> dict[str, Any] | None:
    return record.end if record.end is not None and record.end["kind"] == "raised" else None

"""Problems as EvalPlus releases them: HumanEval+ and MBPP+ with `base_input` and `plus_input`.

The release has inputs and a canonical solution, no outputs: the tests compute the expected
output of each input with the canonical solution, in the process that judges.
"""

from collections.abc import Mapping
from typing import Any

from planish.data.literal import to_source
from planish_integrations.evaluation._errors import RowError
from planish_integrations.evaluation._evalplus_tests import tests_of
from planish_integrations.evaluation._fields import list_in, text_of
from planish_integrations.evaluation._humaneval import examples, head
from planish_integrations.evaluation._mbpp_inputs import restore_inputs
from planish_integrations.evaluation._problem import Problem

__all__ = ["from_evalplus"]

_INPUTS = ("base_input", "plus_input")


def from_evalplus(row: Mapping[str, Any]) -> Problem | None:
    """Return the problem of a row; None if the row is of another format.

    Raises:
        RowError: the row cannot be run whole.
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
    assertion = text_of(row, "assertion")
    return Problem(
        bench="MBPP+" if mbpp else "HumanEval+",
        task_id=task_id,
        prompt=prompt,
        entry_point=name,
        preamble="" if mbpp else head(prompt, name),
        tests=tests_of(name, prompt + solution, sources, tolerance, mbpp=mbpp),
        visible_tests=_lines(assertion) if mbpp else tuple(examples(prompt, name)),
        canonical=prompt + solution,
        counts={field: len(found) for field, found in inputs.items()},
    )


def _texts(row: Mapping[str, Any]) -> tuple[str, ...]:
    wanted = ("task_id", "entry_point", "prompt", "canonical_solution")
    found = [text_of(row, field) for field in wanted]
    missing = [field for field, text in zip(wanted, found, strict=True) if text is None]
    if missing:
        raise RowError(
            f"has inputs and no {', '.join(missing)}: the expected outputs are those of the "
            "canonical solution"
        )
    return tuple(text or "" for text in found)


def _inputs(row: Mapping[str, Any], field: str) -> list[list[Any]]:
    """Return the argument lists of a field; a release may write an empty one as an object."""
    found = row.get(field)
    if found == {}:
        return []
    rows = list_in(found)
    if rows is None:
        raise RowError(f"its {field} is missing, or no list: only part of its tests would be run")
    if not all(isinstance(arguments, list) for arguments in rows):
        raise RowError(f"its {field} holds something else than lists of arguments")
    return rows


def _lines(assertion: str | None) -> tuple[str, ...]:
    lines = (line.strip() for line in (assertion or "").splitlines())
    return tuple(line for line in lines if line.startswith("assert"))

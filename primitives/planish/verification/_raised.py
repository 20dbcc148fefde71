"""Where an exception was raised: by the records of a run, or by its traceback."""

import builtins
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from planish.data.candidate import Candidate
from planish.data.execution import Failure
from planish.data.program import Completed
from planish.data.source import statement_parts
from planish.data.status import Place
from planish.guest.protocol import STREAM, TRACEBACK, VALUE, bounded
from planish.verification._analysis import nodes_of
from planish.verification._candidate_files import main_file
from planish.verification._output import decode_output, shorten_paths
from planish.verification._plan import preamble_place
from planish.verification._records import TestRecord

__all__ = ["MAX_SOURCE", "preamble_failure", "raised_facts", "raised_record", "step_failure"]

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
        "source": _sources_by_line(code).get(line, "") if code and line else "",
    }


@lru_cache(maxsize=64)  # many candidates run against the same tests
def _sources_by_line(code: str) -> Mapping[int, str]:
    """Map each line of test code to the source of the innermost statement that runs there."""
    return {
        line: source
        for lines, _, source in statement_parts(nodes_of(code))
        if len(source) <= MAX_SOURCE
        for line in lines
    }


def raised_record(record: TestRecord) -> dict[str, Any] | None:
    return record.end if record.end is not None and record.end["kind"] == "raised" else None


# The last line of a traceback, and the lines that name the step, in the forms of a local session
# and of IPython.
_RAISED = re.compile(r"(?P<name>[^\W\d][\w.]*)(?:: (?P<message>.*))?")
_STEP_LINE = re.compile(r'(?:File "<step [0-9]+>"|Cell In ?\[[0-9]+\]), line ([0-9]+)')


def step_failure(completed: Completed) -> Failure | None:
    """Return the exception that a step of a session raised, by its traceback; None without one.

    The step may have printed anything to standard error: this is what it says of itself.
    """
    if completed.exit_code in (0, None) or completed.limit is not None:
        return None
    errors = shorten_paths(decode_output(completed.stderr, STREAM)).rstrip()
    found = _RAISED.fullmatch(errors.rpartition("\n")[2])
    if found is None:
        return None
    name = bounded(found["name"].rpartition(".")[2], VALUE)
    known: object = getattr(builtins, name, None)
    bases = known.__mro__[1:-2] if isinstance(known, type) else ()
    lines = _STEP_LINE.findall(errors)
    return Failure(
        name=name,
        message=bounded(found["message"] or "", VALUE),
        traceback=bounded(errors, TRACEBACK),
        line=int(lines[-1]) if lines else None,
        bases=tuple(one.__name__ for one in bases),
    )


_FRAME = re.compile(r'^[ |]*File "([^"\n]*)", line (-?\d+)(?:, in (.*))?$', re.MULTILINE)
_MISSING = re.compile(r"^No module named '([\w.]+)'")


def preamble_failure(candidate: Candidate, failure: Failure | None) -> Failure | None:
    """Return the failure to report if the task's preamble raised before the code was run.

    It would raise with any other code too. What a function of the preamble raises when tests or
    code call it is not such a failure; nor is a module that is not there if a reply may bring it,
    as a file or as a package.

    Args:
        candidate: The candidate.
        failure: The first failure of the run.
    """
    task = candidate.task
    if failure is None or not failure.traceback or not task.preamble:
        return None
    main = main_file(candidate)
    of_code = {"solution.py", main, *candidate.files}
    line: int | None = None
    is_run = False
    for file, number, function in _FRAME.findall(failure.traceback):
        at = preamble_place(candidate, file, int(number))
        if at is None and file in of_code:
            return None
        line = line if at is None else at
        is_run = is_run or (at is not None and function in ("", "<module>"))
    if line is None or not is_run or _may_be_brought(candidate, failure):
        return None
    name = "SystemExit" if failure.name == "EarlyExit" else failure.name
    lines = task.preamble.split("\n")
    text = f": {lines[line - 1].strip()}" if line <= len(lines) else ""
    raised = f"{name}: {failure.message}" if failure.message else name
    place = f"line {line} of the task's preamble{text}"
    return Failure(
        name="PreambleError",
        message=bounded(f"{raised} ({place}): no code can pass", VALUE),
        traceback=failure.traceback,
        loading=failure.loading,
    )


def _may_be_brought(candidate: Candidate, failure: Failure) -> bool:
    """Return whether another reply may bring the module that a preamble does not find."""
    if not {failure.name, *failure.bases} & {"ImportError", "ModuleNotFoundError"}:
        return False
    request, task = candidate.request, candidate.task
    structured = request is not None and request.schema is not None  # such replies name packages
    if structured or candidate.packages or candidate.files:
        return True
    missing = _MISSING.match(failure.message)
    if missing is None:
        return True
    top = re.escape(missing[1].partition(".")[0])
    words = "\n".join((task.requirement, *task.context, *task.constraints))
    return re.search(rf"\b{top}(?:\.py\b|/)", words) is not None

"""Results of `Assertions`: one for each check, or for each assert that a check reaches."""

from collections.abc import Iterator

from planish.data.execution import Failure, TestResult
from planish.data.source import title
from planish.data.status import NEUTRAL, TestStatus
from planish.data.tests import Assertions
from planish.data.tests.checks import Check
from planish.verification._plan import checks_of
from planish.verification._records import Run, Seen
from planish.verification._sides import assert_at, asserts_of, sides
from planish.verification._skips import Mark, author_marks

__all__ = ["asserted", "ended"]


def asserted(tests: Assertions, run: Run, stop: Failure | None) -> tuple[TestResult, ...]:
    """Every expected test, in order.

    Where all of them passed, but other test code raised, that has failed too.
    """
    results = tuple(
        result
        for number, check in enumerate(checks_of(tests.code))
        for result in _check(tests.code, check, run.seen(number), stop)
    )
    fine = {"passed", *NEUTRAL}
    if run.setup is None or any(result.status not in fine for result in results):
        return results
    line = run.setup["line"]
    node = asserts_of(tests.code).get(line)
    message = f"{run.setup['name']}: {run.setup['message']}"
    name = title(node) if node else f"line {line} of the tests"
    return (*results, TestResult(name=name, status="error", message=message, line=line))


def ended(seen: Seen, stop: Failure | None, mark: Mark | None = None) -> tuple[TestStatus, str]:
    """How a test ended, and what it says.

    Args:
        seen: What is on record of it.
        stop: What stopped the program.
        mark: What its author has marked it with.

    One that an exit interrupts has not run; one that a limit or a signal interrupts has failed
    on the way.
    """
    end = seen.end
    if end is None:
        if not seen.begun or stop is None:
            return "not_run", ""
        return ("not_run" if stop.name == "EarlyExit" else "error"), stop.message
    if end["kind"] == "raised":
        if end["exits"]:
            return "not_run", end["message"]
        if end["failed"]:
            return "failed", end["message"]
        return "error", f"{end['name']}: {end['message']}"
    if end["kind"] == "passed":
        return ("no_evidence" if seen.unused else "passed"), ""
    # A skip that the mark has not made is none of its author's, whoever raised it.
    own = mark == "xfail" if end.get("expected") else mark == "skip" and end.get("untouched")
    return ("skipped" if own else "not_run"), end["message"]


def _check(code: str, check: Check, seen: Seen, stop: Failure | None) -> Iterator[TestResult]:
    if len(check.asserts) <= 1:
        yield _whole(code, check, seen, stop)
    elif seen.end is not None and seen.end["kind"] == "passed" and not seen.unused:
        reached = [line for line in check.asserts if line in seen.states]
        for line in reached:
            yield TestResult(name=_name(code, line), status="passed", line=line)
        if not reached:
            yield _whole(code, check, seen, stop)
    else:
        yield from _parts(code, check, seen, stop)


def _whole(code: str, check: Check, seen: Seen, stop: Failure | None) -> TestResult:
    status, message = ended(seen, stop, author_marks(code).get(check.name))
    raised = seen.end if seen.end is not None and seen.end["kind"] == "raised" else None
    expected = actual = None
    if status == "failed" and raised is not None:
        values = seen.values.get(_start(code, raised["line"]))
        expected, actual = sides(code, values)
    return TestResult(
        name=check.name,
        status=status,
        expected=expected,
        actual=actual,
        message=message,
        line=check.line,
        duration=seen.end.get("seconds") if seen.end else None,
    )


def _parts(code: str, check: Check, seen: Seen, stop: Failure | None) -> Iterator[TestResult]:
    """One for each assert of a check that did not pass, or did not run."""
    status, message = ended(seen, stop)
    broken = _broken(code, check, seen)
    for line in check.asserts:
        state = seen.states.get(line)
        if line in broken:
            yield _part(code, line, seen, status, message)
        elif state in ("passed", "repeated"):
            yield _part(code, line, seen, "passed")
        elif state == "failed":  # the test code caught it, and went on
            yield _part(code, line, seen, "failed")
        else:
            yield _part(code, line, seen, "not_run")
    if seen.begun and not broken:
        yield _whole(code, check, seen, stop)


def _part(code: str, line: int, seen: Seen, status: TestStatus, message: str = "") -> TestResult:
    values = seen.values.get(line) if status == "failed" else None
    expected, actual = sides(code, values)
    return TestResult(
        name=_name(code, line),
        status=status,
        expected=expected,
        actual=actual,
        message=message,
        line=line,
    )


def _broken(code: str, check: Check, seen: Seen) -> list[int]:
    """The lines of the asserts in which a check broke off.

    That is the one that raised; else those that were being evaluated, or evaluated again; else
    the first that was not reached, on the way to which it broke.
    """
    if not seen.begun:
        return []
    if seen.end is not None:
        line = _start(code, seen.end.get("line"))
        if line in check.asserts:
            return [line]
    else:
        found = [n for n in check.asserts if seen.states.get(n) in ("begun", "repeated")]
        if found:
            return found
    return [line for line in check.asserts if line not in seen.states][:1]


def _start(code: str, line: int | None) -> int:
    """The line on which the statement begins that a line is part of."""
    node = assert_at(code, line)
    return node.lineno if node else line or 0


def _name(code: str, line: int) -> str:
    node = assert_at(code, line)
    return title(node) if node else f"line {line}"

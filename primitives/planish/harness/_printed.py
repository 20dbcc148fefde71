"""Results of `StdioPairs`: what the program wrote, compared here."""

from collections.abc import Sequence

from planish.data.execution import Failure, TestResult
from planish.data.program import Completed
from planish.data.tests import Stdio, StdioPairs
from planish.harness._bounds import STREAM, VALUE, bounded, text

__all__ = ["exit_failure", "printed"]


def printed(
    tests: StdioPairs, completed: Sequence[Completed], failures: Sequence[Failure | None]
) -> tuple[TestResult, ...]:
    """Every pair, in order; those without a run have not run.

    Args:
        tests: The pairs.
        completed: The runs, in their order; there may be fewer.
        failures: What went wrong in each run, the output left aside.
    """
    done = [
        _pair(pair, index, one, failure)
        for index, (pair, one, failure) in enumerate(
            zip(tests.pairs, completed, failures, strict=False)
        )
    ]
    rest = [
        TestResult(name=_name(pair, index), status="not_run", expected=_shown(pair.stdout))
        for index, pair in enumerate(tests.pairs)
        if index >= len(done)
    ]
    return (*done, *rest)


def exit_failure(completed: Completed) -> Failure | None:
    """What a program says that ended by itself with an exit code other than 0."""
    if completed.ok:
        return None
    errors = text(completed.stderr, STREAM)
    last = errors.rstrip().rpartition("\n")[2]
    code = completed.exit_code
    return Failure(
        name="ExitCode",
        message=bounded(
            f"the program ended with exit code {code}" + (f": {last}" if last else ""), VALUE
        ),
        traceback=bounded(errors, VALUE),
    )


def _pair(pair: Stdio, index: int, completed: Completed, failure: Failure | None) -> TestResult:
    wrote = completed.stdout.decode("utf-8", "replace")
    right = _lines(wrote) == _lines(pair.stdout)
    message = ""
    if failure is not None:
        message = f"{failure.name}: {failure.message}"
    elif not right:
        message = _difference(_lines(wrote), _lines(pair.stdout))
    return TestResult(
        name=_name(pair, index),
        status="error" if failure else "passed" if right else "failed",
        expected=_shown(pair.stdout),
        actual=_shown(wrote),
        message=message,
        duration=completed.duration,
    )


def _name(pair: Stdio, index: int) -> str:
    return pair.name or f"pair {index + 1}"


def _shown(output: str) -> str:
    return text(output.encode("utf-8", "replace"), VALUE)


def _lines(output: str) -> list[str]:
    lines = [line.rstrip() for line in output.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _difference(got: Sequence[str], wanted: Sequence[str]) -> str:
    """Where two outputs begin to differ."""
    index = next(
        (n for n, (one, other) in enumerate(zip(got, wanted, strict=False)) if one != other),
        min(len(got), len(wanted)),
    )
    one = repr(got[index][:200]) if index < len(got) else "nothing more"
    other = repr(wanted[index][:200]) if index < len(wanted) else "nothing more"
    return f"line {index + 1} of the output is {one}, expected {other}"

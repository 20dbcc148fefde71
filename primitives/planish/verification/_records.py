"""Read the records of one program, and find what stopped it."""

import json
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from planish.data.execution import Failure
from planish.data.program import Completed
from planish.data.tests import Assertions, Cases, PytestFile
from planish.errors import SandboxError
from planish.guest.protocol import STREAM, VALUE, bounded, seal
from planish.verification._output import text
from planish.verification._plan import RESULTS
from planish.verification._programs import Prepared

__all__ = ["Run", "Seen", "exit_failure", "run_of", "stop_of"]


def _nothing() -> dict[Any, Any]:
    return {}


def _none() -> list[Any]:
    return []


@dataclass(slots=True)
class Seen:
    """One test: whether it was begun, how it ended, and what its asserts saw.

    Attributes:
        begun: It was started.
        end: The record of its end: "passed", "raised" or "skipped".
        states: Of each assert that was reached, by its line: "begun", "passed", "repeated",
            "failed".
        values: Of those that failed, what they compared.
        value: What a case gave.
        unused: It used nothing of the candidate's.
    """

    begun: bool = False
    end: dict[str, Any] | None = None
    states: dict[int, str] = field(default_factory=_nothing)
    values: dict[int, dict[str, Any]] = field(default_factory=_nothing)
    value: dict[str, Any] | None = None
    unused: bool = False


@dataclass(slots=True)
class Run:
    """One program's records.

    Attributes:
        tests: By number, or by what pytest calls them.
        started: The verifier had come to the point where it loads the candidate.
        apart: It found itself kept apart from the candidate's process.
        weakened_by: Why what it found rests on less than isolation, a sentence each.
        ended: It has come to its end.
        timed_out: It stopped the candidate at its time limit.
        seconds: The time limit it was given.
        failure: The first exception, whole.
        setup: An exception of the test code outside of any test.
        collection: An exception that kept pytest from collecting tests.
        collected: What pytest has collected: names and lines.
        unsupported: What the sandbox lacks.
        broken_tests: Why the tests themselves cannot be run, whatever the candidate.
        packages: Packages beyond the standard library that were imported.
        tampering: What does not fit in the record; "" where all does.
    """

    tests: dict[Any, Seen] = field(default_factory=_nothing)
    started: bool = False
    apart: bool = False
    weakened_by: list[str] = field(default_factory=_none)
    ended: bool = False
    timed_out: bool = False
    seconds: float | None = None
    failure: dict[str, Any] | None = None
    setup: dict[str, Any] | None = None
    collection: dict[str, Any] | None = None
    collected: list[tuple[str, int]] = field(default_factory=_none)
    unsupported: dict[str, Any] | None = None
    broken_tests: dict[str, Any] | None = None
    packages: list[str] = field(default_factory=_none)
    tampering: str = ""

    def seen(self, test: Any) -> Seen:
        """What is known of a test."""
        return self.tests.get(test) or Seen()


def run_of(prepared: Prepared, completed: Completed) -> Run:
    """Read the records of one program.

    Raises:
        SandboxError: the program that runs the tests did not start, and the candidate cannot
            have kept it from starting.
    """
    run = Run()
    channel = completed.results
    data = completed.files.get(RESULTS, b"") if channel is None else channel
    for record in _records(data, prepared.secret, run):
        _note(run, record)
    tested = isinstance(prepared.candidate.task.tests, Assertions | Cases | PytestFile)
    if not tested:
        run.tampering = ""  # the candidate's own process wrote it, and no verdict rests on it
    elif not run.started and completed.limit is None and completed.signal is None:
        if channel == b"":  # out of the candidate's reach, and it was not yet loaded
            raise SandboxError(
                f"the program that runs the tests did not start: {text(completed.stderr, VALUE)}"
            )
        run.tampering = run.tampering or "the record of the tests is missing"
    return run


def _records(data: bytes, secret: str, run: Run) -> Iterator[dict[str, Any]]:
    """Give the records in order; what does not fit among them is tampering.

    Every line has its seal, which no line but the one at its place can have. The last line may be
    cut short by the end of the process that wrote it.
    """
    key = secret.encode()
    *lines, _ = data.split(b"\n")
    for count, line in enumerate(lines):
        mark, _, record = line.partition(b" ")
        if mark != seal(key, count, record):
            run.tampering = f"line {count + 1} of the record of the tests is not genuine"
            return
        try:
            found = json.loads(record, object_pairs_hook=_once)
        except ValueError:
            run.tampering = f"line {count + 1} of the record of the tests cannot be read"
            return
        yield found


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of JSON in which no key stands twice: what is written last would count."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _note(run: Run, record: dict[str, Any]) -> None:
    if run.ended:
        run.tampering = "the record of the tests goes on after its end"
    if "test" in record:
        _note_of_test(run, run.tests.setdefault(record["test"], Seen()), record)
        return
    match record["kind"]:
        case "start":
            run.started, run.seconds = True, record["seconds"]
            run.apart = not record["why"]
            run.weakened_by += [record["why"]] if record["why"] else []
        case "end":
            run.ended = True
        case "weakened":
            run.weakened_by.append(record["why"])
        case "timeout":
            run.timed_out = True
        case "packages":
            run.packages += record["names"].split()
        case "collected":
            run.collected.append((record["name"], record["line"]))
        case kind:  # failure, setup, collection, unsupported, broken_tests
            setattr(run, kind, record)


def _note_of_test(run: Run, seen: Seen, record: dict[str, Any]) -> None:
    match record["kind"]:
        case "begin":
            seen.begun = True
        case "assert":
            seen.states[record["line"]] = record["state"]
        case "values":
            seen.values[record["line"]] = record
        case "value":
            seen.value = record
        case "unused":
            seen.unused = True
        case kind:  # passed, raised, skipped
            if seen.end is not None and seen.end["kind"] != kind:
                run.tampering = "the record has two ends of one test"
            seen.end = record


def stop_of(completed: Completed, run: Run, *, tested: bool) -> Failure | None:
    """What stopped a program; None where it came to its end.

    "Timeout" and "ResourceLimit" name the limit, "Killed" the signal; "EarlyExit" is a program
    that ended itself while tests were left to run.

    Args:
        completed: How it ended.
        run: What it has put on record.
        tested: The tests ran in it.
    """
    if completed.limit == "seconds" or run.timed_out:
        limit = completed.duration if run.seconds is None else run.seconds
        return Failure(
            name="Timeout", message=f"the program was stopped at its time limit of {limit:.3g} s"
        )
    if completed.limit is not None:
        return Failure(
            name="ResourceLimit",
            message=f"the program was stopped at its limit of {completed.limit}",
        )
    if completed.signal is not None:
        return Failure(
            name="Killed", message=f"the program was killed by {_signal_name(completed)}"
        )
    if tested and not run.ended:
        return Failure(
            name="EarlyExit",
            message=f"the program ended itself with exit code {completed.exit_code}, "
            "before all tests had run",
        )
    return None


def _signal_name(completed: Completed) -> str:
    number = completed.signal or 0
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def exit_failure(completed: Completed) -> Failure | None:
    """Return the failure of a program that ended by itself with an exit code other than 0."""
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

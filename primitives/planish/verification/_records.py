"""The records that the verifier wrote in one run, and what stopped its program."""

import json
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from planish.data.execution import Failure
from planish.data.program import Completed
from planish.data.tests import StdioPairs
from planish.errors import SandboxError
from planish.guest.protocol import STREAM, VALUE, Seals, bounded
from planish.verification._output import decode_output, shorten_paths
from planish.verification._plan import RESULTS
from planish.verification._programs import PreparedPrograms

__all__ = ["RunRecord", "TestRecord", "exit_failure", "read_records", "stop_failure"]


def _empty_dict() -> dict[Any, Any]:
    return {}


def _empty_list() -> list[Any]:
    return []


@dataclass(slots=True)
class TestRecord:
    """The records of one test.

    Attributes:
        begun: True if it was started.
        end: The record of its end, of kind "passed", "raised" or "skipped"; None without one.
        states: The state of each assert that was reached, by its line: "begun", "passed",
            "repeated" or "failed".
        values: The compared values of the asserts that failed, by their line.
        value: The result of a case.
        unused: True if it used no value of the candidate's.
    """

    begun: bool = False
    end: dict[str, Any] | None = None
    states: dict[int, str] = field(default_factory=_empty_dict)
    values: dict[int, dict[str, Any]] = field(default_factory=_empty_dict)
    value: dict[str, Any] | None = None
    unused: bool = False


@dataclass(slots=True)
class RunRecord:
    """The records of one run of a program.

    Attributes:
        tests: The records of each test, by number, or by pytest's node id.
        started: True if the verifier was ready to load the candidate.
        separate: True if the verifier found that it is isolated from the candidate's process.
        weakened_by: Why the evidence is weaker than "isolated", a sentence each.
        ended: True if the verifier finished.
        timed_out: True if the verifier stopped the candidate at its time limit.
        stopped_at: Line of the candidate's code at which it was stopped then; None if unknown.
        seconds: The candidate's time limit, in seconds.
        failure: The record of the first exception.
        setup: The record of an exception of the test code outside of any test.
        collection: The record of an exception that prevented pytest's collection.
        collected: The node id and line of each test that pytest collected.
        unsupported: The record of a feature that the sandbox lacks.
        broken_tests: Why the tests cannot be run with any candidate.
        packages: Imported packages that are not of the standard library.
        tampering: Which record is not as the verifier writes it; "" if all are.
    """

    tests: dict[Any, TestRecord] = field(default_factory=_empty_dict)
    started: bool = False
    separate: bool = False
    weakened_by: list[str] = field(default_factory=_empty_list)
    ended: bool = False
    timed_out: bool = False
    stopped_at: int | None = None
    seconds: float | None = None
    failure: dict[str, Any] | None = None
    setup: dict[str, Any] | None = None
    collection: dict[str, Any] | None = None
    collected: list[tuple[str, int]] = field(default_factory=_empty_list)
    unsupported: dict[str, Any] | None = None
    broken_tests: dict[str, Any] | None = None
    packages: list[str] = field(default_factory=_empty_list)
    tampering: str = ""

    def test(self, test: Any) -> TestRecord:
        """Return the records of a test, by its number or node id; empty ones if it has none."""
        return self.tests.get(test) or TestRecord()


def read_records(prepared: PreparedPrograms, completed: Completed) -> RunRecord:
    """Read the records of one run of a program.

    Raises:
        SandboxError: the verifier did not start, and the candidate cannot have caused this.
    """
    run = RunRecord()
    channel = completed.results
    data = completed.files.get(RESULTS, b"") if channel is None else channel
    for record in _genuine_records(data, prepared.secret, run):
        _apply(run, record)
    tests = prepared.candidate.task.tests
    has_results = tests is not None and not isinstance(tests, StdioPairs)
    if not has_results:
        run.tampering = ""  # the candidate's process wrote them, and no verdict depends on them
    elif not run.started and completed.limit is None and completed.signal is None:
        if channel == b"":  # the candidate was not loaded, and cannot write to this descriptor
            errors = shorten_paths(decode_output(completed.stderr, VALUE))
            raise SandboxError(f"the program that runs the tests did not start: {errors}")
        run.tampering = run.tampering or "the record of the tests is missing"
        if channel is None and RESULTS not in completed.files:
            run.tampering += f": the code removed it, or the sandbox collects no {RESULTS!r}"
    return run


def _genuine_records(data: bytes, secret: str, run: RunRecord) -> Iterator[dict[str, Any]]:
    """Yield the records in order; stop at one that is not genuine, and set `run.tampering`.

    The seal of a line depends on the secret, its number and its text. The last line may be
    incomplete, because the process that wrote it ended.
    """
    seals = Seals(secret.encode())
    *lines, _ = data.split(b"\n")
    for count, line in enumerate(lines):
        mark, _, record = line.partition(b" ")
        if mark != seals.next(record):
            run.tampering = f"line {count + 1} of the record of the tests is not genuine"
            return
        try:
            found = _DECODER.decode(record.decode())
        except ValueError:
            run.tampering = f"line {count + 1} of the record of the tests cannot be read"
            return
        yield {name: _bounded(name, fact) for name, fact in found.items()}


_WHOLE = frozenset({"source", "test", "node", "traceback", "names"})
"""The facts of a record that are compared, or bounded otherwise."""


def _bounded(name: str, fact: Any) -> Any:
    """Shorten a text of a record: where tests run beside the code, the code may have written it."""
    return bounded(fact, VALUE) if type(fact) is str and name not in _WHOLE else fact


def _unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object; refuse a repeated key, whose last value would win."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("repeated key")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys)
"""Made once: `json.loads` would make one for each record."""


def _apply(run: RunRecord, record: dict[str, Any]) -> None:
    if run.ended:
        run.tampering = "the record of the tests goes on after its end"
    if "test" in record:
        _apply_to_test(run, run.tests.setdefault(record["test"], TestRecord()), record)
        return
    match record["kind"]:
        case "start":
            run.started, run.seconds = True, record["seconds"]
            run.separate = not record["why"]
            run.weakened_by += [record["why"]] if record["why"] else []
        case "end":
            run.ended = True
        case "weakened":
            run.weakened_by.append(record["why"])
        case "timeout":
            run.timed_out, run.stopped_at = True, record.get("at")
        case "packages":
            run.packages += [bounded(name, VALUE) for name in record["names"].split()]
        case "collected":
            run.collected.append((record["node"], record["line"]))
        case kind:  # failure, setup, collection, unsupported, broken_tests
            setattr(run, kind, record)


def _apply_to_test(run: RunRecord, test: TestRecord, record: dict[str, Any]) -> None:
    match record["kind"]:
        case "begin":
            test.begun = True
        case "assert":
            test.states[record["line"]] = record["state"]
        case "values":
            test.values[record["line"]] = record
        case "value":
            test.value = record
        case "unused":
            test.unused = True
        case kind:  # passed, raised, skipped
            if test.end is not None and test.end["kind"] != kind:
                run.tampering = "the record has two ends of one test"
            test.end = record


def stop_failure(completed: Completed, run: RunRecord, *, has_results: bool) -> Failure | None:
    """Return the failure of a program that was stopped; None if it finished.

    "Timeout" and "ResourceLimit" name the limit, "Killed" names the signal. "EarlyExit" is a
    program that ended itself before all tests had run.

    Args:
        completed: The program's result.
        run: Its records.
        has_results: True if it runs tests, which end with a record.
    """
    if completed.limit == "seconds" or run.timed_out:
        limit = completed.duration if run.seconds is None else run.seconds
        return Failure(
            name="Timeout",
            message=f"the program was stopped at its time limit of {limit:.3g} s",
            line=run.stopped_at,
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
    if has_results and not run.ended:
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
    """Return the failure of a program whose exit code is not 0; None if it is 0."""
    if completed.ok:
        return None
    errors = shorten_paths(decode_output(completed.stderr, STREAM))
    last = errors.rstrip().rpartition("\n")[2]
    code = completed.exit_code
    return Failure(
        name="ExitCode",
        message=bounded(
            f"the program ended with exit code {code}" + (f": {last}" if last else ""), VALUE
        ),
        traceback=bounded(errors, VALUE),
    )

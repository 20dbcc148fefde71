"""What the harness in the sandbox has put on record, sorted by test."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from planish.data.candidate import Candidate
from planish.data.program import Completed
from planish.errors import SandboxError
from planish.harness._bounds import VALUE, text
from planish.harness._plan import RESULTS, plan
from planish.harness.inside.channel import seal

__all__ = ["Run", "Seen", "run_of"]


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
    """

    begun: bool = False
    end: dict[str, Any] | None = None
    states: dict[int, str] = field(default_factory=_nothing)
    values: dict[int, dict[str, Any]] = field(default_factory=_nothing)
    value: dict[str, Any] | None = None


@dataclass(slots=True)
class Run:
    """One program's records.

    Attributes:
        tests: By number, or by what pytest calls them.
        ended: The harness has come to its end.
        seconds: The time limit it was given.
        failure: The first exception, whole.
        setup: An exception of the test code outside of any test.
        collection: An exception that kept pytest from collecting tests.
        collected: What pytest has collected: names and lines.
        unsupported: What the sandbox lacks.
    """

    tests: dict[Any, Seen] = field(default_factory=_nothing)
    ended: bool = False
    seconds: float | None = None
    failure: dict[str, Any] | None = None
    setup: dict[str, Any] | None = None
    collection: dict[str, Any] | None = None
    collected: list[tuple[str, int]] = field(default_factory=_none)
    unsupported: dict[str, Any] | None = None

    def seen(self, test: Any) -> Seen:
        """What is known of a test."""
        return self.tests.get(test) or Seen()


def run_of(candidate: Candidate, completed: Completed) -> Run:
    """The records of one program.

    Raises:
        SandboxError: the harness itself could not be started.
    """
    run = Run()
    for record in _records(completed.files.get(RESULTS, b""), plan(candidate)["nonce"]):
        _note(run, record)
    broken = run.seconds is None and completed.exit_code == 1 and completed.limit is None
    if broken and b"_planish.py" in completed.stderr:
        raise SandboxError(
            f"the program that runs the tests did not start: {text(completed.stderr, VALUE)}"
        )
    return run


def _records(data: bytes, nonce: str) -> Iterator[dict[str, Any]]:
    """The records whose seal is right, up to the first place where one is missing."""
    key = nonce.encode()
    count = 0
    for line in data.split(b"\n"):
        mark, _, record = line.partition(b" ")
        if mark == seal(key, count, record):
            count += 1
            yield json.loads(record)


def _note(run: Run, record: dict[str, Any]) -> None:
    seen = run.tests.setdefault(record["test"], Seen()) if "test" in record else Seen()
    match record["kind"]:
        case "start":
            run.seconds = record["seconds"]
        case "end":
            run.ended = True
        case "failure" | "setup" | "collection" | "unsupported" as kind:
            setattr(run, kind, record)
        case "collected":
            run.collected.append((record["name"], record["line"]))
        case "begin":
            seen.begun = True
        case "assert":
            seen.states[record["line"]] = record["state"]
        case "values":
            seen.values[record["line"]] = record
        case "value":
            seen.value = record
        case _:
            seen.end = record

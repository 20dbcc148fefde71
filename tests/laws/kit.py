"""What the laws are tried on: a model whose answers follow from the request, and a grader."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
import anyio.lowlevel
from hypothesis import settings

from planish import Candidate, CodeGenerator, Execution, Primitive, Report, Task, Validator, step
from planish.abc import OnText
from planish.data import Reply, Request, Status, TestResult, Usage
from planish.effects import current_clock
from planish.errors import ModelError
from planish.testing import FakeClock

__all__ = [
    "BACKENDS",
    "CHECKS",
    "LAW",
    "RAISES",
    "TASK",
    "Player",
    "Tally",
    "answer",
    "attempt",
    "both_loops",
    "evidence",
    "grade",
    "player",
    "run_out",
]

BACKENDS = ("asyncio", "trio")
CHECKS = 4
RAISES = -1

LAW = settings(max_examples=40, deadline=None)
"""How often a law is tried, with no limit on the time of one example."""

TASK = Task("Pass some checks.", tests="assert PASSED == 4", id="checks")

Given = TypeVar("Given")
Value = TypeVar("Value")


def both_loops(function: Callable[[], Awaitable[Given]]) -> list[Given]:
    """Run a function on each event loop; for property tests, which have no fixtures."""
    return [anyio.run(function, backend=backend) for backend in BACKENDS]


def answer(passed: int, note: str = "") -> str:
    """A reply whose code passes so many of the four checks; the note makes it different code."""
    return f"```python\nPASSED = {passed}  # {note}\n```"


def evidence(candidate: Candidate) -> Execution:
    """What the code says of itself: so many checks pass, in order."""
    found = re.search(r"PASSED = (\d+)", candidate.code)
    passed = int(found[1]) if found else 0
    some = Status.PARTIAL_SUCCESS if passed else Status.RUNTIME_ERROR
    tests = tuple(
        TestResult(
            name=f"check {i}",
            status="passed" if i < passed else "failed",
            message="" if i < passed else f"check {i} fails for {candidate.code!r}",
        )
        for i in range(CHECKS)
    )
    return Execution(
        candidate=candidate, status=Status.SUCCESS if passed == CHECKS else some, tests=tests
    )


async def grade(candidate: Candidate) -> Execution:
    """Stands for running the code, where the sandbox is not the point."""
    await anyio.lowlevel.checkpoint()
    return evidence(candidate)


async def run_out(value: Value) -> Value:
    """Wait until all other tasks wait, advance the scope's `FakeClock` by a minute, and hang."""
    clock = current_clock()
    assert isinstance(clock, FakeClock)
    await anyio.wait_all_tasks_blocked()
    clock.advance(60)
    await anyio.sleep_forever()
    return value


async def _nothing(_: int) -> None:
    """Pass by."""


@dataclass
class Tally:
    """What the players of one pipeline were asked, and answered.

    Attributes:
        requests: All requests, in order of arrival.
        usage: Of all answers.
        active: Players that are at it now.
        at: Called with the number of each request before it is answered.
        meanwhile: The same, awaited.
    """

    requests: list[Request] = field(default_factory=list[Request])
    usage: Usage = field(default_factory=Usage)
    active: int = 0
    at: Callable[[int], Any] = field(default=lambda _: None)
    meanwhile: Callable[[int], Awaitable[Any]] = field(default=_nothing)


class Player:
    """A model that knows its moves by attempt and candidate, so order of arrival does not matter.

    Args:
        moves: How many checks the n-th attempt's answer passes, over again at the end; RAISES
            for none.
        name: The model's name.
        tally: What is counted.
        seconds: How long an answer takes.
    """

    provider = "planish"

    def __init__(
        self,
        moves: Sequence[int],
        *,
        name: str = "player",
        tally: Tally | None = None,
        seconds: float = 0.0,
    ) -> None:
        self.name = name
        self.moves = tuple(moves)
        self.tally = Tally() if tally is None else tally
        self.seconds = seconds

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The move for this request."""
        tally = self.tally
        tally.requests.append(request)
        tally.active += 1
        try:
            number = len(tally.requests)
            tally.at(number)
            await tally.meanwhile(number)
            await anyio.sleep(self.seconds)
            return self._answer(request, on_text)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.lowlevel.checkpoint()
            tally.active -= 1

    def _answer(self, request: Request, on_text: OnText | None) -> Reply:
        move = self.moves[(request.attempt - 1 + request.candidate) % len(self.moves)]
        if move == RAISES:
            raise ModelError(f"{self.name} is out of order")
        text = answer(move, f"{self.name} {request.attempt} {request.candidate}")
        if on_text is not None:
            on_text(text)
        usage = Usage(input_tokens=len(request.messages), output_tokens=move, model_calls=1)
        self.tally.usage += usage
        return Reply(text=text, usage=usage)


def player(
    moves: Iterable[int], *, name: str = "player", tally: Tally | None = None, seconds: float = 0.0
) -> CodeGenerator:
    """A generator that asks a player."""
    return CodeGenerator(Player(tuple(moves), name=name, tally=tally, seconds=seconds))


def attempt(
    moves: Iterable[int], *, name: str = "player", tally: Tally | None = None, seconds: float = 0.0
) -> Primitive[Task, Report]:
    """Generate, grade, judge."""
    return player(moves, name=name, tally=tally, seconds=seconds) >> step(grade) >> Validator()

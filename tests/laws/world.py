"""What resumed runs are tried on: a disk, a clock, and calls that say where they were made."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio
import anyio.lowlevel
from tests.laws.kit import RAISES, evidence

from planish import (
    Candidate,
    CodeGenerator,
    Execution,
    Primitive,
    Report,
    Task,
    Timeout,
    Validator,
    step,
)
from planish.abc import OnText
from planish.data import Reply, Request, Usage
from planish.effects import current_path, effect
from planish.errors import ModelError

__all__ = ["Disk", "Ticks", "World", "leaf"]


class Ticks:
    """A clock on which a second passes each time that the event loop gets to who waits.

    A time is over at any moment of what goes on beside it, and nothing waits for real.
    """

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        end = self.time + seconds
        while self.time < end:
            await anyio.lowlevel.checkpoint()
            self.time += 1


@dataclass
class Disk:
    """A store that outlives its process, which dies when it has stored so many values.

    Attributes:
        left: How many values are stored before the process dies; None for any number.
        values: The values.
        process: Of the process.
        dead: It has died.
    """

    left: int | None = None
    values: dict[str, bytes] = field(default_factory=dict[str, bytes])
    process: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    dead: bool = False

    async def get(self, key: str, /) -> bytes | None:
        await anyio.lowlevel.checkpoint()
        return self.values.get(key)

    async def put(self, key: str, value: bytes, /) -> None:
        if self.left is not None and not self.dead:
            self.left -= 1
            if self.left < 0:
                self.dead = True
                self.process.cancel()
        if not self.dead:
            assert key not in self.values, "an effect was recorded twice"
            self.values[key] = value
        await anyio.lowlevel.checkpoint()

    async def list(self, prefix: str = "", /) -> Sequence[str]:
        return sorted(key for key in self.values if key.startswith(prefix))


@dataclass
class World:
    """What models and graders are asked, all of it at the price of a call.

    Attributes:
        disk: Of the process that asks.
        calls: How often each place of a pipeline has made each call that was answered.
    """

    disk: Disk
    calls: Counter[tuple[str, ...]] = field(default_factory=Counter[tuple[str, ...]])

    async def call(self, kind: str, delay: int) -> None:
        """Take a while, and count the call."""
        for _ in range(delay):
            await anyio.lowlevel.checkpoint()
        if self.disk.dead:
            await anyio.sleep_forever()
        self.calls[kind, *current_path()] += 1


class Speaker:
    """A model whose replies name the place that asked."""

    provider = "planish"

    def __init__(self, world: World, moves: Sequence[int]) -> None:
        self.name = "speaker"
        self.world = world
        self.moves = moves

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        del on_text
        move = self.moves[(request.attempt - 1 + request.candidate) % len(self.moves)]
        if move == RAISES:
            raise ModelError(f"no reply at {current_path()}")
        await self.world.call("model", abs(move) + request.candidate)
        text = f"```python\nPASSED = {move}  # {'/'.join(current_path())}\n```"
        return Reply(text=text, usage=Usage(output_tokens=abs(move)))


def leaf(world: World, moves: tuple[int, ...], *, hangs: bool = False) -> Primitive[Task, Report]:
    """Generate, grade, judge; the replies say where they were asked for."""

    async def grade(candidate: Candidate) -> Execution:
        path = current_path()
        number = int(path[-1].removeprefix("Sequential[").removesuffix("]"))
        asked = "/".join((*path[:-1], f"Sequential[{number - 1}]"))
        assert candidate.code.endswith(f"# {asked}"), "the reply is another step's"

        async def run() -> str:
            if hangs:
                await anyio.sleep_forever()
            await world.call("grade", len(candidate.code) % 5)
            return f"{'/'.join(path)} ran {candidate.code}"

        printed = await effect("grade", "grader", candidate.code, run, str)
        assert printed == f"{'/'.join(path)} ran {candidate.code}"
        return evidence(candidate)

    attempt = CodeGenerator(Speaker(world, moves)) >> step(grade) >> Validator()
    return Timeout(attempt, seconds=3 + 4 * sum(map(abs, moves))) if hangs else attempt

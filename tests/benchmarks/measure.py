"""Ratios of interleaved rounds, by their medians: what one machine measures, another can check."""

import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import anyio
from figures import is_recorded

__all__ = ["Measured", "compare", "least"]

T = TypeVar("T")
Load = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU seconds of each load in each round."""

    rounds: Mapping[str, Sequence[float]]

    @property
    def seconds(self) -> Mapping[str, float]:
        """The median of each load."""
        return {load: statistics.median(times) for load, times in self.rounds.items()}

    def ratio(self, load: str, baseline: str) -> float:
        """How many times as long a load takes as the baseline: the median over the rounds.

        The speed of a machine may change by a factor of two within seconds, so each time is
        compared with that of its own round.
        """
        pairs = zip(self.rounds[load], self.rounds[baseline], strict=True)
        return statistics.median(ours / theirs for ours, theirs in pairs)


def compare(loads: Mapping[str, Load], *, rounds: int = 30, backend: str = "asyncio") -> Measured:
    """Run the loads in turn, round after round, in one event loop; CPU time of this process."""

    async def measure() -> Measured:
        for load in loads.values():
            await load()
        taken: dict[str, list[float]] = {name: [] for name in loads}
        gc.collect()
        gc.disable()
        try:
            for _ in range(rounds):
                for name, load in loads.items():
                    begin = time.process_time()
                    await load()
                    taken[name].append(time.process_time() - begin)
        finally:
            gc.enable()
        return Measured(taken)

    return anyio.run(measure, backend=backend)


def least(measure: Callable[[], T], ratio: Callable[[T], float], most: float) -> T:
    """Measure up to three times, until a ratio is below the guard; return what has the least.

    The load of the machine changes from one to the next. Where figures are recorded, all three are
    made.
    """
    found = [measure()]
    while len(found) < 3 and (is_recorded() or ratio(found[-1]) >= most):
        found.append(measure())
    return min(found, key=ratio)

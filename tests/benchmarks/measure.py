"""Medians of interleaved rounds, as ratios: what one machine measures, another can check."""

import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import anyio

__all__ = ["Measured", "compare"]

Load = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Measured:
    """Median CPU seconds of each load."""

    seconds: Mapping[str, float]

    def ratio(self, load: str, baseline: str) -> float:
        """How many times as long a load takes as the baseline."""
        return self.seconds[load] / self.seconds[baseline]


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
        return Measured({name: statistics.median(times) for name, times in taken.items()})

    return anyio.run(measure, backend=backend)

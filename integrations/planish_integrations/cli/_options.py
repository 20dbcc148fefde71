"""What `planish evaluate` was asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of `planish evaluate`; None where one was not given.

    Attributes:
        source: Only this file of a recording.
        run: Only this run.
        attempts: Attempts at most.
        concurrency: Tasks at once.
        gate: What stops the loop.
        model: The model's name.
        limit: Only the first so many tasks.
        timeout: Seconds each program may run.
        json_file: Where the figures go.
    """

    source: str | None
    run: str | None
    attempts: int | None
    concurrency: int
    gate: Literal["full", "visible"] | None
    model: str | None
    limit: int | None
    timeout: float
    json_file: Path | None

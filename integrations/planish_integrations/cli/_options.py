"""What `planish evaluate` was asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from planish.data.sandbox import Guarantee

__all__ = ["OUTPUTS", "EvaluateOptions", "ExecOptions", "Tier"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
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


Tier = Literal["namespaces", "bubblewrap", "landlock"]

OUTPUTS = "outputs"
"""The folder in which a program leaves what `--outputs` brings back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecOptions:
    """The options of `planish exec`; None where one was not given.

    Attributes:
        file: The program; "-" for standard input.
        args: Its arguments.
        stdin: What it reads.
        files: What is laid beside it.
        outputs: Where its outputs go.
        timeout: Seconds.
        memory: MiB.
        packages: What it may import.
        tier: What isolates it.
        require: What must hold.
        language: What runs it.
        as_json: Print JSON, and nothing else.
    """

    file: Path
    args: tuple[str, ...]
    stdin: Path | None
    files: tuple[Path, ...]
    outputs: Path | None
    timeout: float
    memory: int
    packages: tuple[str, ...]
    tier: Tier | None
    require: tuple[Guarantee, ...]
    language: str | None
    as_json: bool

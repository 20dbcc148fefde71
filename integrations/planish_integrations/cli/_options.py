"""The options of the commands as values."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from planish.data.sandbox import Guarantee

__all__ = ["OUTPUTS", "EvaluateOptions", "ExecOptions", "Tier"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """The options of `planish evaluate`; None for an option without a value.

    Attributes:
        source: Replay only this file of a directory of recordings.
        run: Replay only this run.
        attempts: The most attempts for a task.
        concurrency: Tasks at once.
        gate: Which tests stop the loop.
        model: The model's name.
        limit: Only the first `limit` tasks.
        timeout: Seconds each program may run.
        json_file: Where the figures are written.
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
"""The folder whose files `--outputs` copies from the sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecOptions:
    """The options of `planish exec`; None for an option without a value.

    Attributes:
        file: The program; "-" for standard input.
        args: Its arguments.
        stdin: The file for its standard input.
        files: Files to put next to it.
        outputs: The folder of this machine for its output files.
        timeout: Seconds.
        memory: MiB.
        packages: Requirements of the packages it may import.
        tier: The sandbox tier.
        require: Guarantees without which it must not run.
        language: The language that it is run as.
        as_json: Print JSON and nothing else.
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

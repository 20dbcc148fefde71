"""What `planish exec` was asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from planish.data.sandbox import Guarantee

__all__ = ["OUTPUTS", "ExecOptions", "Tier"]

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

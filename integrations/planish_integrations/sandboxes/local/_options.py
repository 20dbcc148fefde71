"""Check the options of a sandbox, and the limits of a program."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from planish.arguments import require_count, require_texts
from planish.data.program import Program, check_program
from planish.data.sandbox import GUARANTEES, Guarantee
from planish.errors import UnsupportedError, WiringError

from ._tiers import GUARANTEED, TIERS, Tier

__all__ = [
    "HIGHEST",
    "absolute_paths",
    "changes_interpreter",
    "check_limits",
    "check_options",
    "check_possible",
]

HIGHEST = {
    "seconds": 366 * 86_400,
    "memory_mb": 1 << 27,  # MiB in the 47 bits of address that a process has
    "output_bytes": (1 << 63) - 1,
    "file_bytes": (1 << 63) - 1,
    "processes": 1 << 22,  # PID_MAX_LIMIT of Linux
    "disk_mb": 1 << 27,
    "files": (1 << 31) - 1,
}
"""The highest value of each limit of a program."""


def changes_interpreter(variable: str) -> bool:
    """Return whether CPython reads a variable at its start, and no later."""
    return variable.startswith(("PYTHON", "LC_", "LD_", "LANG"))


def check_options(
    tier: Tier | None,
    require: Collection[Guarantee],
    concurrency: int | None,
    spare: int,
    environments: object,
) -> None:
    """Refuse options that no sandbox can have.

    Raises:
        UnsupportedError: no such tier or guarantee, or the tier lacks one.
        ValueError: a number is too small, or not whole; `require` is no collection of texts.
        WiringError: `environments` are no `Environments`.
    """
    require_texts("LocalSandbox", "require", require)
    if tier is not None and tier not in TIERS:
        raise UnsupportedError(f"LocalSandbox(tier={tier!r}): there are {', '.join(TIERS)}")
    lacking = set(require) - GUARANTEED[tier] if tier else set[Guarantee]()
    unknown = sorted(set(require) - set(GUARANTEES))
    if unknown:
        raise UnsupportedError(
            f"LocalSandbox(require=...): {', '.join(map(repr, unknown))} is none of "
            f"{', '.join(GUARANTEES)}"
        )
    if lacking:
        raise UnsupportedError(
            f"LocalSandbox(tier={tier!r}) does not guarantee {', '.join(sorted(lacking))}"
        )
    if concurrency is not None:
        require_count("LocalSandbox", "concurrency", concurrency)
    require_count("LocalSandbox", "spare", spare, least=0)
    if environments is not None and not hasattr(environments, "using"):
        raise WiringError(
            f"LocalSandbox(environments={environments!r:.80}): must be an "
            "Environments(allow=[...]) of planish_integrations.environments"
        )


def absolute_paths(paths: Sequence[str | Path], field: str) -> list[str]:
    """Return the absolute paths of files and folders that exist.

    Raises:
        UnsupportedError: one does not exist.
        ValueError: it is one text, or no collection.
    """
    require_texts("LocalSandbox", field, paths, paths=True)
    found = [str(Path(path).absolute()) for path in paths]
    for path in found:
        if not os.path.exists(path):  # noqa: PTH110  # it is a text here
            raise UnsupportedError(f"LocalSandbox({field}=...): {path} is not there")
    return found


def check_possible(program: Program) -> None:
    """Refuse a program that cannot be laid out, or whose limits cannot be set.

    Raises:
        UnsupportedError: a path or a limit of it is impossible.
    """
    check_program(program)
    check_limits(program)


def check_limits(program: Program) -> None:
    """Refuse limits that cannot be set, or that leave no room for the program's own files.

    Raises:
        UnsupportedError: a limit is beyond any machine; or `limits.disk_mb` or `limits.files`
            is less than the program's own files take.
    """
    limits = program.limits
    for name, most in HIGHEST.items():
        value = getattr(limits, name)
        if value > most:
            raise UnsupportedError(
                f"ResourceLimits({name}={value}) is beyond any machine: use {most:,}"
            )
    size = sum(map(len, program.files.values()))
    if size > limits.disk_mb << 20:
        raise UnsupportedError(
            f"Program.files take {size:,} bytes, more than ResourceLimits(disk_mb={limits.disk_mb})"
        )
    if len(program.files) > limits.files:
        raise UnsupportedError(
            f"Program.files are {len(program.files):,}, more than "
            f"ResourceLimits(files={limits.files})"
        )

"""What a sandbox may be asked for when it is made."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from planish.data.sandbox import GUARANTEES, Guarantee
from planish.errors import UnsupportedError

from ._tiers import GUARANTEED, TIERS, Tier

__all__ = ["absolute", "changes_interpreter", "check_options"]


def changes_interpreter(variable: str) -> bool:
    """CPython reads it when it starts: one that has started already would not heed it."""
    return variable.startswith(("PYTHON", "LC_", "LD_", "LANG"))


def check_options(
    tier: Tier | None, require: Collection[Guarantee], concurrency: int | None, spare: int
) -> None:
    """Refuse what cannot be.

    Raises:
        UnsupportedError: no such tier or guarantee, or the tier lacks one.
        ValueError: a number is too small.
    """
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
    if concurrency is not None and concurrency < 1:
        raise ValueError(f"LocalSandbox(concurrency={concurrency!r}): must be at least 1")
    if spare < 0:
        raise ValueError(f"LocalSandbox(spare={spare!r}): must be at least 0")


def absolute(paths: Sequence[str | Path], field: str) -> list[str]:
    """These files and folders, wherever this process goes.

    Raises:
        UnsupportedError: one is not there.
    """
    found = [str(Path(path).absolute()) for path in paths]
    for path in found:
        if not os.path.exists(path):  # noqa: PTH110  # it is a text here
            raise UnsupportedError(f"LocalSandbox({field}=...): {path} is not there")
    return found

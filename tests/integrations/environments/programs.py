"""Programs, and what is left on disk."""

from collections.abc import Callable
from pathlib import Path

import anyio

from planish.data.program import Program
from planish_integrations.environments import Environments

__all__ = ["Make", "half_made", "program", "ready", "until", "untouched"]

Make = Callable[..., Environments]


def program(code: str, **files: bytes) -> Program:
    return Program(main="main.py", files={"main.py": code.encode(), **files})


def ready(cache: Path) -> list[str]:
    """The fingerprints of the complete environments."""
    return sorted(one.name for one in cache.glob("ready/*"))


def untouched(cache: Path) -> bool:
    """No build has begun: that is where it would have made its folder."""
    return not cache.exists()


def half_made(cache: Path) -> list[Path]:
    """What is being built, or was and is left."""
    return sorted(cache.glob("building/*"))


async def until(true: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for a condition; fail when it does not come."""
    with anyio.fail_after(seconds):
        while not true():  # noqa: ASYNC110  # nobody tells
            await anyio.sleep(0.01)

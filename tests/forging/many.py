"""A program that judges many tricks: for another user, or for a planish that is changed.

It reads rows of trick, kind and place as JSON, and writes for each what came of it.
"""

import json
import sys
from dataclasses import asdict

import anyio
from tests.forging.judged import judge
from tests.forging.places import sandbox_of
from tests.forging.tricks import TRICKS

from planish.abc import Sandbox

__all__ = ["main"]


AT_ONCE = 4  # tricks spend most of their time waiting for a limit


async def main() -> None:
    """Judge what stdin says, place by place, several at a time."""
    rows: list[tuple[str, str, str]] = [tuple(row) for row in json.load(sys.stdin)]
    limiter = anyio.CapacityLimiter(AT_ONCE)
    for wanted in dict.fromkeys(place for _, _, place in rows):
        async with sandbox_of(wanted) as sandbox, anyio.create_task_group() as tasks:
            for name, kind, place in rows:
                if place == wanted:
                    tasks.start_soon(_judge, limiter, sandbox, name, kind, place)


async def _judge(
    limiter: anyio.CapacityLimiter, sandbox: Sandbox, name: str, kind: str, place: str
) -> None:
    trick = TRICKS[name]
    seconds = 30.0 if kind == "pytest" else 5.0
    async with limiter:
        try:
            judged = await judge(sandbox, trick.about, kind, trick.candidate, seconds=seconds)
            found = asdict(judged)
        except Exception as error:  # noqa: BLE001 - an outage is what is looked for
            found = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps([name, kind, place, found]), flush=True)  # noqa: T201


if __name__ == "__main__":
    anyio.run(main)

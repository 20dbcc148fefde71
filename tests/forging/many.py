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

__all__ = ["main"]


async def main() -> None:
    """Judge what stdin says, place by place."""
    rows: list[tuple[str, str, str]] = [tuple(row) for row in json.load(sys.stdin)]
    for wanted in dict.fromkeys(place for _, _, place in rows):
        async with sandbox_of(wanted) as sandbox:
            for name, kind, place in rows:
                if place == wanted:
                    trick = TRICKS[name]
                    try:
                        seconds = 30.0 if kind == "pytest" else 5.0
                        found = asdict(
                            await judge(
                                sandbox, trick.about, kind, trick.candidate, seconds=seconds
                            )
                        )
                    except Exception as error:  # noqa: BLE001 - an outage is what is looked for
                        found = {"error": f"{type(error).__name__}: {error}"}
                    print(json.dumps([name, kind, place, found]), flush=True)  # noqa: T201


if __name__ == "__main__":
    anyio.run(main)

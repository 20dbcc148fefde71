"""Say which entries of the table of models end soon: `python -m ...models.retirements`.

It warns, and never fails: that a provider ends a model is no fault of the code.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from planish_integrations.models.registry._providers import PROVIDERS
from planish_integrations.models.transport.catalogue import CATALOGUE, DEFAULTS, Listed

__all__ = ["main", "warnings"]

NOTICE = 60
"""Days before the end of a model or a price at which the warnings begin."""


def warnings(
    today: date,
    days: int = NOTICE,
    *,
    catalogue: Mapping[str, Mapping[str, Listed]] = CATALOGUE,
) -> list[str]:
    """List what has ended or will end within so many days, soonest first.

    Args:
        today: The day to compare with.
        days: How far to look ahead.
        catalogue: What to look at; the table of this package by default.
    """
    defaults = {(PROVIDERS[row].otel, name): row for row, name in DEFAULTS.items()}
    found: list[tuple[date, str]] = []
    for provider, models in catalogue.items():
        for name, listed in models.items():
            row = defaults.get((provider, name))
            which = f"{provider} {name}" + (f" (the default of {row!r})" if row else "")
            found.extend((end, f"{which}: {what}") for end, what in _ends(listed))
    return [text for end, text in sorted(found) if end <= today + timedelta(days=days)]


def _ends(listed: Listed) -> Iterator[tuple[date, str]]:
    if listed.retires is not None:
        yield listed.retires, f"requests fail from {listed.retires}, see {listed.source}"
    if listed.price_ends is not None:
        yield listed.price_ends, f"its price ends on {listed.price_ends}, see {listed.source}"


def main(arguments: Sequence[str] | None = None, *, today: date | None = None) -> None:
    """Print the warnings.

    Args:
        arguments: Those of the command line; None (the default) for those of this process.
        today: The day to compare with; None (the default) for today.
    """
    parser = argparse.ArgumentParser(description="Say which models of the table end soon.")
    parser.add_argument("--days", type=int, default=NOTICE, help="how far to look ahead")
    days: int = parser.parse_args(arguments).days
    for warning in warnings(today or date.today(), days):  # noqa: DTZ011 - providers name days
        sys.stdout.write(f"WARNING: {warning}\n")


if __name__ == "__main__":
    main()

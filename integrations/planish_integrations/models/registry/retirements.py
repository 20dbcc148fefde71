"""Print the models and prices of the catalogue that end soon.

Run `python -m planish_integrations.models.registry.retirements`. It prints warnings and never
fails, because the end of a model is not a defect of the code.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from planish_integrations.models.registry._providers import PROVIDERS
from planish_integrations.models.transport.catalogue import CATALOGUE, DEFAULTS, CatalogueEntry

__all__ = ["main", "warnings"]

NOTICE_DAYS = 60
"""How many days before the end of a model or a price the warnings begin."""


def warnings(
    today: date,
    days: int = NOTICE_DAYS,
    *,
    catalogue: Mapping[str, Mapping[str, CatalogueEntry]] = CATALOGUE,
) -> list[str]:
    """Return a warning for each model or price that has ended or ends soon, soonest first.

    Args:
        today: The day to compare with.
        days: How many days ahead an end is reported; 60 by default.
        catalogue: The models and prices; `CATALOGUE` by default.
    """
    defaults = {(PROVIDERS[row].otel, name): row for row, name in DEFAULTS.items()}
    dated: list[tuple[date, str]] = []
    for provider, models in catalogue.items():
        for name, entry in models.items():
            row = defaults.get((provider, name))
            subject = f"{provider} {name}" + (f" (the default of {row!r})" if row else "")
            dated.extend((end, f"{subject}: {text}") for end, text in _ends(entry))
    return [text for end, text in sorted(dated) if end <= today + timedelta(days=days)]


def _ends(entry: CatalogueEntry) -> Iterator[tuple[date, str]]:
    if entry.retires is not None:
        yield entry.retires, f"requests fail from {entry.retires}, see {entry.source}"
    if entry.price_ends is not None:
        yield entry.price_ends, f"its price ends on {entry.price_ends}, see {entry.source}"


def main(arguments: Sequence[str] | None = None, *, today: date | None = None) -> None:
    """Print the warnings.

    Args:
        arguments: The command line; None (the default) for that of this process.
        today: The day to compare with; None (the default) for today.
    """
    parser = argparse.ArgumentParser(
        description="Print the models and prices of the catalogue that end soon."
    )
    parser.add_argument(
        "--days",
        type=int,
        default=NOTICE_DAYS,
        help="how many days ahead an end is reported (default: %(default)s)",
    )
    days: int = parser.parse_args(arguments).days
    for warning in warnings(today or date.today(), days):  # noqa: DTZ011 - providers name days
        sys.stdout.write(f"WARNING: {warning}\n")


if __name__ == "__main__":
    main()

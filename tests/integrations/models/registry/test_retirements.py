"""What ends soon is warned of by a command, for a day that the caller gives."""

from collections.abc import Mapping
from datetime import date, timedelta

import pytest

from planish.data.usage import Price
from planish_integrations.models import PROVIDERS
from planish_integrations.models.registry.retirements import main, warnings
from planish_integrations.models.transport import CatalogueEntry
from planish_integrations.models.transport.catalogue import DEFAULTS

PRICE = Price(input=1.0, output=2.0)
END, RISE = date(2031, 5, 31), date(2031, 9, 30)
PAGE = "https://example.com/models"
DEFAULT = DEFAULTS["openai"]
TABLE: Mapping[str, Mapping[str, CatalogueEntry]] = {
    PROVIDERS["openai"].otel: {
        DEFAULT: CatalogueEntry(price=PRICE, source=PAGE, price_ends=RISE),
        "old": CatalogueEntry(price=PRICE, source=PAGE, retires=END),
        "new": CatalogueEntry(price=PRICE, source=PAGE),
    }
}


@pytest.mark.parametrize(
    ("today", "ends"),
    [
        (END - timedelta(days=61), []),
        (END - timedelta(days=60), [END]),
        (END + timedelta(days=1), [END]),  # what has ended is still in the table
        (RISE, [END, RISE]),
    ],
)
def test_each_end_is_warned_of_sixty_days_before(today: date, ends: list[date]) -> None:
    found = warnings(today, catalogue=TABLE)
    assert len(found) == len(ends)
    assert all(f"{end}, see {PAGE}" in text for end, text in zip(ends, found, strict=True))


def test_a_default_is_named_as_one() -> None:
    retired, dearer = warnings(RISE, catalogue=TABLE)
    assert retired.startswith("openai old: requests fail from")
    assert dearer.startswith(f"openai {DEFAULT} (the default of 'openai'): its price ends on")


def test_the_command_prints_them_and_does_not_fail(capsys: pytest.CaptureFixture[str]) -> None:
    main([], today=date(2000, 1, 1))
    assert capsys.readouterr().out == ""
    last = date(2999, 1, 1)
    main(["--days", "0"], today=last)
    assert capsys.readouterr().out.splitlines() == [f"WARNING: {text}" for text in warnings(last)]

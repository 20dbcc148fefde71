"""What ends soon is warned of by a command, for a day that the caller gives."""

from datetime import date

import pytest

from planish_integrations.models import PROVIDERS
from planish_integrations.models.retirements import main, warnings
from planish_integrations.transport import CATALOGUE
from planish_integrations.transport.catalogue import DEFAULTS

NEVER, ALWAYS = date(2000, 1, 1), date(2999, 1, 1)


def test_each_end_in_the_table_is_warned_of_sixty_days_before() -> None:
    ends = [
        end for models in CATALOGUE.values() for m in models.values() for end in (m.retires,) if end
    ]
    assert ends
    assert warnings(NEVER) == []
    for end in ends:
        found = warnings(end, days=0)
        assert any(f"requests fail from {end}" in text for text in found)
        before = date.fromordinal(end.toordinal() - 60)
        assert any(str(end) in text for text in warnings(before))
        assert not any(
            str(end) in text for text in warnings(date.fromordinal(before.toordinal() - 1))
        )


def test_a_default_is_named_as_one() -> None:
    listed = CATALOGUE[PROVIDERS["gemini"].otel][DEFAULTS["gemini"]]
    assert listed.price_ends is not None
    assert any("the default of 'gemini'" in text for text in warnings(listed.price_ends))


def test_the_command_prints_them_and_does_not_fail(capsys: pytest.CaptureFixture[str]) -> None:
    main([], today=NEVER)
    assert capsys.readouterr().out == ""
    main(["--days", "0"], today=ALWAYS)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"WARNING: {text}" for text in warnings(ALWAYS)]

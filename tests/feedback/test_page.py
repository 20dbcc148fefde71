"""The documentation shows the requests that are really sent."""

from pathlib import Path

import pytest
from tests.feedback.comparisons import COMPARISONS, Comparison
from tests.feedback.page import BEFORE, PAGES, comparison_request

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.anyio
@pytest.mark.parametrize("name", PAGES)
async def test_the_page_is_what_the_command_prints(name: str) -> None:
    assert await PAGES[name]() == (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.anyio
@pytest.mark.parametrize("one", COMPARISONS, ids=lambda one: one.title)
async def test_a_request_has_what_it_lacked(one: Comparison) -> None:
    now = await comparison_request(one)
    assert (BEFORE[one.title].count(one.evidence), now.count(one.evidence)) == one.counts
    assert len(now) < len(BEFORE[one.title]) + 300

"""The documentation shows the requests that are really sent."""

from pathlib import Path

import pytest
from tests.feedback.page import page

PAGE = Path(__file__).parents[2] / "docs" / "feedback.md"


@pytest.mark.anyio
async def test_the_page_is_what_the_command_prints() -> None:
    assert await page() == PAGE.read_text(encoding="utf-8")

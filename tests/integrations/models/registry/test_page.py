"""The page of models tells of every provider, as it is."""

from pathlib import Path

import pytest

from planish_integrations.models import PROVIDERS

PAGE = Path(__file__).resolve().parents[4] / "docs" / "models.md"


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_provider_has_its_row(name: str) -> None:
    provider = PROVIDERS[name]
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    (row,) = [line for line in lines if line.startswith(f"| `{name}` |")]
    for key in provider.key_variables:
        assert f"`{key}`" in row
    if provider.base_url and "the same" not in row:
        assert f"`{provider.base_url}`" in row
    for value in (provider.default, provider.model_variable):
        assert value is None or f"`{value}`" in row


def test_the_page_has_no_other_rows() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    begin = lines.index("| Name | API | Address | Key | Default |") + 2
    names = [line.split("`")[1] for line in lines[begin : begin + len(PROVIDERS)]]
    assert names == list(PROVIDERS)
    assert lines[begin + len(PROVIDERS)] == ""

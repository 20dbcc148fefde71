"""Python source that is hard to parse: nesting, NUL characters, size."""

import warnings

import pytest

from planish.extraction import extract
from planish.extraction._python import PARSE_LIMIT, parse


@pytest.mark.parametrize(
    "code",
    ["x = " + "1+" * 100_000 + "1", "x = " + "-" * 100_000 + "1", "x = \0", "x = '\ud800'", "x ="],
    ids=["too deep for a tree", "too deep for the parser", "NUL", "a surrogate", "broken"],
)
def test_what_cannot_be_parsed_has_no_tree(code: str) -> None:
    assert parse(code) is None
    assert extract(f"```python\n{code}\n```", entry_point="x").code == code


def test_what_is_too_long_is_not_parsed() -> None:
    assert parse("x = 1".ljust(PARSE_LIMIT)) is not None
    assert parse("x = 1".ljust(PARSE_LIMIT + 1)) is None


def test_warnings_about_the_code_are_not_ours() -> None:
    with warnings.catch_warnings(record=True, action="always") as seen:
        assert extract("p = '\\d'").code == "p = '\\d'"
    assert seen == []


def test_the_warning_filters_are_left_as_they_were() -> None:
    before = list(warnings.filters)
    extract("p = '\\d'")
    assert list(warnings.filters) == before

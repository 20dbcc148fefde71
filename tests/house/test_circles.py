"""No module imports another one that imports it, but for a few, by type or on use only."""

import pytest
from tests.house.arrows import PACKAGES, Tree
from tests.house.circles import circles

# The imports that close a circle; each stands under TYPE_CHECKING or within a function.
_RENDERING = "a report's methods load what renders it on use; that takes the report's type"
_SCOPE = "a scope holds it, by type only; the module that makes it enters a scope"
ALLOWED = {
    ("planish.errors", "planish.data.report"): "an error carries a report, by type only",
    ("planish.data.report", "planish.data.report_rows"): _RENDERING,
    ("planish.data.report", "planish.data.report_summary"): _RENDERING,
    ("planish.data.report", "planish.data.report_plot"): _RENDERING,
    ("planish.context.scope", "planish.context.budget"): _SCOPE,
    ("planish.context.scope", "planish.context.interception"): _SCOPE,
    ("planish.context.scope", "planish.context.ledger"): _SCOPE,
    ("planish.context.budget", "planish.context.admission"): (
        "a budget holds the queue of calls that wait for it, by type only"
    ),
}


@pytest.fixture(scope="module")
def arrows() -> set[tuple[str, str]]:
    """The imports of the library's modules from each other."""
    tree = Tree(*PACKAGES)
    return {(arrow.source, arrow.target) for arrow in tree.arrows() if arrow.target in tree.files}


def test_no_modules_import_each_other_but_those_allowed(arrows: set[tuple[str, str]]) -> None:
    assert circles(arrows - ALLOWED.keys()) == []


@pytest.mark.parametrize("allowed", ALLOWED, ids=" to ".join)
def test_what_is_allowed_would_close_a_circle(
    arrows: set[tuple[str, str]], allowed: tuple[str, str]
) -> None:
    assert allowed in arrows
    assert circles((arrows - ALLOWED.keys()) | {allowed}) != []


def test_a_circle_is_seen_whatever_its_length() -> None:
    assert circles([("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("a", "e")]) == [
        ["a", "b", "c"]
    ]
    assert circles([("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")]) == [["a", "b"], ["c", "d"]]
    assert circles([("a", "b"), ("b", "c"), ("a", "c"), ("a", "a")]) == []

"""The allow-list: what may come in, in which versions, and what contradicts itself."""

import re
from typing import Any

import pytest
from packaging.requirements import Requirement

from planish_integrations.environments import Environments
from planish_integrations.environments._rules import Rules


def rules(*allow: str, **options: Any) -> Rules:
    return Rules(options.get("mapping", allow), options.get("deny", ()), options.get("pins", {}))


def test_the_first_distribution_that_is_allowed_is_chosen() -> None:
    chosen = rules("OpenCV_Python", "numpy").choose(("opencv-python-headless", "opencv-python"))
    assert str(chosen) == "opencv-python"
    assert rules("numpy").choose(("pandas",)) is None


def test_ranges_and_pins_come_with_the_choice() -> None:
    allowed = rules("pandas>=2,<3", "numpy", pins={"numpy": "1.26.4", "pytz": "2024.1"})
    assert str(allowed.choose(["pandas"])) == "pandas<3,>=2"
    assert str(allowed.choose(["numpy"])) == "numpy==1.26.4"
    assert set(allowed.constraints()) == {"pandas<3,>=2", "numpy==1.26.4", "pytz==2024.1"}


def test_a_mapping_says_the_same_as_a_list() -> None:
    listed, mapped = rules("numpy", "pandas>=2"), rules(mapping={"numpy": "", "pandas": ">=2"})
    assert listed.describe() == mapped.describe() == "allowed: numpy, pandas>=2"


def test_versions_of_allow_and_of_every_environment_both_hold() -> None:
    both = Rules(["numpy<3", "pandas"], (), {}, ["NumPy>=2", "pandas[aws]"])
    assert both.always == ("numpy<3,>=2", "pandas[aws]")


def test_a_long_list_is_shortened() -> None:
    text = rules(*(f"p{n:02}" for n in range(30))).describe()
    assert "p19" in text
    assert "p20" not in text
    assert "and 10 more" in text
    assert rules().describe() == "nothing may be installed"


@pytest.mark.parametrize(
    ("requirement", "words"),
    [
        ("numpy", None),
        ("pandas==2.1", None),
        ("pandas==2.*", None),
        ("pandas", None),
        ("pandas==1.5", "not allowed, but pandas"),
        ("pandas[aws]", r"pandas\[aws\] is not allowed"),
        ("leftpad", "leftpad is not allowed here; allowed: numpy"),
    ],
)
def test_an_explicit_requirement_is_compared_with_the_allow_list(
    requirement: str, words: str | None
) -> None:
    text = rules("numpy", "pandas>=2").refusal(Requirement(requirement))
    if words is None:
        assert text is None
    else:
        assert text is not None
        assert re.search(words, text)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"allow": "numpy"}, ValueError, "must be a tuple of texts"),
        ({"allow": ["numpy >> 1"]}, ValueError, "not a requirement"),
        ({"allow": {"numpy": "1.0"}}, ValueError, "write '>=2,<3'"),
        ({"allow": ["numpy"], "deny": ["NumPy"]}, ValueError, "both allowed and denied"),
        ({"allow": ["numpy>2"], "pins": {"numpy": "1.0"}}, ValueError, "the pin numpy==1.0"),
        ({"allow": ["numpy"], "pins": {"numpy": ">1"}}, ValueError, "must be one version"),
        ({"allow": [], "deny": "numpy"}, ValueError, "must be a tuple of texts"),
        ({"allow": [], "always": "numpy"}, ValueError, "must be a tuple of texts"),
        ({"allow": [], "find_links": "/wheels"}, ValueError, "must be a tuple of texts"),
        ({"allow": [], "tries": 0}, ValueError, "at least 1"),
        ({"allow": [], "timeout": 0.0}, ValueError, "more than 0"),
        ({"allow": [], "timeout": float("inf")}, ValueError, "finite"),
    ],
)
def test_a_contradiction_is_refused_at_once(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        Environments(**options)


def test_a_short_time_is_one() -> None:
    assert repr(Environments(allow=["numpy"], timeout=0.5, tries=1)).startswith("Environments(")

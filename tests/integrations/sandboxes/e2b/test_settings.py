"""What an `E2BSandbox` can be configured with, and what it refuses."""

from typing import Any

import pytest

from planish_integrations.e2b import HOBBY, PRO, E2BSandbox, Plan


@pytest.mark.parametrize(
    ("wrong", "least"),
    [
        ({"lifetime": 0.999}, "lifetime=0.999): must be at least 1"),
        ({"lifetime": 0}, "lifetime=0): must be at least 1"),
        ({"warm": -1}, "warm=-1): must be at least 0"),
        ({"retries": -1}, "retries=-1): must be at least 0"),
        ({"lifetime": float("nan")}, "lifetime=nan): must be at least 1"),
        ({"fresh": "never"}, "fresh='never'): must be one of"),
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, Any], least: str) -> None:
    with pytest.raises(ValueError, match="E2BSandbox") as caught:
        E2BSandbox(**wrong)
    assert least in str(caught.value)


def test_the_least_that_is_allowed() -> None:
    settings = vars(E2BSandbox(lifetime=1, warm=0, retries=0))["_settings"]
    assert (settings.lifetime, settings.warm, settings.retries) == (1, 0, 0)


def test_defaults_are_those_of_the_docstring() -> None:
    settings = vars(E2BSandbox())["_settings"]
    assert (settings.lifetime, settings.warm, settings.retries) == (300, 0, 1)
    assert (settings.plan, settings.reuse, settings.internet) == (HOBBY, True, False)
    assert (settings.template, settings.env, settings.options) == (None, {}, {})
    assert set(settings.languages) == {"bash", "java", "javascript", "r", "sh"}


def test_options_that_are_none_are_left_to_the_sdk() -> None:
    languages = {"lua": ("lua",)}
    options = {"domain": None, "proxy": "http://p", "languages": languages}
    settings = vars(E2BSandbox(api_key="k", fresh="sandbox", options=options))["_settings"]
    assert settings.options == {"proxy": "http://p", "api_key": "k"}
    assert settings.connection == settings.options
    assert (settings.languages, settings.reuse) == (languages, False)


def test_what_may_reach_the_internet_is_not_run_twice() -> None:
    assert vars(E2BSandbox(internet=True, retries=3))["_settings"].retries == 0


def test_it_prints_its_template_and_plan() -> None:
    shown = repr(E2BSandbox("python-3.13", plan=PRO))
    assert shown == f"E2BSandbox(template='python-3.13', plan={PRO!r})"
    assert E2BSandbox().name == "e2b"


def test_the_plans_have_the_figures_of_their_source() -> None:
    assert (HOBBY.concurrency, HOBBY.rate, HOBBY.longest, HOBBY.patience) == (20, 1, 3600, 60)
    assert (PRO.concurrency, PRO.rate, PRO.longest, PRO.patience) == (100, 5, 86_400, 60)


@pytest.mark.parametrize("name", ["concurrency", "rate", "longest", "patience"])
@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_a_plan_allows_something(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"Plan\({name}="):
        Plan(**{name: value})

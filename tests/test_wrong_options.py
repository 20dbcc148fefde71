"""Options of policies, rules, sandboxes and models are refused where they are written."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from tests.laws.kit import attempt

from planish import CodeGenerator, Retry
from planish.errors import WiringError
from planish.feedback import restart_after, restart_on_repeat, window
from planish.rules import forbid_calls, forbid_imports, forbid_paths, limit_size
from planish.testing import FakeClock, ScriptedModel
from planish_integrations.containers import ContainerSandbox
from planish_integrations.e2b import E2BSandbox
from planish_integrations.local import LocalSandbox
from planish_integrations.openai import Backoff
from planish_integrations.unsafe import UnsafeLocalSandbox

TRY = attempt([1])
COUNTS: dict[str, Callable[[Any], Any]] = {
    "window(last=": window,
    "window(tokens=": lambda wrong: window(tokens=wrong),
    "restart_after(errors=": restart_after,
    "limit_size(chars=": lambda wrong: limit_size(chars=wrong),
    "limit_size(files=": lambda wrong: limit_size(files=wrong),
    "LocalSandbox(concurrency=": lambda wrong: LocalSandbox(concurrency=wrong),
    "LocalSandbox(spare=": lambda wrong: LocalSandbox(spare=wrong),
    "UnsafeLocalSandbox(concurrency=": lambda wrong: UnsafeLocalSandbox(concurrency=wrong),
    "ContainerSandbox(concurrency=": lambda wrong: ContainerSandbox(concurrency=wrong),
    "E2BSandbox(warm=": lambda wrong: E2BSandbox(warm=wrong),
    "E2BSandbox(retries=": lambda wrong: E2BSandbox(retries=wrong),
    "Backoff(tries=": lambda wrong: Backoff(tries=wrong),
}


@pytest.mark.parametrize("wrong", [2.5, -1, True, "3", math.nan, math.inf])
@pytest.mark.parametrize("place", COUNTS)
def test_a_number_of_things_is_whole(place: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"must be at least [01], a whole number") as caught:
        COUNTS[place](wrong)
    assert str(caught.value).startswith(f"{place}{wrong!r})")


@pytest.mark.parametrize("rule", [forbid_calls, forbid_imports, forbid_paths])
def test_a_rule_takes_texts(rule: Any) -> None:
    with pytest.raises(ValueError, match=rf"{rule.__name__}\(\.\.\.=\['os'\]\): must be a text"):
        rule("sys", ["os"])


@pytest.mark.parametrize("wrong", [-0.5, True, "1", math.nan])
def test_a_temperature_of_a_policy_is_a_number(wrong: Any) -> None:
    for policy in (restart_after, restart_on_repeat):
        with pytest.raises(ValueError, match=rf"{policy.__name__}\(temperature=.*: must be at"):
            policy(temperature=wrong)


@pytest.mark.parametrize("wrong", [2.5, True, "3", math.nan])
def test_a_seed_is_a_whole_number(wrong: Any) -> None:
    model = ScriptedModel([])
    with pytest.raises(ValueError, match=r"CodeGenerator\(seed=.*\): must be a whole number"):
        CodeGenerator(model, seed=wrong)
    assert CodeGenerator(model, seed=-1).seed == -1


@pytest.mark.parametrize("wrong", [3, "now"])
def test_a_clock_is_a_clock(wrong: Any) -> None:
    assert Retry(TRY, attempts=2, clock=FakeClock()).clock is not None
    with pytest.raises(WiringError, match=r"Retry\(clock=.*\): must be a Clock"):
        Retry(TRY, attempts=2, clock=wrong)

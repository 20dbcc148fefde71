"""Options of policies, rules, sandboxes and models are refused where they are written."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from tests.laws.kit import TASK, attempt

from planish import BestOf, Cache, Candidate, CodeExecution, CodeGenerator, Race, Retry, Task
from planish.data import Contract, CsvFile, ImageFile, JsonFile, Message, Price, PytestFile
from planish.errors import TaskError, UnsupportedError, WiringError
from planish.feedback import restart_after, restart_on_repeat, window
from planish.rules import forbid_calls, forbid_imports, forbid_paths, limit_size
from planish.stop import confidence
from planish.testing import FakeClock, ScriptedModel
from planish_integrations.containers import ContainerSandbox
from planish_integrations.e2b import E2BSandbox
from planish_integrations.environments import Environments, EnvSpec
from planish_integrations.local import LocalSandbox
from planish_integrations.models.transport import Breaker, RateLimiter, Secret, Timeouts
from planish_integrations.openai import Backoff
from planish_integrations.unsafe import UnsafeLocalSandbox

TRY = attempt([1])
TEST_FILE = "from solution import f\n\ndef test_f():\n    assert f()\n"
# Without types: type checkers would refuse the wrong calls.
best_of: Any = BestOf
retry: Any = Retry
cache: Any = Cache
execution: Any = CodeExecution
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
    "Breaker(failures=": lambda wrong: Breaker(failures=wrong),
    "Environments(tries=": lambda wrong: Environments(allow=(), tries=wrong),
}


AMOUNTS: dict[str, Callable[[Any], Any]] = {
    "Price(input=": lambda wrong: Price(input=wrong, output=1.0),
    "Price(cache_read=": lambda wrong: Price(input=1.0, output=1.0, cache_read=wrong),
    "Backoff(first=": lambda wrong: Backoff(first=wrong),
    "Breaker(seconds=": lambda wrong: Breaker(seconds=wrong),
    "ContainerSandbox(cpus=": lambda wrong: ContainerSandbox(cpus=wrong),
    "E2BSandbox(lifetime=": lambda wrong: E2BSandbox(lifetime=wrong),
    "Environments(timeout=": lambda wrong: Environments(allow=(), timeout=wrong),
    "RateLimiter(burst=": lambda wrong: RateLimiter(burst=wrong),
    "RateLimiter(tokens=": lambda wrong: RateLimiter(tokens=wrong),
    "Timeouts(first=": lambda wrong: Timeouts(first=wrong),
}
TEXTS: dict[str, Callable[[Any], Any]] = {
    "Candidate(packages=": lambda wrong: Candidate(task=TASK, code="", packages=wrong),
    "Candidate(findings=": lambda wrong: Candidate(task=TASK, code="", findings=wrong),
    "ContainerSandbox(options=": lambda wrong: ContainerSandbox(options=wrong),
    "EnvSpec(env=": lambda wrong: EnvSpec(env=wrong),
    "EnvSpec(requirements=": lambda wrong: EnvSpec(requirements=wrong),
    "Environments(allow=": lambda wrong: Environments(allow=wrong),
    "Environments(deny=": lambda wrong: Environments(allow=(), deny=wrong),
    "Environments(env=": lambda wrong: Environments(allow=(), env=wrong),
    "LocalSandbox(packages=": lambda wrong: LocalSandbox(packages=wrong),
    "LocalSandbox(preload=": lambda wrong: LocalSandbox(preload=wrong),
    "LocalSandbox(require=": lambda wrong: LocalSandbox(require=wrong),
    "PytestFile(plugins=": lambda wrong: PytestFile(TEST_FILE, plugins=wrong),
    "ImageFile(formats=": lambda wrong: ImageFile(formats=wrong),
}
ONE_TEXT: dict[str, Callable[[Any], Any]] = {
    "ContainerSandbox(engine=": lambda wrong: ContainerSandbox(engine=wrong),
    "ContainerSandbox(image=": lambda wrong: ContainerSandbox(image=wrong),
    "E2BSandbox(template=": lambda wrong: E2BSandbox(template=wrong),
    "Message(role=": lambda wrong: Message(wrong, "text"),
    "Message(content=": lambda wrong: Message("user", wrong),
}
MAPPINGS: dict[str, Callable[[Any], Any]] = {
    "Candidate(files=": lambda wrong: Candidate(task=TASK, code="", files=wrong),
    "Contract(arguments=": lambda wrong: Contract(arguments=wrong),
    "CsvFile(columns=": lambda wrong: CsvFile(columns=wrong),
    "JsonFile(fields=": lambda wrong: JsonFile(fields=wrong),
    "E2BSandbox(env=": lambda wrong: E2BSandbox(env=wrong),
    "E2BSandbox(options=": lambda wrong: E2BSandbox(options=wrong),
    "LocalSandbox(languages=": lambda wrong: LocalSandbox(languages=wrong),
    "UnsafeLocalSandbox(languages=": lambda wrong: UnsafeLocalSandbox(languages=wrong),
    "Environments(pins=": lambda wrong: Environments(allow=(), pins=wrong),
    "confidence(deltas=": lambda wrong: confidence(deltas=wrong),
}


@pytest.mark.parametrize("wrong", [2.5, -1, True, "3", math.nan, math.inf])
@pytest.mark.parametrize("place", COUNTS)
def test_a_number_of_things_is_whole(place: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"must be at least [01], a whole number") as caught:
        COUNTS[place](wrong)
    assert str(caught.value).startswith(f"{place}{wrong!r})")


@pytest.mark.parametrize("wrong", [-1, True, "3", math.nan, ["3"]])
@pytest.mark.parametrize("place", AMOUNTS)
def test_an_amount_is_a_number(place: str, wrong: Any) -> None:
    if wrong is True and place not in ("Price(input=", "Price(cache_read="):
        return  # 1 second
    with pytest.raises(ValueError, match=r"must be |must be above 0") as caught:
        AMOUNTS[place](wrong)
    assert str(caught.value).startswith(f"{place}{wrong!r})")


@pytest.mark.parametrize("wrong", [5, "numpy", None, (5,), b"numpy"])
@pytest.mark.parametrize("place", TEXTS)
def test_texts_are_a_collection_of_texts_and_not_one_text(place: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match="must be a tuple of texts") as caught:
        TEXTS[place](wrong)
    assert place in str(caught.value)
    assert repr(wrong) in str(caught.value)


@pytest.mark.parametrize("wrong", [5, b"python", ("python",)])
@pytest.mark.parametrize("place", ONE_TEXT)
def test_one_text_is_a_text(place: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"must be (a text|one of)") as caught:
        ONE_TEXT[place](wrong)
    assert f"{place}{wrong!r}" in str(caught.value)


def test_a_wrong_key_is_not_in_the_message() -> None:
    with pytest.raises(
        ValueError, match=r"E2BSandbox\(api_key=\.\.\.\): must be a text, not bytes"
    ) as caught:
        E2BSandbox(api_key=b"CANARY")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize("wrong", [5, "numpy", ["numpy"], (5,)])
@pytest.mark.parametrize("place", MAPPINGS)
def test_a_mapping_is_a_mapping(place: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"must be a dict") as caught:
        MAPPINGS[place](wrong)
    assert f"{place}{wrong!r}" in str(caught.value)


@pytest.mark.parametrize("wrong", [5, None, b"key"])
def test_a_secret_is_a_text(wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"must be a text, not {type(wrong).__name__}"):
        Secret(wrong)


@pytest.mark.parametrize("wrong", [5, None, "add"])
def test_a_candidate_has_a_task(wrong: Any) -> None:
    with pytest.raises(TaskError, match=r"Candidate\(task=.*\): must be a Task"):
        Candidate(task=wrong, code="")


@pytest.mark.anyio
@pytest.mark.parametrize("module", ["no_such_module", "no_such.part", "two words"])
async def test_a_module_to_preload_that_is_not_installed_costs_no_reply(module: str) -> None:
    model = ScriptedModel(["x = 1"])
    sandbox = LocalSandbox(preload=[module])
    with pytest.raises(UnsupportedError, match=f"the module '{module}' is not installed"):
        await (CodeGenerator(model) >> CodeExecution(sandbox)).run(Task("Write x."))
    assert model.requests == []


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


NAMELESS: dict[str, Callable[[], Any]] = {
    "BestOf(..., 3): name this argument, as in n=3; its options are n, scorer, concurrency": (
        lambda: best_of(TRY, 3)
    ),
    "Retry(..., 3): name this argument, as in attempts=3; its options are attempts, stop, ": (
        lambda: retry(TRY, 3)
    ),
    "Cache(..., None): name this argument, as in store=None; ": lambda: cache(TRY, None, 5),
    "CodeExecution(..., None): name this argument, as in ": lambda: execution(LocalSandbox(), None),
}


@pytest.mark.parametrize("message", NAMELESS)
def test_an_option_without_its_name_is_refused_with_the_name(message: str) -> None:
    with pytest.raises(TypeError) as raised:
        NAMELESS[message]()
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("kind", [BestOf, Race])
def test_more_runs_of_one_step_than_memory_holds_are_refused(kind: Any) -> None:
    assert kind(TRY, n=1_000_000).n == 1_000_000
    with pytest.raises(ValueError, match=r"\(n=1000001\): must be at most 1,000,000$"):
        kind(TRY, n=1_000_001)

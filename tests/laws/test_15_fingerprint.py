"""Law 15: a fingerprint follows from the configuration: all of it, nothing else, and no secret.

The digest that is written here is the same in every version of Python that runs the laws.
"""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from planish import (
    BestOf,
    Cache,
    CodeExecution,
    CodeGenerator,
    Primitive,
    Race,
    Retry,
    Task,
    Timeout,
    Validator,
    step,
)
from planish.data import ResourceLimits
from planish.feedback import window
from planish.judges import all_of, tests_pass
from planish.stop import deadline, stagnation
from planish.stores import FileStore, MemoryStore
from planish.testing import ScriptedModel, ScriptedSandbox
from planish_integrations.anthropic import AnthropicModel
from planish_integrations.e2b import E2BSandbox
from planish_integrations.openai import OpenAIModel
from planish_integrations.sandboxes.unsafe import UnsafeLocalSandbox

KEY = "sk-CANARY-0123456789"
PINNED = "092c1fbfa7c456a39a19e68a35b90b8a"


def attempt(**options: Any) -> Primitive[Any, Any]:
    limits = ResourceLimits(seconds=options.pop("limit", 5.0))
    model = ScriptedModel(options.pop("answers", ["ä"]))
    return (
        CodeGenerator(model, **options)
        >> CodeExecution(ScriptedSandbox([]), limits=limits)
        >> (Validator())
    )


def loop() -> Primitive[Any, Any]:
    stop = stagnation(2) | deadline(60)
    return Timeout(Retry(attempt(), attempts=3, stop=stop, feedback=window(2)), seconds=60.5)


def scaled(factor: int) -> Callable[[Task], Task]:
    def scale(task: Task) -> Task:
        assert factor
        return task

    return scale


async def plan(task: Task) -> Task:
    return task


def openai(**options: Any) -> Primitive[Any, Any]:
    arguments: dict[str, Any] = {"api_key": KEY, **options}
    return CodeGenerator(OpenAIModel("m", **arguments))


DIFFERENT: list[Callable[[], Primitive[Any, Any]]] = [
    loop,
    lambda: Retry(attempt(), attempts=3),
    lambda: Retry(attempt(), attempts=4),
    lambda: Retry(attempt(), stop=deadline(3)),
    lambda: Retry(attempt(limit=6), attempts=3),
    lambda: Retry(attempt(answers=["b"]), attempts=3),
    lambda: Retry(attempt(max_tokens=5), attempts=3),
    lambda: Retry(attempt(), attempts=3, feedback=window(2)),
    lambda: Retry(attempt(), attempts=3, feedback=window(3)),
    lambda: BestOf(attempt(), n=3),
    lambda: Race(attempt(), n=3),
    lambda: attempt() | attempt(),
    lambda: attempt() & attempt(),
    lambda: plan >> attempt(),
    lambda: scaled(2) >> attempt(),
    lambda: scaled(3) >> attempt(),
    lambda: Cache(attempt(), store=MemoryStore()),
    lambda: Cache(attempt(), store=FileStore("a")),
    lambda: Cache(attempt(), store=FileStore("b")),
    lambda: Validator(all_of(tests_pass, tests_pass)),
    Validator,
    openai,
    lambda: openai(base_url="https://models.example/v1"),
    lambda: openai(extra={"user": "u"}),
    lambda: openai(headers={"x-route": "a"}),
    lambda: openai(headers={"x-route": "b"}),
    lambda: openai(timeout=9),
    lambda: CodeGenerator(OpenAIModel("n", api_key=KEY)),
    lambda: CodeGenerator(AnthropicModel("m", api_key=KEY)),
    lambda: CodeGenerator(AnthropicModel("m", api_key=KEY, max_tokens=9)),
    lambda: CodeExecution(E2BSandbox(api_key=KEY)),
    lambda: CodeExecution(E2BSandbox(api_key=KEY, template="t")),
    lambda: CodeExecution(UnsafeLocalSandbox()),
    lambda: CodeExecution(UnsafeLocalSandbox(concurrency=77)),
]


def test_every_option_counts_and_no_object_does() -> None:
    found = [[build().fingerprint() for _ in range(2)] for build in DIFFERENT]
    assert all(first == again for first, again in found)
    assert len({first for first, _ in found}) == len(DIFFERENT)


def test_options_that_equal_their_default_do_not_count() -> None:
    assert CodeExecution(ScriptedSandbox([])).fingerprint() == (
        CodeExecution(ScriptedSandbox([]), limits=None).fingerprint()
    )
    assert Race(attempt(), concurrency=None).fingerprint() == Race(attempt()).fingerprint()
    assert Timeout(attempt(), seconds=2).fingerprint() == (
        Timeout(attempt(), seconds=2.0).fingerprint()
    )


@pytest.mark.parametrize(
    "other",
    [
        {"api_key": "sk-another-key-9876543210"},
        {"headers": {"Authorization": "Bearer sk-another-key-9876543210"}},
        {"headers": {"x-route": "Bearer sk-another-key-9876543210"}},
        {"base_url": "https://api.openai.com/v1?key=sk-another-key-9876543210"},
    ],
)
def test_keys_do_not_count(other: dict[str, Any]) -> None:
    assert openai(**other).fingerprint() == openai().fingerprint()


def test_keys_in_further_fields_do_not_count() -> None:
    one, another = ({"gateway": {"api_key": f"{KEY}{n}", "size": 1}} for n in (1, 2))
    assert openai(extra=one).fingerprint() == openai(extra=another).fingerprint()
    assert openai(extra=one).fingerprint() != openai(extra={"gateway": {"size": 1}}).fingerprint()


def test_what_a_function_is_made_of_counts() -> None:
    def double(task: Task, factor: int) -> Task:
        assert factor
        return task

    twice, thrice = (step(partial(double, factor=n)).fingerprint() for n in (2, 3))
    assert twice != thrice
    sources = ["def solve(task): return task", "def solve(task): return task or None"]
    prints: set[str] = set()
    for source in sources:
        names: dict[str, Any] = {"__name__": "somewhere"}
        exec(source, names)  # noqa: S102 - a function without a source file
        prints.add(step(names["solve"]).fingerprint())
    assert len(prints) == 2


def test_lambdas_of_one_line_differ() -> None:
    several: list[Callable[[int], int]] = [lambda n: n + 1, lambda n: n + 2, lambda n: 1 + n]
    assert len({step(function).fingerprint() for function in several}) == 3


CLASSES = """
from planish import Primitive

class Base(Primitive[int, int]):
    word = {word!r}

class Add(Base):
    async def _run(self, value: int) -> int:
        return value + {added}
"""


def test_the_source_of_a_class_of_ones_own_counts(tmp_path: Path) -> None:
    def fingerprint(number: int, **options: Any) -> str:
        path = tmp_path / f"{number}.py"
        path.write_text(CLASSES.format(**options))
        spec = importlib.util.spec_from_file_location("theirs", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["theirs"] = module
        spec.loader.exec_module(module)
        made: Primitive[int, int] = module.Add()
        return made.fingerprint()

    try:
        first = fingerprint(1, word="a", added=1)
        assert fingerprint(2, word="a", added=1) == first
        assert (
            len({first, fingerprint(3, word="a", added=2), fingerprint(4, word="b", added=1)}) == 3
        )
    finally:
        del sys.modules["theirs"]


class Opaque:
    """A model whose options cannot be known."""

    name = provider = "opaque"

    def __init__(self) -> None:
        self.temperature = 1

    async def reply(self, *_: Any) -> Any: ...


def test_an_object_without_options_is_named() -> None:
    opaque: Any = Opaque()
    with pytest.raises(TypeError, match=r"Opaque has no fingerprint.*config\(\)"):
        CodeGenerator(opaque).fingerprint()


@pytest.mark.parametrize("seed", ["0", "1", "77"])
def test_it_is_the_same_in_every_process(seed: str) -> None:
    code = "from tests.laws.test_15_fingerprint import loop; print(loop().fingerprint())"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == loop().fingerprint() == PINNED

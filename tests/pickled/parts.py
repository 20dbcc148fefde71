"""Functions and options that the examples of `test_pickling.py` are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planish import (
    Candidate,
    CodeExecution,
    CodeGenerator,
    Execution,
    Primitive,
    Report,
    Task,
    Validator,
)
from planish.data import Message
from planish.data.usage import Price
from planish.data.verdict import Finding
from planish.extraction import extract
from planish.feedback import (
    Rule,
)
from planish.steps.function import Step
from planish.stop import (
    Progress,
)
from planish.testing.clock import FakeClock
from planish_integrations.e2b import E2BSandbox
from planish_integrations.environments import Environment, Environments
from planish_integrations.models import model
from planish_integrations.models.registry import PROVIDERS
from planish_integrations.models.transport import (
    Backoff,
    Breaker,
    RateLimiter,
    Secret,
    Timeouts,
)
from planish_integrations.openai import OpenAIModel
from planish_integrations.unsafe import UnsafeLocalSandbox

KEYS = sorted({name for one in PROVIDERS.values() for name in one.key_variables} | {"E2B_API_KEY"})
KEY = "sk-CANARY-0123456789"
URL = "http://localhost:9/v1"


@dataclass(frozen=True)
class Arguments:
    """The arguments of a constructor."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict[str, Any])


def call(*args: Any, **kwargs: Any) -> Arguments:
    return Arguments(args, kwargs)


def copy_of(task: Task) -> Task:
    return task


def report_of(task: Task) -> Report:
    raise AssertionError(task)


def check(candidate: Candidate) -> Report:
    raise AssertionError(candidate)


def execute(candidate: Candidate) -> Execution:
    raise AssertionError(candidate)


def many(task: Task) -> list[Task]:
    return [task]


def fix(task: Task, findings: Sequence[Finding]) -> Task | None:
    return task if findings else None


def late(progress: Progress) -> bool:
    return progress.seconds > 1


def is_short(execution: Execution) -> bool:
    return len(execution.candidate.code) < 9


def score(report: Report) -> float:
    return report.score or 0.0


def key(task: Task) -> str:
    return task.requirement


def choose(task: Task) -> str:
    return task.language


def prompt(task: Task) -> list[Message]:
    return [Message("user", task.requirement)]


def hint(report: Report) -> str:
    return report.stop_reason


def speak(text: str) -> str:
    return text


def own_extract(text: str, task: Task) -> Any:
    return extract(text, language=task.language)


def inside(environment: Environment) -> UnsafeLocalSandbox:
    del environment
    return UnsafeLocalSandbox()


async def guess(module: str) -> str | None:
    return module


def attempt() -> Primitive[Task, Report]:
    return CodeGenerator(OpenAIModel("m")) >> CodeExecution(E2BSandbox()) >> Validator()


def environments() -> Environments:
    return Environments(
        allow=("numpy", "pandas>=2"),
        deny=("torch",),
        pins={"numpy": "2.1.0"},
        always=("pytest",),
        directory="environments",
        index_url="https://packages.example/simple",
        timeout=9,
        tries=2,
        inherit=True,
        wheels_only=False,
        env=("HOME",),
        resolve_unknown=guess,
        clock=FakeClock(),
    )


def is_empty(candidate: Candidate) -> bool:
    return not candidate.code


RULE = Rule(when=is_empty, issue="it is empty", fix="write it")
STEPS = Step(copy_of), Step(report_of)
PRICE = Price(input=1.0, output=2.0)

HTTP = {
    "timeout": Timeouts(first=9),
    "backoff": Backoff(tries=2),
    "rate_limiter": RateLimiter(requests=9),
    "breaker": Breaker(),
    "max_connections": 3,
    "price": PRICE,
    "prices": {"m": PRICE},
    "clock": FakeClock(),
    "effort": "low",
    "cache": True,
    "extra": {"user": "u"},
    "headers": {"x-route": "a"},
    "base_url": URL,
    "provider": "other",
}


def secret_headers() -> dict[str, Any]:
    """Options with a key in a header, which travels as the name of its variable."""
    key_ = Secret.from_environment("OPENAI_API_KEY", prefix="Bearer ")
    return {**HTTP, "headers": {"x-route": "a", "authorization": key_}}


def registered() -> list[Any]:
    return [model(f"{name}:m") for name in PROVIDERS if not PROVIDERS[name].url_variable]

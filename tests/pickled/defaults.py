"""An object of each configured class, with as few arguments as it takes."""

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from tests.pickled.parts import (
    RULE,
    STEPS,
    attempt,
    check,
    choose,
    copy_of,
    fix,
    inside,
    is_short,
    late,
    registered,
    report_of,
    speak,
)

from planish import (
    Accept,
    BestOf,
    Cache,
    CodeExecution,
    CodeGenerator,
    CodePolicy,
    Escalate,
    Fallback,
    Map,
    Parallel,
    Race,
    Retry,
    Route,
    Sequential,
    Timeout,
    Validator,
)
from planish.combinators.repair import Repair
from planish.feedback import (
    add_hints,
    hidden_tests,
    restart_after,
    restart_on_repeat,
    rules,
    window,
)
from planish.judges import all_of, any_of, tests_pass, weighted
from planish.rules import (
    add_imports,
    forbid_calls,
    forbid_imports,
    forbid_network,
    forbid_paths,
    forbid_placeholders,
    limit_size,
)
from planish.steps.function import Step
from planish.stop import (
    confidence,
    deadline,
    max_attempts,
    max_usage,
    repeated_candidate,
    repeated_review,
    stagnation,
    success,
    when,
)
from planish.stores import FileStore, MemoryStore
from planish.testing import ReplayModel, ScriptedModel, ScriptedSandbox
from planish.testing.clock import FakeClock
from planish_integrations.anthropic import AnthropicModel
from planish_integrations.callables import CallableModel
from planish_integrations.containers import ContainerSandbox
from planish_integrations.e2b import E2BSandbox
from planish_integrations.environments import Environments, InEnvironment
from planish_integrations.gemini import GeminiModel
from planish_integrations.langchain import LangChainModel
from planish_integrations.litellm import LiteLLMModel
from planish_integrations.local import LocalSandbox
from planish_integrations.ollama import OllamaModel
from planish_integrations.openai import OpenAIModel, OpenAIResponsesModel
from planish_integrations.pydantic_ai import PydanticAIModel
from planish_integrations.unsafe import UnsafeLocalSandbox

DEFAULTS: Mapping[str, Callable[[], Any]] = {
    "Accept": lambda: Accept(Step(report_of), Step(check)),
    "BestOf": lambda: BestOf(attempt(), n=2),
    "Cache": lambda: Cache(attempt(), store=MemoryStore()),
    "CodeExecution": lambda: CodeExecution(LocalSandbox()),
    "CodeGenerator": lambda: CodeGenerator(OpenAIModel("m")),
    "CodePolicy": lambda: CodePolicy(forbid_network()),
    "Escalate": lambda: Escalate(*STEPS[1:], Step(report_of)),
    "Fallback": lambda: Fallback(attempt(), Step(report_of)),
    "Map": lambda: Map(Step(report_of), concurrency=2),
    "Parallel": lambda: Parallel(*STEPS),
    "Race": lambda: Race(attempt(), attempt()),
    "Repair": lambda: Repair(Step(report_of), {"environment": fix}),
    "Retry": lambda: Retry(attempt(), attempts=2),
    "Route": lambda: Route(choose, {"python": attempt()}),
    "Sequential": lambda: Sequential(*STEPS),
    "Step": lambda: Step(copy_of),
    "Timeout": lambda: Timeout(attempt(), seconds=9),
    "Validator": Validator,
    **{
        kind.__name__: kind
        for kind in (
            *(forbid_network, forbid_placeholders, limit_size, restart_after, restart_on_repeat),
            *(window, hidden_tests, success, confidence, repeated_candidate, repeated_review),
            *(stagnation, FakeClock, MemoryStore, E2BSandbox, LocalSandbox, UnsafeLocalSandbox),
        )
    },
    "add_hints": lambda: add_hints({"KeyError": "look"}),
    "add_imports": lambda: add_imports("math"),
    "all_of": lambda: all_of(tests_pass, is_short),
    "any_of": lambda: any_of(tests_pass, is_short),
    "deadline": lambda: deadline(9),
    "forbid_calls": lambda: forbid_calls("eval"),
    "forbid_imports": lambda: forbid_imports("os"),
    "forbid_paths": lambda: forbid_paths("out"),
    "max_attempts": lambda: max_attempts(3),
    "max_usage": lambda: max_usage(tokens=9),
    "rules": lambda: rules(RULE),
    "weighted": lambda: weighted({tests_pass: 1.0}),
    "when": lambda: when("late", late),
    "AnthropicModel": lambda: AnthropicModel("m"),
    "CallableModel": lambda: CallableModel(speak),
    "ContainerSandbox": lambda: ContainerSandbox(engine="/bin/true"),
    "FileStore": lambda: FileStore("store"),
    "GeminiModel": lambda: GeminiModel("m"),
    "HttpModel": registered,
    "InEnvironment": lambda: InEnvironment(inside, Environments(allow=())),
    "LangChainModel": lambda: LangChainModel(FakeListChatModel(responses=["a"])),
    "LiteLLMModel": lambda: LiteLLMModel("openai/m"),
    "OllamaModel": lambda: OllamaModel("m"),
    "OpenAIModel": lambda: OpenAIModel("m"),
    "OpenAIResponsesModel": lambda: OpenAIResponsesModel("m"),
    "PydanticAIModel": lambda: PydanticAIModel("test"),
    "ReplayModel": lambda: ReplayModel({"a": ["b"]}),
    "ScriptedModel": lambda: ScriptedModel(["a"]),
    "ScriptedSandbox": lambda: ScriptedSandbox([]),
}
"""An object of each class, with as few arguments as it takes."""

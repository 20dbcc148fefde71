"""The arguments with which a class has each of its options."""

from collections.abc import Callable, Mapping

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from tests.pickled.parts import (
    HTTP,
    KEYS,
    PRICE,
    RULE,
    Arguments,
    attempt,
    call,
    check,
    choose,
    copy_of,
    environments,
    fix,
    hint,
    inside,
    is_short,
    key,
    late,
    own_extract,
    prompt,
    report_of,
    score,
    secret_headers,
    speak,
)

from planish import (
    Report,
)
from planish.data import Completed, ResourceLimits
from planish.data.usage import FREE
from planish.feedback import (
    restart_on_repeat,
    window,
)
from planish.judges import all_of, tests_pass
from planish.rules import (
    forbid_imports,
    forbid_network,
)
from planish.steps.function import Step
from planish.stop import (
    deadline,
    when,
)
from planish.stores import FileStore
from planish.testing.clock import FakeClock
from planish_integrations.e2b import PRO
from planish_integrations.environments import EnvSpec
from planish_integrations.models.openai import ProtocolVariant
from planish_integrations.models.openai._chat import ChatProtocol
from planish_integrations.models.transport import (
    Secret,
)
from planish_integrations.openai import OpenAIModel
from planish_integrations.unsafe import UnsafeLocalSandbox

ALL_OPTIONS: Mapping[str, Callable[[], list[Arguments]]] = {
    "Accept": lambda: [call(step=Step(report_of), check=Step(check))],
    "BestOf": lambda: [call(attempt(), n=2, scorer=score, concurrency=2)],
    "Cache": lambda: [
        call(attempt(), store=FileStore("s"), key=key, prefix="p", result_type=Report)
    ],
    "CodeExecution": lambda: [
        call(
            UnsafeLocalSandbox(),
            limits=ResourceLimits(seconds=2),
            check_hash_order=True,
            outputs="out",
        )
    ],
    "CodeGenerator": lambda: [
        call(
            OpenAIModel("m"),
            prompt=prompt,
            temperature=0.5,
            max_tokens=9,
            seed=1,
            extract=own_extract,
            structured=True,
            explain=True,
        )
    ],
    "CodePolicy": lambda: [call(forbid_network(), forbid_imports("os"))],
    "Escalate": lambda: [call(attempt(), attempt())],
    "Fallback": lambda: [call(attempt(), attempt())],
    "Map": lambda: [call(attempt(), concurrency=2)],
    "Parallel": lambda: [call(attempt(), attempt(), concurrency=2)],
    "Race": lambda: [call(attempt(), attempt(), concurrency=2), call(attempt(), n=2)],
    "Repair": lambda: [call(Step(report_of), {"environment": fix, "test_error": fix}, rounds=2)],
    "Retry": lambda: [
        call(
            attempt(),
            attempts=2,
            stop=deadline(9) | when("late", late),
            feedback=[window(2), restart_on_repeat(), hint],
            clock=FakeClock(),
        )
    ],
    "Route": lambda: [call(choose, {"python": attempt(), "sh": attempt()})],
    "Sequential": lambda: [call(Step(copy_of), attempt())],
    "Step": lambda: [call(copy_of)],
    "Timeout": lambda: [call(attempt(), seconds=2)],
    "Validator": lambda: [call(all_of(tests_pass, is_short), require="isolated")],
    "add_hints": lambda: [call({"KeyError": "look", OSError: "there"})],
    "add_imports": lambda: [call("math", np="numpy")],
    "all_of": lambda: [call(tests_pass, is_short, stop_at_first=False)],
    "any_of": lambda: [call(tests_pass, is_short, outvote_tests=True)],
    "confidence": lambda: [call(0.5, deltas={})],
    "deadline": lambda: [call(9)],
    "forbid_calls": lambda: [call("eval", "exec")],
    "forbid_imports": lambda: [call("os", "sys")],
    "forbid_paths": lambda: [call("out", "in")],
    "hidden_tests": lambda: [call(tell="exception")],
    "limit_size": lambda: [call(chars=9, files=2)],
    "max_attempts": lambda: [call(3)],
    "max_usage": lambda: [call(tokens=9, usd=1.0, model_calls=2)],
    "restart_after": lambda: [call(2, temperature=1.0)],
    "restart_on_repeat": lambda: [call(0.5)],
    "rules": lambda: [call(RULE)],
    "stagnation": lambda: [call(2)],
    "weighted": lambda: [call({tests_pass: 1.0, is_short: 0.5}, threshold=0.5, outvote_tests=True)],
    "when": lambda: [call("late", late)],
    "window": lambda: [call(2, best=True, older="summary", tokens=9)],
    "FakeClock": lambda: [call(3.0)],
    "FileStore": lambda: [call("store")],
    "MemoryStore": lambda: [call(9)],
    "AnthropicModel": lambda: [
        call("m", max_tokens=9, **options) for options in (HTTP, secret_headers())
    ],
    "GeminiModel": lambda: [call("m", **options) for options in (HTTP, secret_headers())],
    "OllamaModel": lambda: [
        call("m", **{**options, "cache": False}) for options in (HTTP, secret_headers())
    ],
    "OpenAIModel": lambda: [
        *(call("m", variant=ProtocolVariant(), **HTTP), call("m", **secret_headers())),
        call("m", max_tokens_field="max_tokens", **HTTP),
    ],
    "OpenAIResponsesModel": lambda: [
        *(call("m", variant=ProtocolVariant(), **HTTP), call("m", **secret_headers())),
        call("m", max_tokens_field="max_tokens", **HTTP),
    ],
    "HttpModel": lambda: [
        call(
            "m",
            protocol=ChatProtocol(ProtocolVariant()),
            api_key=Secret.from_environment(KEYS[0]),
            **HTTP,
        )
    ],
    "CallableModel": lambda: [
        call(speak, name="n", provider="p", takes="prompt", price=FREE),
    ],
    "LangChainModel": lambda: [
        call(FakeListChatModel(responses=["a"]), name="n", provider="p", price=PRICE)
    ],
    "LiteLLMModel": lambda: [
        call("openai/m", provider="p", price=PRICE, options={"temperature": 0.5})
    ],
    "PydanticAIModel": lambda: [call("test", price=PRICE)],
    "ReplayModel": lambda: [
        call({"a": ["b"]}, sequence="independent", name="n", provider="p", price=PRICE)
    ],
    "ScriptedModel": lambda: [call(["a"], name="n", seconds=0.5, price=PRICE)],
    "ScriptedSandbox": lambda: [call([Completed(exit_code=0)], name="n", seconds=0.5)],
    "ContainerSandbox": lambda: [
        call(
            engine="/bin/true",
            image="i",
            system_packages=("gcc",),
            languages={"sh": ("sh",)},
            concurrency=2,
            cpus=1.5,
            options=("--remote",),
        ),
        call(engine="/bin/true", spec=EnvSpec(requirements=("numpy",))),
    ],
    "E2BSandbox": lambda: [
        call(
            "t",
            plan=PRO,
            lifetime=60.0,
            warm=1,
            fresh="sandbox",
            internet=True,
            env={"LANG": "C"},
            retries=2,
            options={"domain": "e2b.example"},
        )
    ],
    "InEnvironment": lambda: [call(inside, environments(), pythonpath=True)],
    "LocalSandbox": lambda: [
        call(
            tier="landlock",
            require=("files",),
            preload=("json",),
            packages=("/usr",),
            readable=("/usr",),
            environments=environments(),
            concurrency=3,
            spare=1,
            languages={"sh": ("sh",)},
            fresh_interpreter=True,
        )
    ],
    "UnsafeLocalSandbox": lambda: [
        call(languages={"sh": ("sh",)}, concurrency=2, directory="/tmp")  # noqa: S108
    ],
}
"""The arguments with which a class has each of its options, in one or more calls."""

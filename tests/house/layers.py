"""The house from the ground up: what each part stands on, and why. The one place that says so.

Arrows point down this table only, so it can hold no circle.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["EXCEPTIONS", "LAYERS", "PUBLIC", "Layer", "layer_of"]


@dataclass(frozen=True, slots=True)
class Layer:
    """One part of the house.

    Attributes:
        name: A module and all below it: "planish.data".
        because: Why it stands where it stands.
        uses: The other modules, with all below them, that it may import.
        packages: What it may import that neither we nor Python ship.
        apart: Its members do not know each other: one folder or file, one idea.
        outside: It lives as a user's code lives: on public names of public modules only.
        alone: The name is this one module, not all below it.
    """

    name: str
    because: str
    uses: Iterable[str] = ()
    packages: Iterable[str] = ()
    apart: bool = False
    outside: bool = False
    alone: bool = False


_VALUES = ("planish.data", "planish.errors")
_CONTRACTS = (*_VALUES, "planish.abc")
_OBSERVED = (*_VALUES, "planish.scopes", "planish.tracing")
_SANDBOXES = (
    "planish_integrations.containers",
    "planish_integrations.e2b",
    "planish_integrations.environments",
    "planish_integrations.local",
    "planish_integrations.unsafe",
)
_WIRES = (
    "planish_integrations.anthropic",
    "planish_integrations.gemini",
    "planish_integrations.ollama",
    "planish_integrations.openai",
)
_INTEGRATIONS = (
    *_SANDBOXES,
    *_WIRES,
    "planish_integrations.calling",
    "planish_integrations.evaluation",
    "planish_integrations.langchain",
    "planish_integrations.litellm",
    "planish_integrations.models",
    "planish_integrations.otel",
    "planish_integrations.pydantic_ai",
    "planish_integrations.testing",
    "planish_integrations.transport",
)

PUBLIC: Mapping[str, str] = {
    "planish": "what everybody writes",
    "planish.abc": "the contracts, with the types of their arguments",
    "planish.clock": "the default of every `clock=`",
    "planish.data": "the values, where they are defined",
    "planish.errors": "the errors, where they are defined",
    "planish.extraction": "code out of replies, for whoever brings a generator of their own",
    "planish.judges": "what a judge gives and takes",
    "planish.policies": "what a loop tells the next attempt",
    "planish.prompts": "what a prompt is made of",
    "planish.stop": "the stop rules",
    "planish.testing": "doubles and conformance kits",
}
"""The modules that code outside of `planish` imports from; with packages, all below them."""

LAYERS: Sequence[Layer] = (
    Layer("planish.compiling", "How the compiler is called: by everything that reads source."),
    Layer("planish.errors", "Whatever can fail needs them, so they need nothing."),
    Layer(
        "planish.data",
        "Values that know only each other; pydantic is loaded when one is serialised.",
        uses=("planish.compiling", "planish.errors"),
        packages=("pydantic", "pydantic_core"),
    ),
    Layer(
        "planish.abc",
        "The contracts speak of values and of nothing that implements them.",
        uses=("planish.data",),
    ),
    Layer(
        "planish.clock",
        "The system's time is one implementation of a contract.",
        uses=("planish.abc",),
        packages=("anyio",),
    ),
    Layer("planish.wiring", "Compares any types; planish's own are no special case."),
    Layer(
        "planish.extraction",
        "Text in, text out: testable on a million replies, no loop.",
        uses=("planish.compiling",),
    ),
    Layer("planish.prompts", "A pure function of a task.", uses=_VALUES),
    Layer(
        "planish.harness.inside",
        "Runs in the sandbox, under the Python there: that, and pytest for pytest files.",
        packages=("asyncio", "pytest"),
    ),
    Layer(
        "planish.harness",
        "Program text out, evidence in: pure on both sides of the sandbox.",
        uses=(*_CONTRACTS, "planish.compiling", "planish.harness.inside"),
    ),
    Layer("planish.stop", "Pure rules over a history; time is handed in.", uses=_VALUES),
    Layer("planish.judges", "Pure rules over evidence.", uses=_VALUES),
    Layer("planish.policies", "Pure: from a report to what the next try is told.", uses=_VALUES),
    Layer(
        "planish.scopes",
        "What surrounds a run: one context variable, read by all above.",
        uses=_CONTRACTS,
        packages=("anyio", "opentelemetry"),
    ),
    Layer(
        "planish.outcomes",
        "How outcomes are compared and joined, for tracing and combinators alike.",
        uses=(*_CONTRACTS, "planish.wiring"),
    ),
    Layer(
        "planish.tracing",
        "A wrapper around a run that the run does not know of: steps hold no span.",
        uses=(*_VALUES, "planish.outcomes", "planish.scopes"),
        packages=("anyio", "opentelemetry", "structlog"),
    ),
    Layer(
        "planish.effects",
        "The only calls to the world: budget, span and ledger stand around each.",
        uses=(*_OBSERVED, "planish.abc"),
        packages=("opentelemetry",),
    ),
    Layer(
        "planish.base",
        "The one type. It knows its tracing, and no primitive.",
        uses=(*_OBSERVED, "planish.abc", "planish.wiring"),
    ),
    Layer(
        "planish.settling",
        "What all primitives with branches share, so that they need not know each other.",
        uses=(*_OBSERVED, "planish.base", "planish.outcomes"),
        packages=("opentelemetry",),
    ),
    Layer(
        "planish.primitives",
        "Siblings meet through values and `>>`; none imports another.",
        uses=(
            *_OBSERVED,
            "planish.abc",
            "planish.base",
            "planish.clock",
            "planish.effects",
            "planish.extraction",
            "planish.harness",
            "planish.judges",
            "planish.outcomes",
            "planish.prompts",
            "planish.settling",
            "planish.stop",
            "planish.wiring",
        ),
        packages=("anyio", "opentelemetry"),
        apart=True,
    ),
    Layer(
        "planish.operators",
        "Brings the four that are operators, so that they register with the base class.",
        uses=("planish.primitives",),
    ),
    Layer(
        "planish",
        "The public names, gathered; nothing inside imports them from here.",
        uses=(
            *_CONTRACTS,
            "planish.base",
            "planish.effects",
            "planish.judges",
            "planish.operators",
            "planish.primitives",
            "planish.scopes",
            "planish.tracing",
        ),
        alone=True,
    ),
    Layer(
        "planish.testing",
        "Doubles and kits for users: on the contracts, so that they hold for any implementer.",
        uses=(*_CONTRACTS, "planish.clock", "planish.scopes"),
        packages=("anyio", "opentelemetry", "opentelemetry.sdk"),
    ),
    Layer(
        "planish_integrations",
        "planish's public names again; it imports nothing of what is in it: each has its price.",
        uses=("planish",),
        alone=True,
        outside=True,
    ),
    Layer(
        "planish_integrations.transport",
        "One way over HTTP for all providers: time-outs, pace, backoff, breaker, prices.",
        uses=PUBLIC,
        packages=("anyio", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.anthropic",
        "The Messages wire: what differs from other providers, and nothing else.",
        uses=(*PUBLIC, "planish_integrations.transport"),
        packages=("anyio", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.gemini",
        "The generateContent wire: what differs from other providers, and nothing else.",
        uses=(*PUBLIC, "planish_integrations.transport"),
        packages=("anyio", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.ollama",
        "Ollama's own wire: what differs from other providers, and nothing else.",
        uses=(*PUBLIC, "planish_integrations.transport"),
        packages=("anyio", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.openai",
        "Chat completions and Responses: what differs from other providers, and nothing else.",
        uses=(*PUBLIC, "planish_integrations.transport"),
        packages=("anyio", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.models",
        "Names to models: the one place that knows all providers.",
        uses=(*PUBLIC, *_WIRES, "planish_integrations.transport"),
        outside=True,
    ),
    Layer(
        "planish_integrations.calling",
        "Any async callable as a model.",
        uses=PUBLIC,
        packages=("anyio",),
        outside=True,
    ),
    Layer(
        "planish_integrations.pydantic_ai",
        "pydantic-ai's agents and models as ours, our pipelines as its tools.",
        uses=PUBLIC,
        packages=("anyio", "pydantic_ai", "pydantic"),
        outside=True,
    ),
    Layer(
        "planish_integrations.langchain",
        "LangChain's chat models as ours, our pipelines as its Runnables.",
        uses=PUBLIC,
        packages=("anyio", "langchain_core"),
        outside=True,
    ),
    Layer(
        "planish_integrations.litellm",
        "A LiteLLM router as a model.",
        uses=PUBLIC,
        packages=("anyio", "litellm"),
        outside=True,
    ),
    Layer(
        "planish_integrations.environments",
        "From imports to a virtual environment: what a program may install, and where it lies.",
        uses=PUBLIC,
        packages=("anyio", "opentelemetry", "packaging"),
        outside=True,
    ),
    Layer(
        "planish_integrations.unsafe",
        "Its boot files are the first modules of another interpreter, found by name.",
        uses=PUBLIC,
        packages=("anyio", "planish_warden", "sitecustomize"),
        outside=True,
    ),
    Layer(
        "planish_integrations.local",
        "Its boot files are modules of an interpreter of their own, found by name.",
        uses=(*PUBLIC, "planish_integrations.environments"),
        packages=("anyio", "planish_kernel", "planish_zygote"),
        outside=True,
    ),
    Layer(
        "planish_integrations.e2b",
        "The SDK of E2B, and what it needs to be relied on.",
        uses=PUBLIC,
        packages=("anyio", "e2b", "e2b_code_interpreter", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.containers",
        "Docker's and Podman's command line as a sandbox.",
        uses=(*PUBLIC, "planish_integrations.environments"),
        packages=("anyio",),
        outside=True,
    ),
    Layer(
        "planish_integrations.testing",
        "Servers on loopback that speak the real protocols, for anybody's tests.",
        uses=PUBLIC,
        packages=("anyio", "connectrpc", "e2b", "e2b_code_interpreter", "h11", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.otel",
        "The SDK of OpenTelemetry, for programs that have not set it up.",
        uses=PUBLIC,
        packages=("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter"),
        outside=True,
    ),
    Layer(
        "planish_integrations.evaluation",
        "Measures pipelines; the models and sandboxes are handed in.",
        uses=PUBLIC,
        packages=("anyio",),
        outside=True,
    ),
    Layer(
        "planish_integrations.cli",
        "The program: where integrations meet.",
        uses=(*PUBLIC, *_INTEGRATIONS),
        packages=("anyio", "click"),
        outside=True,
    ),
    Layer(
        "examples",
        "What a reader copies must work for the reader, whole: no example needs another.",
        uses=(*PUBLIC, *_INTEGRATIONS),
        packages=("anyio", "opentelemetry", "opentelemetry.sdk"),
        apart=True,
        outside=True,
    ),
)

EXCEPTIONS: Mapping[tuple[str, str], str] = {
    ("planish.errors", "planish.data.report"): "only the type of `PlanishError.report`",
}
"""Arrows that point up, each from one module to one other, and why."""


def layer_of(module: str, layers: Sequence[Layer] = LAYERS) -> Layer | None:
    """The layer a module belongs to: the one with the longest name that fits."""
    fitting = [
        layer
        for layer in layers
        if module == layer.name or (not layer.alone and module.startswith(f"{layer.name}."))
    ]
    return max(fitting, key=lambda layer: len(layer.name), default=None)

"""What stands outside of planish: one module for each thing of the world, and the program."""

from collections.abc import Mapping, Sequence

from tests.house.layer import Layer

__all__ = ["OUTSIDE", "PUBLIC", "SHORT"]

_HOST = "planish_integrations.sandboxes.host"
_FOREIGN = "planish_integrations.models.foreign"
_TRANSPORT = "planish_integrations.models.transport"
_SANDBOXES = (
    "planish_integrations.sandboxes.containers",
    "planish_integrations.sandboxes.e2b",
    "planish_integrations.environments",
    "planish_integrations.sandboxes.local",
    "planish_integrations.sandboxes.unsafe",
)
_PROVIDERS = (
    "planish_integrations.models.anthropic",
    "planish_integrations.models.gemini",
    "planish_integrations.models.ollama",
    "planish_integrations.models.openai",
)
_INTEGRATIONS = (
    *_SANDBOXES,
    *_PROVIDERS,
    "planish_integrations.models.foreign.callables",
    "planish_integrations.evaluation",
    "planish_integrations.models.foreign.langchain",
    "planish_integrations.models.foreign.litellm",
    "planish_integrations.models",
    "planish_integrations.models.registry",
    "planish_integrations.otel",
    "planish_integrations.models.foreign.pydantic_ai",
    "planish_integrations.testing",
    "planish_integrations.models.transport",
)

SHORT: Mapping[str, str] = {
    "planish_integrations.local": "planish_integrations.sandboxes.local",
    "planish_integrations.unsafe": "planish_integrations.sandboxes.unsafe",
    "planish_integrations.containers": "planish_integrations.sandboxes.containers",
    "planish_integrations.e2b": "planish_integrations.sandboxes.e2b",
    "planish_integrations.openai": "planish_integrations.models.openai",
    "planish_integrations.anthropic": "planish_integrations.models.anthropic",
    "planish_integrations.gemini": "planish_integrations.models.gemini",
    "planish_integrations.ollama": "planish_integrations.models.ollama",
    "planish_integrations.callables": "planish_integrations.models.foreign.callables",
    "planish_integrations.langchain": "planish_integrations.models.foreign.langchain",
    "planish_integrations.litellm": "planish_integrations.models.foreign.litellm",
    "planish_integrations.pydantic_ai": "planish_integrations.models.foreign.pydantic_ai",
}
"""The documented short import paths, and what each gives the names of."""

PUBLIC: Mapping[str, str] = {
    "planish": "what most programs write",
    "planish.abc": "the contracts, with the types of their arguments",
    "planish.arguments": "how constructors check their arguments, with one kind of message",
    "planish.compiling": "how the compiler is called on source that others wrote",
    "planish.combinators": "what single combinators give and take: items of Map",
    "planish.stores": "stores for caches and journals: in memory, in a folder",
    "planish.clock": "the default of every `clock=`",
    "planish.data": "the values, where they are defined",
    "planish.effects": "calls to models and sandboxes, from a step of one's own",
    "planish.errors": "the errors, where they are defined",
    "planish.events": "the events of a run, and how to receive them",
    "planish.extraction": "code out of replies, for whoever brings a generator of their own",
    "planish.feedback": "findings of an execution, and feedback policies of loops",
    "planish.guest.protocol": "the names and files of the code that runs in sandboxes",
    "planish.judges": "what a judge gives and takes",
    "planish.prompts": "what a prompt is made of",
    "planish.stop": "the stop rules",
    "planish.steps": "what single steps give and take",
    "planish.structured": "answers of a given schema",
    "planish.telemetry": "a processor for structlog",
    "planish.testing": "doubles and conformance kits",
}
"""The modules that code outside of `planish` imports from; with packages, all below them."""

OUTSIDE: Sequence[Layer] = (
    Layer(
        "planish_integrations",
        "planish's public names again; it imports nothing of what is in it: each has its price.",
        uses=("planish",),
        alone=True,
        outside=True,
    ),
    Layer(
        "planish_integrations.models.transport",
        "HTTP for all providers: time-outs, rate limits, retries, circuit breaker, prices.",
        uses=PUBLIC,
        packages=("anyio", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.anthropic",
        "The Messages protocol: only what differs from other providers.",
        uses=(*PUBLIC, "planish_integrations.models.transport"),
        packages=("anyio", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.gemini",
        "The generateContent protocol: only what differs from other providers.",
        uses=(*PUBLIC, "planish_integrations.models.transport"),
        packages=("anyio", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.ollama",
        "Ollama's own protocol: only what differs from other providers.",
        uses=(*PUBLIC, "planish_integrations.models.transport"),
        packages=("anyio", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.openai",
        "Chat completions and Responses: only what differs from other providers.",
        uses=(*PUBLIC, "planish_integrations.models.transport"),
        packages=("anyio", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.registry",
        "Names to models: the one place that knows all providers.",
        uses=(*PUBLIC, *_PROVIDERS, "planish_integrations.models.transport"),
        outside=True,
    ),
    Layer(
        "planish_integrations.models",
        "The names of the registry, loaded when used: each provider has its price.",
        uses=("planish_integrations.models.registry",),
        alone=True,
        outside=True,
    ),
    Layer(
        "planish_integrations.models.foreign",
        "Says what is in it.",
        alone=True,
        outside=True,
    ),
    Layer(
        "planish_integrations.sandboxes",
        "Says what is in it.",
        alone=True,
        outside=True,
    ),
    Layer(
        "planish_integrations.models.foreign.errors",
        "What the adapters of other libraries share: their errors as planish's.",
        uses=PUBLIC,
        outside=True,
    ),
    Layer(
        "planish_integrations.models.foreign.secrets",
        "The secrets of other libraries' models are replaced as those of planish's own.",
        uses=(_TRANSPORT,),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.foreign.failures",
        "What a failed call of another library's model has used, and how its error is shown.",
        uses=(*PUBLIC, f"{_FOREIGN}.errors", f"{_FOREIGN}.secrets", _TRANSPORT),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.foreign.tables",
        "The same tables of prices and finish reasons for the models of other libraries.",
        uses=(*PUBLIC, "planish_integrations.models.transport"),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.foreign.callables",
        "Any callable as a model.",
        uses=(*PUBLIC, f"{_FOREIGN}.errors", f"{_FOREIGN}.failures", f"{_FOREIGN}.secrets"),
        packages=("anyio",),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.foreign.pydantic_ai",
        "pydantic-ai's agents and models as ours, our pipelines as its tools.",
        uses=(*PUBLIC, f"{_FOREIGN}.errors", f"{_FOREIGN}.failures", f"{_FOREIGN}.tables"),
        packages=("anyio", "pydantic_ai", "pydantic"),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.foreign.langchain",
        "LangChain's chat models as ours, our pipelines as its Runnables.",
        uses=(
            *(*PUBLIC, f"{_FOREIGN}.errors", f"{_FOREIGN}.failures", f"{_FOREIGN}.tables"),
            f"{_FOREIGN}.secrets",
        ),
        packages=("anyio", "langchain_core"),
        outside=True,
    ),
    Layer(
        "planish_integrations.models.foreign.litellm",
        "A LiteLLM router as a model.",
        uses=(
            *(*PUBLIC, f"{_FOREIGN}.errors", f"{_FOREIGN}.failures", f"{_FOREIGN}.tables"),
            f"{_FOREIGN}.secrets",
        ),
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
        _HOST,
        "The host's half of running a program, which all sandboxes share.",
        uses=PUBLIC,
        packages=("anyio",),
        outside=True,
    ),
    Layer(
        "planish_integrations.sandboxes.unsafe",
        "Programs as plain processes of this machine, with limits.",
        uses=(*PUBLIC, _HOST),
        packages=("anyio",),
        outside=True,
    ),
    Layer(
        "planish_integrations.sandboxes.local",
        "Programs on this machine, isolated from it: forked from template processes that have"
        " the verifier's modules loaded.",
        uses=(*PUBLIC, "planish.verification", "planish_integrations.environments", _HOST),
        packages=("anyio",),
        outside=True,
    ),
    Layer(
        "planish_integrations.sandboxes.e2b",
        "The SDK of E2B, and what it needs to be relied on; names of secrets are those of models.",
        uses=(*PUBLIC, _HOST, _TRANSPORT),
        packages=("anyio", "e2b", "e2b_code_interpreter", "httpx"),
        outside=True,
    ),
    Layer(
        "planish_integrations.sandboxes.containers",
        "Docker's and Podman's command line as a sandbox.",
        uses=(*PUBLIC, "planish_integrations.environments", _HOST),
        packages=("anyio",),
        outside=True,
    ),
    Layer(
        "planish_integrations.testing",
        "Servers on loopback that speak the real protocols, for anybody's tests.",
        uses=PUBLIC,
        packages=(
            *("anyio", "connectrpc", "e2b", "e2b_code_interpreter", "h11", "httpx"),
            *("jupyter_client", "protobuf", "zmq"),
        ),
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
    *(
        Layer(name, "A short import path.", uses=(room,), alone=True, outside=True)
        for name, room in SHORT.items()
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
        uses=(*PUBLIC, *_INTEGRATIONS, *SHORT),
        packages=("anyio", "opentelemetry", "opentelemetry.sdk"),
        apart=True,
        outside=True,
    ),
)

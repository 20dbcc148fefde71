"""The house from the ground up: what each part stands on, and why. The one place that says so.

Arrows point down this table only, so it can hold no circle.
"""

from collections.abc import Mapping, Sequence

from tests.house.guest import GUEST
from tests.house.layer import Layer
from tests.house.outside import OUTSIDE

__all__ = ["EXCEPTIONS", "LAYERS", "layer_of"]

_VALUES = ("planish.data", "planish.errors")
_CONTRACTS = (*_VALUES, "planish.abc")
_OBSERVED = (*_VALUES, "planish.context", "planish.telemetry")
LAYERS: Sequence[Layer] = (
    *GUEST,
    Layer("planish.compiling", "How the compiler is called: by everything that reads source."),
    Layer("planish.loading", "How a package loads its names on their first use: by any package."),
    Layer("planish.representation", "Formats any value; needs to know none."),
    Layer("planish.fingerprint", "Names any configuration by a digest; needs to know none."),
    Layer(
        "planish.configuration",
        "Records the arguments of any constructor; steps, judges and stop rules are built on it.",
        uses=("planish.fingerprint", "planish.representation"),
    ),
    Layer(
        "planish.arguments", "Checks any constructor's arguments; values and steps alike use it."
    ),
    Layer("planish.errors", "Whatever can fail needs them, so they need nothing."),
    Layer(
        "planish.data",
        "Values that know only each other; pydantic is loaded when one is serialised, and "
        "matplotlib when a report is drawn.",
        uses=("planish.arguments", "planish.compiling", "planish.errors", "planish.loading"),
        packages=("matplotlib", "pydantic", "pydantic_core"),
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
    Layer(
        "planish.stores",
        "Stores in memory and in a folder are two implementations of a contract.",
        uses=("planish.abc", "planish.arguments"),
        packages=("anyio",),
    ),
    Layer(
        "planish.extraction",
        "Text in, text out: testable on a million replies, no loop.",
        uses=("planish.compiling", "planish.loading"),
    ),
    Layer(
        "planish.previews",
        "Large values in a few lines, as sessions show their variables.",
        uses=("planish.guest.protocol",),
    ),
    Layer(
        "planish.prompts",
        "A pure function of a task; texts are cut as in evidence.",
        uses=(*_VALUES, "planish.guest.protocol", "planish.previews"),
    ),
    Layer(
        "planish.verification",
        "Program text out, evidence in: pure on both sides of the sandbox.",
        uses=(
            *_CONTRACTS,
            "planish.arguments",
            "planish.compiling",
            "planish.guest.protocol",
            "planish.loading",
        ),
    ),
    Layer(
        "planish.stop",
        "Pure rules over a history; time is handed in.",
        uses=(*_VALUES, "planish.arguments", "planish.configuration"),
    ),
    Layer(
        "planish.feedback",
        "Pure: findings of executions, feedback of reports.",
        uses=(
            *_VALUES,
            "planish.arguments",
            "planish.compiling",
            "planish.configuration",
            "planish.loading",
        ),
    ),
    Layer(
        "planish.judges",
        "Pure rules over evidence.",
        uses=(*_VALUES, "planish.configuration", "planish.feedback", "planish.loading"),
    ),
    Layer(
        "planish.rules",
        "Pure rules over the syntax tree of a candidate.",
        uses=(*_VALUES, "planish.arguments", "planish.compiling", "planish.configuration"),
    ),
    Layer(
        "planish.context",
        "The surroundings of a run, in one context variable that all rooms above read.",
        uses=(*_CONTRACTS, "planish.arguments", "planish.clock"),
        packages=("anyio", "opentelemetry"),
    ),
    Layer(
        "planish.telemetry",
        "Wraps runs and steps; steps contain no telemetry.",
        uses=(*_VALUES, "planish.context", "planish.representation"),
        packages=("anyio", "opentelemetry"),
    ),
    Layer(
        "planish.effects",
        "All calls of models and sandboxes, each with budget, span and ledger.",
        uses=(*_OBSERVED, "planish.abc"),
        packages=("opentelemetry",),
    ),
    Layer(
        "planish.structured",
        "An answer of a given schema is asked for as any other is: through the effect.",
        uses=(*_VALUES, "planish.abc", "planish.effects", "planish.extraction"),
        packages=("pydantic",),
    ),
    Layer(
        "planish.runtime",
        "The base class of all primitives and what they share; it knows its tracing, and none of "
        "its subclasses.",
        uses=(
            *_OBSERVED,
            "planish.abc",
            "planish.configuration",
            "planish.representation",
        ),
        packages=("anyio", "opentelemetry"),
    ),
    Layer(
        "planish.events",
        "The public place of events: their types, and two ways to receive those of a run.",
        uses=(
            "planish.data.events",
            "planish.errors",
            "planish.context",
            "planish.telemetry",
            "planish.runtime",
        ),
        packages=("anyio",),
    ),
    Layer(
        "planish.combinators",
        "Made of other primitives, whichever they are: siblings meet through values and `>>`.",
        uses=(
            *_OBSERVED,
            "planish.abc",
            "planish.arguments",
            "planish.clock",
            "planish.configuration",
            "planish.effects",
            "planish.feedback",
            "planish.judges",
            "planish.runtime",
            "planish.stop",
        ),
        packages=("anyio", "opentelemetry"),
        apart=True,
    ),
    Layer(
        "planish.steps",
        "What a pipeline is made of: siblings meet through values and `>>`.",
        uses=(
            *_OBSERVED,
            "planish.abc",
            "planish.arguments",
            "planish.effects",
            "planish.extraction",
            "planish.verification",
            "planish.judges",
            "planish.loading",
            "planish.rules",
            "planish.prompts",
            "planish.runtime",
            "planish.structured",
        ),
        packages=("anyio", "opentelemetry"),
        apart=True,
    ),
    Layer(
        "planish",
        "The public names, gathered; nothing inside imports them from here.",
        uses=(
            *_CONTRACTS,
            "planish.runtime",
            "planish.effects",
            "planish.events",
            "planish.judges",
            "planish.combinators",
            "planish.context",
            "planish.steps",
            "planish.telemetry",
        ),
        alone=True,
    ),
    Layer(
        "planish.__main__",
        "Starts the command by the name of its module; imports nothing of it.",
        alone=True,
    ),
    Layer(
        "planish.testing",
        "Doubles and kits for users: on the contracts, so that they hold for any implementer.",
        uses=(*_CONTRACTS, "planish.arguments", "planish.clock", "planish.context"),
        packages=("anyio", "opentelemetry", "opentelemetry.sdk"),
    ),
    *OUTSIDE,
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

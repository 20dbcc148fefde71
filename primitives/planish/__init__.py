"""Typed async primitives that turn a requirement into code that has been seen to work.

They compose with `>>` (then), `&` (both) and `|` (either). The names here are those that most
programs use; each is loaded when it is first used. Others stand where they belong: values in
`planish.data`, errors in `planish.errors`, events in `planish.events`, contracts for models and
sandboxes in `planish.abc`, stop rules in `planish.stop`, judges in `planish.judges`, calls to
models and sandboxes from a step of your own in `planish.effects`, test doubles in
`planish.testing`. `docs/architecture.md` says what is in each module.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planish.combinators.accept import Accept
    from planish.combinators.best_of import BestOf
    from planish.combinators.cache import Cache
    from planish.combinators.escalate import Escalate
    from planish.combinators.fallback import Fallback
    from planish.combinators.map import Map
    from planish.combinators.parallel import Parallel
    from planish.combinators.race import Race
    from planish.combinators.retry import Retry
    from planish.combinators.route import Route
    from planish.combinators.sequential import Sequential
    from planish.combinators.timeout import Timeout
    from planish.context.budget import budget
    from planish.data.candidate import Candidate
    from planish.data.execution import Execution
    from planish.data.report import Report
    from planish.data.task import Task
    from planish.data.verdict import Verdict
    from planish.errors import PlanishError
    from planish.runtime.primitive import Primitive
    from planish.steps.execution import CodeExecution
    from planish.steps.function import step
    from planish.steps.generator import CodeGenerator
    from planish.steps.policy import CodePolicy
    from planish.steps.validator import Validator

__version__ = "0.1.0"

__all__ = [
    "Accept",
    "BestOf",
    "Cache",
    "Candidate",
    "CodeExecution",
    "CodeGenerator",
    "CodePolicy",
    "Escalate",
    "Execution",
    "Fallback",
    "Map",
    "Parallel",
    "PlanishError",
    "Primitive",
    "Race",
    "Report",
    "Retry",
    "Route",
    "Sequential",
    "Task",
    "Timeout",
    "Validator",
    "Verdict",
    "__version__",
    "budget",
    "step",
]

_HOME_OF = {
    "Accept": "combinators.accept",
    "BestOf": "combinators.best_of",
    "Cache": "combinators.cache",
    "Candidate": "data.candidate",
    "CodeExecution": "steps.execution",
    "CodeGenerator": "steps.generator",
    "CodePolicy": "steps.policy",
    "Escalate": "combinators.escalate",
    "Execution": "data.execution",
    "Fallback": "combinators.fallback",
    "Map": "combinators.map",
    "Parallel": "combinators.parallel",
    "PlanishError": "errors",
    "Primitive": "runtime.primitive",
    "Race": "combinators.race",
    "Report": "data.report",
    "Retry": "combinators.retry",
    "Route": "combinators.route",
    "Sequential": "combinators.sequential",
    "Task": "data.task",
    "Timeout": "combinators.timeout",
    "Validator": "steps.validator",
    "Verdict": "data.verdict",
    "budget": "context.budget",
    "step": "steps.function",
}

# What `>>`, `&` and `|` make, and plain functions become: imported, they register themselves.
_OPERATORS = (
    "combinators.parallel",
    "combinators.race",
    "combinators.sequential",
    "steps.function",
)

# Where other public names are, for the error that a name is not here.
_ELSEWHERE = (
    *("data", "errors", "events", "abc", "judges", "effects", "stop", "rules", "feedback"),
    "combinators.repair",
)

if not TYPE_CHECKING:  # else a checker takes any name for an object, misspelt ones too

    def __getattr__(name: str) -> object:
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module 'planish' has no attribute {name!r}{_place(name)}")
        if home.startswith(("runtime", "combinators", "steps")):
            for module in _OPERATORS:
                import_module(f"planish.{module}")
        value: object = getattr(import_module(f"planish.{home}"), name)
        globals()[name] = value
        return value


def _place(name: str) -> str:
    """Return where a name is that is not here, for an error message; or nothing."""
    from importlib.util import find_spec  # noqa: PLC0415 - for errors only

    if name.startswith("_") or find_spec(f"planish.{name}") is not None:
        return ""
    for module in _ELSEWHERE:
        if hasattr(import_module(f"planish.{module}"), name):
            return f"; it is in planish.{module}"
    return ""


def __dir__() -> list[str]:
    return __all__

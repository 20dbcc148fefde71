"""planish: from a requirement to code that has been seen to work.

Small typed async primitives that compose with `>>` (then), `&` (both) and `|` (either).

Each name is loaded when it is first used, so that a program pays for what it uses.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planish.abc import Clock, Model, Outcome, Sandbox, Session, TakesFeedback
    from planish.base import Primitive
    from planish.data.candidate import Candidate
    from planish.data.display import Display
    from planish.data.execution import Execution, Failure, TestResult
    from planish.data.feedback import Feedback, Issue
    from planish.data.isolation import GUARANTEES, Guarantee
    from planish.data.message import Message, Reply, Request
    from planish.data.program import Completed, Limits, Program
    from planish.data.report import Attempt, Branch, Report
    from planish.data.session import Variable
    from planish.data.status import Status
    from planish.data.task import Task
    from planish.data.tests import Assertions, Case, Cases, PytestFile, Stdio, StdioPairs
    from planish.data.usage import Usage
    from planish.data.verdict import Finding, Verdict
    from planish.effects import ask, execute, proceed
    from planish.errors import (
        AuthenticationError,
        BudgetExceededError,
        CircuitOpenError,
        DeadlineError,
        InfrastructureError,
        LimitError,
        MisuseError,
        ModelError,
        OverloadedError,
        PlanishError,
        RateLimitError,
        RecordingError,
        RequestError,
        SandboxError,
        SandboxLostError,
        TaskError,
        UnknownModelError,
        UnsupportedError,
        WiringError,
        report_of,
    )
    from planish.judges import all_of, any_of, tests_pass, weighted
    from planish.primitives.best_of import BestOf
    from planish.primitives.cache import Cache, MemoryStore
    from planish.primitives.escalate import Escalate
    from planish.primitives.execution import CodeExecution
    from planish.primitives.fallback import Fallback
    from planish.primitives.generator import CodeGenerator
    from planish.primitives.map import Done, Map
    from planish.primitives.parallel import Parallel
    from planish.primitives.race import Race
    from planish.primitives.retry import Retry
    from planish.primitives.route import Route
    from planish.primitives.sequential import Sequential
    from planish.primitives.step import Step, step
    from planish.primitives.timeout import Timeout
    from planish.primitives.validator import Validator
    from planish.scopes.events import (
        AttemptStarted,
        BranchEnded,
        CodeExecuted,
        CodeGenerated,
        Event,
        Judged,
        RunEnded,
        RunStarted,
        Stopped,
        TokensReceived,
    )
    from planish.scopes.limits import limits
    from planish.scopes.listen import listen
    from planish.scopes.watch import watch
    from planish.tracing.logs import add_run_context

__version__ = "0.1.0"

__all__ = [
    "GUARANTEES",
    "Assertions",
    "Attempt",
    "AttemptStarted",
    "AuthenticationError",
    "BestOf",
    "Branch",
    "BranchEnded",
    "BudgetExceededError",
    "Cache",
    "Candidate",
    "Case",
    "Cases",
    "CircuitOpenError",
    "Clock",
    "CodeExecuted",
    "CodeExecution",
    "CodeGenerated",
    "CodeGenerator",
    "Completed",
    "DeadlineError",
    "Display",
    "Done",
    "Escalate",
    "Event",
    "Execution",
    "Failure",
    "Fallback",
    "Feedback",
    "Finding",
    "Guarantee",
    "InfrastructureError",
    "Issue",
    "Judged",
    "LimitError",
    "Limits",
    "Map",
    "MemoryStore",
    "Message",
    "MisuseError",
    "Model",
    "ModelError",
    "Outcome",
    "OverloadedError",
    "Parallel",
    "PlanishError",
    "Primitive",
    "Program",
    "PytestFile",
    "Race",
    "RateLimitError",
    "RecordingError",
    "Reply",
    "Report",
    "Request",
    "RequestError",
    "Retry",
    "Route",
    "RunEnded",
    "RunStarted",
    "Sandbox",
    "SandboxError",
    "SandboxLostError",
    "Sequential",
    "Session",
    "Status",
    "Stdio",
    "StdioPairs",
    "Step",
    "Stopped",
    "TakesFeedback",
    "Task",
    "TaskError",
    "TestResult",
    "Timeout",
    "TokensReceived",
    "UnknownModelError",
    "UnsupportedError",
    "Usage",
    "Validator",
    "Variable",
    "Verdict",
    "WiringError",
    "__version__",
    "add_run_context",
    "all_of",
    "any_of",
    "ask",
    "execute",
    "limits",
    "listen",
    "proceed",
    "report_of",
    "step",
    "tests_pass",
    "watch",
    "weighted",
]

_HOMES = {
    "abc": "Clock Model Outcome Sandbox Session TakesFeedback",
    "base": "Primitive",
    "data.candidate": "Candidate",
    "data.display": "Display",
    "data.execution": "Execution Failure TestResult",
    "data.feedback": "Feedback Issue",
    "data.isolation": "GUARANTEES Guarantee",
    "data.message": "Message Reply Request",
    "data.program": "Completed Limits Program",
    "data.report": "Attempt Branch Report",
    "data.session": "Variable",
    "data.status": "Status",
    "data.task": "Task",
    "data.tests": "Assertions Case Cases PytestFile Stdio StdioPairs",
    "data.usage": "Usage",
    "data.verdict": "Finding Verdict",
    "effects": "ask execute proceed",
    "errors": "AuthenticationError BudgetExceededError CircuitOpenError DeadlineError "
    "InfrastructureError UnknownModelError "
    "LimitError MisuseError ModelError OverloadedError PlanishError RateLimitError "
    "RecordingError RequestError SandboxError SandboxLostError TaskError UnsupportedError "
    "WiringError report_of",
    "judges": "all_of any_of tests_pass weighted",
    "primitives.best_of": "BestOf",
    "primitives.cache": "Cache MemoryStore",
    "primitives.escalate": "Escalate",
    "primitives.execution": "CodeExecution",
    "primitives.fallback": "Fallback",
    "primitives.generator": "CodeGenerator",
    "primitives.map": "Done Map",
    "primitives.parallel": "Parallel",
    "primitives.race": "Race",
    "primitives.retry": "Retry",
    "primitives.route": "Route",
    "primitives.sequential": "Sequential",
    "primitives.step": "Step step",
    "primitives.timeout": "Timeout",
    "primitives.validator": "Validator",
    "scopes.events": "AttemptStarted BranchEnded CodeExecuted CodeGenerated Event Judged RunEnded "
    "RunStarted Stopped TokensReceived",
    "scopes.limits": "limits",
    "scopes.listen": "listen",
    "scopes.watch": "watch",
    "tracing.logs": "add_run_context",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


if not TYPE_CHECKING:  # else a checker takes any name for an object, misspelt ones too

    def __getattr__(name: str) -> object:
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module 'planish' has no attribute {name!r}")
        if home.startswith(("base", "primitives")):
            import_module("planish.operators")
        value: object = getattr(import_module(f"planish.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__

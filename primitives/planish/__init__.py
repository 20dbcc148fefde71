"""planish: from a requirement to code that has been seen to work.

Small typed async primitives that compose with `>>` (then), `&` (both) and `|` (either).

Each name is loaded when it is first used, so that a program pays for what it uses.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planish.abc import AcceptsFeedback, Clock, Model, Outcome, Sandbox, Session
    from planish.combinators.best_of import BestOf
    from planish.combinators.cache import Cache, MemoryStore
    from planish.combinators.escalate import Escalate
    from planish.combinators.fallback import Fallback
    from planish.combinators.map import ItemResult, Map
    from planish.combinators.parallel import Parallel
    from planish.combinators.race import Race
    from planish.combinators.retry import Retry
    from planish.combinators.route import Route
    from planish.combinators.sequential import Sequential
    from planish.combinators.timeout import Timeout
    from planish.context.budget import budget
    from planish.data.candidate import Candidate
    from planish.data.execution import Execution, Failure, TestResult
    from planish.data.feedback import Feedback, Issue
    from planish.data.message import Message, Reply, Request
    from planish.data.program import Completed, Program, ResourceLimits
    from planish.data.report import Attempt, Branch, Report
    from planish.data.sandbox import GUARANTEES, Display, Guarantee, Variable
    from planish.data.status import Status
    from planish.data.task import Task
    from planish.data.tests import Assertions, Case, Cases, PytestFile, Stdio, StdioPairs
    from planish.data.usage import Usage
    from planish.data.verdict import Finding, Verdict
    from planish.effects import ask, execute, execute_step
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
    from planish.events import (
        AttemptStarted,
        BranchEnded,
        CandidateJudged,
        CodeExecuted,
        CodeGenerated,
        Event,
        LoopStopped,
        RunEnded,
        RunStarted,
        TokensReceived,
        listen,
        watch,
    )
    from planish.judges import all_of, any_of, tests_pass, weighted
    from planish.runtime.primitive import Primitive
    from planish.steps.execution import CodeExecution
    from planish.steps.function import Step, step
    from planish.steps.generator import CodeGenerator
    from planish.steps.validator import Validator
    from planish.telemetry.logs import add_run_context

__version__ = "0.1.0"

__all__ = [
    "GUARANTEES",
    "AcceptsFeedback",
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
    "CandidateJudged",
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
    "ItemResult",
    "LimitError",
    "LoopStopped",
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
    "ResourceLimits",
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
    "budget",
    "execute",
    "execute_step",
    "listen",
    "report_of",
    "step",
    "tests_pass",
    "watch",
    "weighted",
]

_HOMES = {
    "abc": "Clock Model Outcome Sandbox Session AcceptsFeedback",
    "runtime.primitive": "Primitive",
    "data.candidate": "Candidate",
    "data.execution": "Execution Failure TestResult",
    "data.feedback": "Feedback Issue",
    "data.message": "Message Reply Request",
    "data.program": "Completed ResourceLimits Program",
    "data.report": "Attempt Branch Report",
    "data.sandbox": "GUARANTEES Display Guarantee Variable",
    "data.status": "Status",
    "data.task": "Task",
    "data.tests": "Assertions Case Cases PytestFile Stdio StdioPairs",
    "data.usage": "Usage",
    "data.verdict": "Finding Verdict",
    "effects": "ask execute execute_step",
    "errors": "AuthenticationError BudgetExceededError CircuitOpenError DeadlineError "
    "InfrastructureError UnknownModelError "
    "LimitError MisuseError ModelError OverloadedError PlanishError RateLimitError "
    "RecordingError RequestError SandboxError SandboxLostError TaskError UnsupportedError "
    "WiringError report_of",
    "judges": "all_of any_of tests_pass weighted",
    "combinators.best_of": "BestOf",
    "combinators.cache": "Cache MemoryStore",
    "combinators.escalate": "Escalate",
    "steps.execution": "CodeExecution",
    "combinators.fallback": "Fallback",
    "steps.generator": "CodeGenerator",
    "combinators.map": "ItemResult Map",
    "combinators.parallel": "Parallel",
    "combinators.race": "Race",
    "combinators.retry": "Retry",
    "combinators.route": "Route",
    "combinators.sequential": "Sequential",
    "steps.function": "Step step",
    "combinators.timeout": "Timeout",
    "steps.validator": "Validator",
    "events": "AttemptStarted BranchEnded CandidateJudged CodeExecuted CodeGenerated Event "
    "LoopStopped RunEnded RunStarted TokensReceived listen watch",
    "context.budget": "budget",
    "telemetry.logs": "add_run_context",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


if not TYPE_CHECKING:  # else a checker takes any name for an object, misspelt ones too

    def __getattr__(name: str) -> object:
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module 'planish' has no attribute {name!r}")
        if home.startswith(("runtime", "combinators", "steps")):
            import_module("planish.operators")
        value: object = getattr(import_module(f"planish.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__

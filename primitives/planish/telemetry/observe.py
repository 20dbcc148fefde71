"""How a run starts, and how its steps are watched. Everything here wraps; nothing decides.

Whether anybody looks is decided once a run. If nobody does, steps are called directly.
"""

import math
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import lru_cache
from types import TracebackType
from typing import Any, ClassVar, Protocol, TypeVar, cast

import anyio
from opentelemetry import metrics
from opentelemetry.trace import Span

from planish.context.ledger import Ledger, empty_report, returns_report
from planish.context.scope import Scope, ScopeOverride
from planish.data.candidate import Candidate
from planish.data.events import RunEnded, RunStarted
from planish.data.execution import Execution
from planish.data.report import Report
from planish.data.usage import Usage
from planish.errors import BudgetExceededError, LimitError, attach_report
from planish.telemetry import names
from planish.telemetry.emit import emit
from planish.telemetry.logs import is_logging
from planish.telemetry.metrics import instruments, timed
from planish.telemetry.results import attributes_of, evaluate, event_of
from planish.telemetry.spans import Attributes, Section, error_type, section, tracer_of

__all__ = ["Observed", "observe_step", "start_run"]

Value = TypeVar("Value")
Result = TypeVar("Result")


_PIPELINE_CHARS = 1000


class Observed(Protocol):
    """What watching needs to know of a step."""

    operation: ClassVar[str]
    records_result: ClassVar[bool]
    delegates: ClassVar[bool]

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def signature(self) -> tuple[Any, Any]: ...  # noqa: D102


Call = Callable[[Value], Awaitable[Result]]
"""What a step does, without anything around it."""


async def start_run(
    step: Observed, call: Call[Value, Result], value: Value, around: Scope
) -> Result:
    """Run the outermost step: one trace, one ledger, all limits."""
    tracer = tracer_of(around)
    span = tracer.start_span(
        f"invoke_workflow {step.name}",
        attributes={names.OPERATION: "invoke_workflow", names.WORKFLOW_NAME: step.name},
    )
    traced = span.is_recording()
    scope = replace(
        around,
        running=True,
        unobserved=not (traced or around.listeners or is_logging() or _is_measured(around)),
        tracer=tracer if traced else None,
        ledger=Ledger(around.ledger),
    )
    workflow = timed(instruments(scope).workflow, {names.WORKFLOW_NAME: step.name})
    with Section(span), ScopeOverride(scope), workflow:
        if scope.unobserved:
            return await _run_within_limits(step, call, value, scope)
        if traced:
            span.set_attribute(names.PIPELINE, repr(step)[:_PIPELINE_CHARS])
        with _RunEvents(repr(step), scope.path):
            result = await _run_within_limits(step, call, value, scope)
            span.set_attributes(attributes_of(result))
        return result


class _RunEvents:
    """Tells that a run starts and ends."""

    __slots__ = ("_path", "_pipeline")

    def __init__(self, pipeline: str, path: str) -> None:
        self._pipeline = pipeline
        self._path = path

    def __enter__(self) -> None:
        emit(RunStarted(pipeline=self._pipeline, path=self._path))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        failed = None if error is None else error_type(error)
        emit(RunEnded(pipeline=self._pipeline, error=failed, path=self._path))


def _is_measured(scope: Scope) -> bool:
    # The API's own providers record nothing.
    provider = scope.meter_provider or metrics.get_meter_provider()
    return not type(provider).__module__.startswith("opentelemetry.metrics")


async def _run_within_limits(
    step: Observed, call: Call[Value, Result], value: Value, scope: Scope
) -> Result:
    """Run under the limits around; when one is reached, give what there is to report."""
    book = scope.ledger or Ledger()
    ends = [(b.deadline, b) for b in scope.budgets if b.deadline is not None]
    deadline, budget = min(ends, key=lambda end: end[0], default=(math.inf, None))
    try:
        if budget is None:
            return await _step(step, call, value, scope)
        with anyio.CancelScope(deadline=deadline):
            return await _step(step, call, value, scope)
        raise budget.exceeded("seconds")
    except LimitError as error:
        report = book.partial_report(_reason(error)) or error.report
        report = report or empty_report(value, _reason(error), book.usage)
        if report is not None and returns_report(step.signature):
            return cast("Result", report)
        error.report = report
        book.merge_into_parent()
        raise
    except Exception as error:
        attach_report(error, book.partial_report("error"))
        book.merge_into_parent()
        raise
    except BaseException:
        book.merge_into_parent()
        raise


def _reason(error: LimitError) -> str:
    return "budget" if isinstance(error, BudgetExceededError) else "timeout"


async def _step(step: Observed, call: Call[Value, Result], value: Value, scope: Scope) -> Result:
    book = scope.ledger
    if not scope.unobserved:
        result = await observe_step(step, call, value, scope)
    else:
        result = await call(value)
        if step.records_result and book is not None:
            book.record(result)
    if isinstance(result, Report) and book is not None and _exceeds(book.usage, result.usage):
        # Something was paid for that no part of the report knows of: planning, say.
        return cast("Result", replace(result, usage=book.usage))
    return result


def _exceeds(used: Usage, told: Usage) -> bool:
    return used.model_calls > told.model_calls or used.sandbox_runs > told.sandbox_runs


async def observe_step(
    step: Observed, call: Call[Value, Result], value: Value, scope: Scope
) -> Result:
    """Run one step in a span of its own; say what came of it."""
    if step.operation != "invoke_agent":
        return await _run_in_span(step, call, value, scope)
    with timed(instruments(scope).agent, {names.AGENT_NAME: step.name}):
        return await _run_in_span(step, call, value, scope)


async def _run_in_span(
    step: Observed, call: Call[Value, Result], value: Value, scope: Scope
) -> Result:
    with section(*_span_name_and_attributes(step.operation, step.name)) as span:
        result = await call(value)
        if isinstance(result, Candidate | Execution | Report):
            _report_result(step, result, scope, span)
    return result


def _report_result(
    step: Observed, result: Candidate | Execution | Report, scope: Scope, span: Span
) -> None:
    operation = step.operation
    span.set_attributes(attributes_of(result))
    if step.records_result and scope.ledger is not None:
        scope.ledger.record(result)
    if operation == "evaluate" and isinstance(result, Report):
        evaluate(result, scope, span)
    if not step.delegates:
        event = event_of(result, operation, {"path": scope.path, "attempt": scope.attempt})
        if event is not None:
            emit(event)


@lru_cache(maxsize=1024)
def _span_name_and_attributes(operation: str, name: str) -> tuple[str, Attributes]:
    if operation == "invoke_agent":
        return f"invoke_agent {name}", {
            names.OPERATION: operation,
            names.AGENT_NAME: name,
            names.STEP: name,
        }
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return f"planish.{snake}", {names.STEP: name}

"""Start runs and observe their steps.

Whether a run is observed is decided once, when it starts. If it is not, its steps are called
directly. Observation does not change results.
"""

import math
import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import lru_cache
from types import TracebackType
from typing import Any, ClassVar, Protocol, TypeVar, cast

from opentelemetry import metrics
from opentelemetry.trace import Span

from planish.context.ledger import Ledger
from planish.context.partial_reports import empty_report, returns_report
from planish.context.path import Path, current_path
from planish.context.replay import run_until
from planish.context.scope import Scope, ScopeOverride, changed
from planish.context.turns import take_turn
from planish.data.candidate import Candidate
from planish.data.events import RunEnded, RunStarted
from planish.data.execution import Execution
from planish.data.record import Record
from planish.data.report import Report
from planish.data.usage import Usage
from planish.errors import BudgetExceededError, LimitError, Suspended, attach_report
from planish.representation import format_bounded
from planish.telemetry import names
from planish.telemetry.content import record_execution
from planish.telemetry.logs import emit, is_logging, noting_listener_errors
from planish.telemetry.metrics import instruments, timed
from planish.telemetry.results import attributes_of, event_of, record_verdict
from planish.telemetry.spans import Attributes, SpanScope, error_type, span_scope, tracer_of

__all__ = ["ObservableStep", "observe_step", "start_run"]

Value = TypeVar("Value")
Result = TypeVar("Result")


_PIPELINE_CHARS = 1000


class ObservableStep(Protocol):
    """What must be known of a step to observe it."""

    operation: ClassVar[str]
    records_result: ClassVar[bool]
    delegates: ClassVar[bool]

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def signature(self) -> tuple[Any, Any]: ...  # noqa: D102


Call = Callable[[Value], Awaitable[Result]]
"""A step's own code, without telemetry."""


async def start_run(
    step: ObservableStep, call: Call[Value, Result], value: Value, outer: Scope
) -> Result:
    """Run the outermost step of a pipeline, with a new trace and ledger, within all budgets.

    Args:
        step: The step.
        call: Its own code.
        value: Its input.
        outer: The scope of the caller.
    """
    await take_turn()
    tracer = tracer_of(outer)
    span = tracer.start_span(
        f"invoke_workflow {step.name}",
        attributes={names.OPERATION: "invoke_workflow", names.WORKFLOW_NAME: step.name},
    )
    traced = span.is_recording()
    unobserved = not (traced or outer.listeners or is_logging() or _is_measured(outer))
    scope = changed(
        outer,
        running=True,
        unobserved=unobserved,
        run_id=outer.run_id or ("" if unobserved else os.urandom(8).hex()),
        tracer=tracer if traced else None,
        ledger=Ledger(outer.ledger),
    )
    workflow = timed(instruments(scope).workflow, {names.WORKFLOW_NAME: step.name})
    with SpanScope(span), ScopeOverride(scope), workflow:
        if scope.unobserved:
            return await _run_within_limits(step, call, value, scope)
        pipeline = format_bounded(step, _PIPELINE_CHARS)
        if traced:
            span.set_attribute(names.PIPELINE, pipeline)
        with _RunEvents(pipeline, current_path()):
            result = await _run_within_limits(step, call, value, scope)
            span.set_attributes(attributes_of(result))
        return result


class _RunEvents:
    """A `with` block that emits `RunStarted` and `RunEnded`."""

    __slots__ = ("_path", "_pipeline")

    def __init__(self, pipeline: str, path: Path) -> None:
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
        if error is None:
            emit(RunEnded(pipeline=self._pipeline, error=None, path=self._path))
            return
        event = RunEnded(pipeline=self._pipeline, error=error_type(error), path=self._path)
        with noting_listener_errors(error):
            emit(event)


def _is_measured(scope: Scope) -> bool:
    # The API's own providers record nothing.
    provider = scope.meter_provider or metrics.get_meter_provider()
    return not type(provider).__module__.startswith("opentelemetry.metrics")


async def _run_within_limits(
    step: ObservableStep, call: Call[Value, Result], value: Value, scope: Scope
) -> Result:
    """Run within the deadlines of the budgets; at a limit, return a report or attach it."""
    ledger = scope.ledger or Ledger()
    limits = [(left, b) for b in scope.budgets if (left := b.seconds_left()) is not None]
    seconds, budget = min(limits, key=lambda pair: pair[0], default=(math.inf, None))
    try:
        if budget is None:
            return await _run_step(step, call, value, scope)
        results = await run_until(
            "budget", lambda: _run_step(step, call, value, scope), seconds, budget.clock, ledger
        )
        if results:
            return results[0]
        raise budget.exceeded("seconds")
    except LimitError as error:
        report = ledger.partial_report(_stop_reason(error)) or error.report
        report = report or empty_report(value, _stop_reason(error), ledger.usage)
        report = None if report is None else ledger.with_trail(report)
        if report is not None and returns_report(step.signature):
            return cast("Result", report)
        error.report = report
        ledger.merge_into_parent()
        raise
    except Exception as error:
        report = ledger.partial_report("error")
        if report is None and ledger.usage != Usage():
            report = empty_report(value, "error", ledger.usage)
        attach_report(error, None if report is None else ledger.with_trail(report))
        ledger.merge_into_parent()
        raise
    except Suspended as suspended:
        report = ledger.partial_report("suspended")
        suspended.report = None if report is None else ledger.with_trail(report)
        ledger.merge_into_parent()
        raise
    except BaseException as error:  # it is cancelled, or Ctrl-C ends it
        report = ledger.partial_report("cancelled")
        attach_report(error, None if report is None else ledger.with_trail(report))
        ledger.merge_into_parent()
        raise


def _stop_reason(error: LimitError) -> str:
    return "budget" if isinstance(error, BudgetExceededError) else "timeout"


async def _run_step(
    step: ObservableStep, call: Call[Value, Result], value: Value, scope: Scope
) -> Result:
    ledger = scope.ledger
    if not scope.unobserved:
        result = await observe_step(step, call, value, scope)
    else:
        result = await call(value)
        if step.records_result and ledger is not None:
            ledger.record(result)
    if not isinstance(result, Report) or ledger is None:
        return result
    report = ledger.complete(result)
    if ledger.usage != report.usage:
        # The ledger alone knows what this run used: a step may return an earlier run's report,
        # and the calls of a branch that failed belong to no attempt.
        report = replace(report, usage=ledger.usage)
    return cast("Result", ledger.with_trail(report))


def observe_step(
    step: ObservableStep, call: Call[Value, Result], value: Value, scope: Scope
) -> Awaitable[Result]:
    """Run one step in a span of its own; record its result and emit its event.

    Not a coroutine function itself, because each coroutine around a step costs it time.

    Args:
        step: The step.
        call: Its own code.
        value: Its input.
        scope: The current scope.
    """
    run = _run_timed if step.operation == "invoke_agent" else _run_in_span
    return run(step, call, value, scope)


async def _run_timed(
    step: ObservableStep, call: Call[Value, Result], value: Value, scope: Scope
) -> Result:
    with timed(instruments(scope).agent, {names.AGENT_NAME: step.name}):
        return await _run_in_span(step, call, value, scope)


async def _run_in_span(
    step: ObservableStep, call: Call[Value, Result], value: Value, scope: Scope
) -> Result:
    with span_scope(*_span_name_and_attributes(step.operation, step.name)) as span:
        result = await call(value)
        if isinstance(result, Candidate | Execution | Report):
            _report_result(step, result, scope, span)
        elif isinstance(result, Record) and step.records_result and scope.ledger is not None:
            scope.ledger.record(result)
    return result


def _report_result(
    step: ObservableStep, result: Candidate | Execution | Report, scope: Scope, span: Span
) -> None:
    operation = step.operation
    span.set_attributes(attributes_of(result))
    if isinstance(result, Execution) and not step.delegates:
        record_execution(span, result)
    if step.records_result and scope.ledger is not None:
        scope.ledger.record(result)
    if operation == "evaluate" and isinstance(result, Report):
        record_verdict(result, scope, span)
    if not step.delegates:
        event = event_of(result, operation, {"path": current_path(), "attempt": scope.attempt})
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

"""The effects: ask a model, execute a program, execute a step of a session.

All calls of models and sandboxes go through these functions. They add budget, span, metrics and
ledger to the bare call. Use them in your own steps that need a model or a sandbox.
"""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace

from opentelemetry.trace import SpanKind
from opentelemetry.util.types import AttributeValue

from planish.abc import Model, Sandbox, Session
from planish.context.admission import Admission, admit
from planish.context.budget import Budget, Reservation
from planish.context.demand import demand_of
from planish.context.path import current_path, path_scope
from planish.context.scope import Scope, current, override_context
from planish.context.turns import take_turn_with_reply
from planish.data.message import Reply, Request
from planish.data.program import Completed, Program
from planish.data.usage import (
    ModelPrice,
    Price,
    Usage,
    attach_usage,
    take_usage,
    uncounted_usage,
)
from planish.errors import BudgetExceededError, ModelError
from planish.telemetry import names
from planish.telemetry.lifecycle import ModelCallEvents, SandboxRunEvents, StreamEvents
from planish.telemetry.metrics import instruments, timed
from planish.telemetry.spans import span_scope, usage_attributes

__all__ = ["ask", "current_path", "execute", "execute_step", "path_scope"]


class _RunReservations:
    """The reservations of one program, one in each budget of the scope."""

    def __init__(self, scope: Scope, reserve: Callable[[Budget], Reservation]) -> None:
        self._scope = scope
        self._reservations: list[tuple[Budget, Reservation]] = []
        try:
            for budget in scope.budgets:
                self._reservations.append((budget, reserve(budget)))
        except BudgetExceededError:
            self.settle(Usage())
            raise

    def settle(self, used: Usage) -> None:
        for budget, reservation in self._reservations:
            budget.settle(reservation, used)
        if self._scope.ledger is not None and used != Usage():
            self._scope.ledger.spend(used)


async def ask(model: Model, request: Request) -> Reply:
    """Send a request to a model, within the scope's budgets, and trace the call.

    The reply is streamed if events have a listener. If a budget has room for the call only after
    calls in flight have ended, it waits for them. If the reply reports no cost, the cost is
    computed from the model's `price` (see `planish.abc.Priced`). Failed and cancelled calls count.

    Args:
        model: The model.
        request: The request.

    Raises:
        BudgetExceededError: a budget has no room for the call; nothing was sent.
        UnsupportedError: a budget limits US dollars and the model has no price; nothing was sent.
        ModelError: as `Model.reply`, and so for its other errors.
    """
    scope = current()
    admission: Admission | None = None
    if scope.budgets:
        priced = any(budget.limits("usd") for budget in scope.budgets)
        demand = demand_of(model, request, priced=priced)
        admission = await admit(scope.budgets, demand, nested=scope.calling)
    used = Usage()
    try:
        with override_context(calling=admission is not None or scope.calling):
            reply = await _chat(model, request, scope)
        used = replace(reply.usage, model_calls=1) + reply.failed_usage
    except BaseException as error:
        used = take_usage(error)
        raise
    finally:
        if admission is not None:
            admission.settle(used)
        if scope.ledger is not None and used != Usage():
            scope.ledger.spend(used)
    await take_turn_with_reply()
    return reply


async def _chat(model: Model, request: Request, scope: Scope) -> Reply:
    meters = instruments(scope)
    stream = StreamEvents(scope)
    dims: dict[str, AttributeValue] = {
        names.OPERATION: "chat",
        names.PROVIDER: model.provider,
        names.REQUEST_MODEL: model.name,
    }
    events = ModelCallEvents(model.name, model.provider, request, scope)
    attributes = dims | _request_attributes(request, streamed=bool(scope.listeners))
    with (
        timed(meters.chat, dims),
        span_scope(f"chat {model.name}", attributes, SpanKind.CLIENT) as span,
        nullcontext() if scope.unobserved else events as call,
    ):
        try:
            reply = await _request_reply(model, request, stream if scope.listeners else None)
        except BaseException as error:
            span.set_attributes(_error_attributes(error))
            meters.count_usage(uncounted_usage(error), dims)
            raise
        reply = _with_cost(model, reply)
        if call is not None:
            call.reply = reply
        if reply.model:
            dims[names.RESPONSE_MODEL] = reply.model
        span.set_attributes(_reply_attributes(reply, stream.seconds))
        if stream.seconds is not None:
            meters.first_chunk.record(stream.seconds, dims)
    meters.count_usage(reply.usage + reply.failed_usage, dims)
    return reply


def _with_cost(model: Model, reply: Reply) -> Reply:
    """Compute a reply's cost from the model's price, unless the reply has one."""
    price: ModelPrice = getattr(model, "price", None)
    if reply.usage.usd or not isinstance(price, Price):
        return reply
    usd = price.cost(reply.usage)
    return replace(reply, usage=replace(reply.usage, usd=usd)) if usd else reply


async def _request_reply(model: Model, request: Request, stream: StreamEvents | None) -> Reply:
    """Call `model.reply`; if a stream fails after its first chunk, repeat without streaming.

    The model itself does not repeat such a request, because its listener cannot take back the
    text that it was sent.
    """
    try:
        return await model.reply(request, stream)
    except ModelError as error:
        if stream is None or stream.seconds is None:
            raise
        resends = error.resends
        used = take_usage(error)
    try:
        reply = await model.reply(request)
    except BaseException as error:
        attach_usage(error, used + take_usage(error))
        raise
    return replace(
        reply, resends=reply.resends + resends + 1, failed_usage=reply.failed_usage + used
    )


def _without_none(values: dict[str, AttributeValue | None]) -> dict[str, AttributeValue]:
    return {name: value for name, value in values.items() if value is not None}


def _request_attributes(request: Request, *, streamed: bool) -> dict[str, AttributeValue]:
    values: dict[str, AttributeValue | None] = {
        names.REQUEST_TEMPERATURE: request.temperature,
        names.REQUEST_MAX_TOKENS: request.max_tokens,
        names.REQUEST_SEED: request.seed,
        names.REQUEST_STOP: request.stop or None,
        names.REQUEST_STREAM: streamed or None,
        names.ATTEMPT: request.attempt,
        names.CANDIDATE: request.candidate,
    }
    return _without_none(values)


def _reply_attributes(
    reply: Reply, seconds_to_first_chunk: float | None
) -> dict[str, AttributeValue]:
    values: dict[str, AttributeValue | None] = {
        **usage_attributes(reply.usage + reply.failed_usage),
        names.RESPONSE_MODEL: reply.model,
        names.RESPONSE_ID: reply.id,
        names.RESPONSE_FINISH: (reply.finish_reason,),
        names.RESEND_COUNT: reply.resends or None,
        names.REQUEST_ID: reply.request_id,
        names.TIME_TO_FIRST_CHUNK: seconds_to_first_chunk,
    }
    return _without_none(values)


def _error_attributes(error: BaseException) -> dict[str, AttributeValue]:
    resends = error.resends if isinstance(error, ModelError) else 0
    request_id: str | None = getattr(error, "request_id", None)
    usage = uncounted_usage(error)
    used = usage_attributes(usage) if usage.tokens else {}
    return _without_none(used | {names.RESEND_COUNT: resends or None, names.REQUEST_ID: request_id})


async def execute(sandbox: Sandbox, program: Program) -> Completed:
    """Run a program in a sandbox, within the scope's budgets, and trace the call.

    Args:
        sandbox: The sandbox.
        program: The program, with its limits.

    Raises:
        BudgetExceededError: a budget has no sandbox time left, or the program used it up.
        SandboxError: as `Sandbox.run`, and so for its other errors.
    """

    async def run(seconds: float) -> Completed:
        limits = program.limits
        if seconds == limits.seconds:
            return await sandbox.run(program)
        return await sandbox.run(replace(program, limits=replace(limits, seconds=seconds)))

    return await _run_within_budgets(sandbox.name, run, program.limits.seconds)


async def execute_step(session: Session, code: str, *, seconds: float = 30.0) -> Completed:
    """Run one step of code in a session, within the scope's budgets, and trace the call.

    Args:
        session: The session; its state is kept for the next step.
        code: The source code of the step.
        seconds: The step's time limit, in wall seconds.

    Raises:
        BudgetExceededError: a budget has no sandbox time left, or the step used it up.
        SandboxError: as `Session.run`, and so for its other errors.
    """

    async def run(seconds: float) -> Completed:
        return await session.run(code, seconds=seconds)

    return await _run_within_budgets(session.name, run, seconds)


async def _run_within_budgets(
    name: str, run: Callable[[float], Awaitable[Completed]], seconds: float
) -> Completed:
    """Call `run` with a time limit: `seconds`, or less if a budget has less left."""
    scope = current()
    reservations = _RunReservations(scope, lambda budget: budget.reserve_run(seconds))
    tightest = min(scope.budgets, key=Budget.sandbox_seconds, default=None)
    allowed = seconds if tightest is None else min(seconds, tightest.sandbox_seconds())
    used = Usage()
    try:
        completed = await _run_tool(name, run, allowed, scope)
        used = Usage(sandbox_runs=1, sandbox_seconds=completed.duration)
    finally:
        reservations.settle(used)
    if tightest is not None and completed.limit == "seconds" and allowed < seconds:
        # The budget ended the program, not its own limit: this is no result of the program.
        raise tightest.exceeded("sandbox_seconds")
    return completed


async def _run_tool(
    name: str, run: Callable[[float], Awaitable[Completed]], seconds: float, scope: Scope
) -> Completed:
    dims: dict[str, AttributeValue] = {
        names.OPERATION: "execute_tool",
        names.TOOL_NAME: name,
        names.TOOL_TYPE: "function",
    }
    span_name = f"execute_tool {name}"
    with (
        timed(instruments(scope).tool, dims),
        span_scope(span_name, dims) as span,
        nullcontext() if scope.unobserved else SandboxRunEvents(name, scope) as call,
    ):
        completed = await run(seconds)
        if call is not None:
            call.completed = completed
        instruments(scope).sandbox_seconds.add(completed.duration, dict(dims))
        values: dict[str, AttributeValue | None] = {
            names.EXIT_CODE: completed.exit_code,
            names.SANDBOX_ISOLATION: completed.isolation,
            names.SANDBOX_GUARANTEES: completed.guarantees or None,
            names.SANDBOX_ID: completed.sandbox_id,
            names.SANDBOX_LIMIT: completed.limit,
        }
        span.set_attributes(_without_none(values))
    return completed

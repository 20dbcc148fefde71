"""The effects: ask a model, run a program, go on in a session. The only calls to the world.

Around the bare call stand the budget (asked before, settled after), the span, the metrics and
the ledger. Whoever writes a step of their own that needs a model or a sandbox uses these.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from opentelemetry.trace import SpanKind
from opentelemetry.util.types import AttributeValue

from planish.abc import Model, Sandbox, Session
from planish.context.admission import admit
from planish.context.budget import Budget, Reservation
from planish.context.demand import demand_of
from planish.context.scope import Scope, current, override_context
from planish.data.events import TokensReceived
from planish.data.message import Reply, Request
from planish.data.program import Completed, Program
from planish.data.usage import ModelPrice, Price, Usage
from planish.errors import BudgetExceededError, ModelError, PlanishError
from planish.telemetry import names
from planish.telemetry.emit import emit
from planish.telemetry.metrics import instruments, timed
from planish.telemetry.spans import section

__all__ = ["ask", "execute", "execute_step"]


class _Reserved:
    """A part of every budget around, held while one program runs."""

    def __init__(self, scope: Scope, reserve: Callable[[Budget], Reservation]) -> None:
        self._scope = scope
        self._held: list[tuple[Budget, Reservation]] = []
        try:
            for budget in scope.budgets:
                self._held.append((budget, reserve(budget)))
        except BudgetExceededError:
            self.settle(Usage())
            raise

    def settle(self, used: Usage) -> None:
        for budget, held in self._held:
            budget.settle(held, used)
        if self._scope.ledger is not None and used != Usage():
            self._scope.ledger.spend(used)


async def ask(model: Model, request: Request) -> Reply:
    """Ask a model, within the budget, traced.

    The answer is streamed when there is a listener to events. Where a budget has room for the
    call only after calls in flight have ended, it waits for them. A reply that reports no cost
    is charged what the model's `price` says (see `planish.abc.Priced`).

    Raises:
        BudgetExceededError: the budget has no room for it; nothing was sent.
        UnsupportedError: money is limited, and the model has no price; nothing was sent.
        ModelError: as `Model.reply`, and so for its other errors.
    """
    scope = current()
    if not scope.budgets:
        reply = await _chat(model, request, scope)
        _spend(scope, reply.usage)
        return reply
    priced = any(budget.limits("usd") for budget in scope.budgets)
    demand = demand_of(model, request, priced=priced)
    admitted = await admit(scope.budgets, demand, nested=scope.calling)
    used = Usage()
    try:
        with override_context(calling=True):
            reply = await _chat(model, request, scope)
        used = replace(reply.usage, model_calls=1)
    finally:
        admitted.settle(used)
    _spend(scope, used)
    return reply


def _spend(scope: Scope, used: Usage) -> None:
    if scope.ledger is not None:
        scope.ledger.spend(replace(used, model_calls=1))


async def _chat(model: Model, request: Request, scope: Scope) -> Reply:
    meters = instruments(scope)
    first = _FirstChunk(scope)
    dims: dict[str, AttributeValue] = {
        names.OPERATION: "chat",
        names.PROVIDER: model.provider,
        names.REQUEST_MODEL: model.name,
    }
    attributes = dims | _request(request, streamed=bool(scope.listeners))
    with (
        timed(meters.chat, dims),
        section(f"chat {model.name}", attributes, SpanKind.CLIENT) as span,
    ):
        try:
            reply = await _request_reply(model, request, first if scope.listeners else None)
        except PlanishError as error:
            span.set_attributes(_known(_refusal(error)))
            raise
        reply = _charged(model, reply)
        if reply.model:
            dims[names.RESPONSE_MODEL] = reply.model
        span.set_attributes(_known(_reply(reply) | {names.TIME_TO_FIRST_CHUNK: first.seconds}))
    if first.seconds is not None:
        meters.first_chunk.record(first.seconds, dims)
    usage = reply.usage
    meters.count_tokens({"input": usage.input_tokens, "output": usage.output_tokens}, dims)
    if usage.usd:
        meters.cost.add(usage.usd, dims)
    return reply


def _charged(model: Model, reply: Reply) -> Reply:
    """Compute a reply's cost from the model's price where the model has not done it."""
    price: ModelPrice = getattr(model, "price", None)
    if reply.usage.usd or not isinstance(price, Price):
        return reply
    usd = price.cost(reply.usage)
    return replace(reply, usage=replace(reply.usage, usd=usd)) if usd else reply


async def _request_reply(model: Model, request: Request, heard: "_FirstChunk | None") -> Reply:
    """Ask; and once more, whole, when a stream breaks that somebody has heard the beginning of.

    A model sends such a request not again: what was heard cannot be taken back.
    """
    try:
        return await model.reply(request, heard)
    except ModelError as error:
        if heard is None or heard.seconds is None:
            raise
        broken = error.resends
    reply = await model.reply(request)
    return replace(reply, resends=reply.resends + broken + 1)


class _FirstChunk:
    """Tells of pieces of text as they arrive, and how long the first one took."""

    __slots__ = ("_begin", "_scope", "seconds")

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._begin = time.perf_counter()
        self.seconds: float | None = None

    def __call__(self, text: str) -> None:
        if self.seconds is None:
            self.seconds = time.perf_counter() - self._begin
        emit(TokensReceived(text=text, path=self._scope.path, attempt=self._scope.attempt))


def _known(values: dict[str, AttributeValue | None]) -> dict[str, AttributeValue]:
    return {name: value for name, value in values.items() if value is not None}


def _request(request: Request, *, streamed: bool) -> dict[str, AttributeValue]:
    values: dict[str, AttributeValue | None] = {
        names.REQUEST_TEMPERATURE: request.temperature,
        names.REQUEST_MAX_TOKENS: request.max_tokens,
        names.REQUEST_SEED: request.seed,
        names.REQUEST_STOP: request.stop or None,
        names.REQUEST_STREAM: streamed or None,
        names.ATTEMPT: request.attempt,
        names.CANDIDATE: request.candidate,
    }
    return _known(values)


def _reply(reply: Reply) -> dict[str, AttributeValue | None]:
    usage = reply.usage
    return {
        names.INPUT_TOKENS: usage.input_tokens,
        names.OUTPUT_TOKENS: usage.output_tokens,
        names.CACHED_TOKENS: usage.cached_tokens or None,
        names.REASONING_TOKENS: usage.reasoning_tokens or None,
        names.COST: usage.usd or None,
        names.RESPONSE_MODEL: reply.model,
        names.RESPONSE_ID: reply.id,
        names.RESPONSE_FINISH: (reply.finish_reason,),
        names.RESEND_COUNT: reply.resends or None,
        names.REQUEST_ID: reply.request_id,
    }


def _refusal(error: PlanishError) -> dict[str, AttributeValue | None]:
    resends = error.resends if isinstance(error, ModelError) else 0
    request_id: str | None = getattr(error, "request_id", None)
    return {names.RESEND_COUNT: resends or None, names.REQUEST_ID: request_id}


async def execute(sandbox: Sandbox, program: Program) -> Completed:
    """Run a program in a sandbox, within the budget, traced.

    Raises:
        BudgetExceededError: the budget has no sandbox time left, or the program used it up.
        SandboxError: as `Sandbox.run`, and so for its other errors.
    """

    async def run(seconds: float) -> Completed:
        limits = program.limits
        if seconds == limits.seconds:
            return await sandbox.run(program)
        return await sandbox.run(replace(program, limits=replace(limits, seconds=seconds)))

    return await _within_budget(sandbox.name, run, program.limits.seconds)


async def execute_step(session: Session, code: str, *, seconds: float = 30.0) -> Completed:
    """Run one step in a session, within the budget, traced.

    Args:
        session: Where; what it holds stays for the next step.
        code: The step.
        seconds: Its time limit.

    Raises:
        BudgetExceededError: the budget has no sandbox time left, or the step used it up.
        SandboxError: as `Session.run`, and so for its other errors.
    """

    async def run(seconds: float) -> Completed:
        return await session.run(code, seconds=seconds)

    return await _within_budget(session.name, run, seconds)


async def _within_budget(
    name: str, run: Callable[[float], Awaitable[Completed]], seconds: float
) -> Completed:
    """One run of so many seconds, or of fewer where a budget has no more of them."""
    scope = current()
    reserved = _Reserved(scope, lambda budget: budget.reserve_run(seconds))
    scarce = min(scope.budgets, key=Budget.sandbox_seconds, default=None)
    left = seconds if scarce is None else min(seconds, scarce.sandbox_seconds())
    used = Usage()
    try:
        done = await _tool(name, run, left, scope)
        used = Usage(sandbox_runs=1, sandbox_seconds=done.duration)
    finally:
        reserved.settle(used)
    if scarce is not None and done.limit == "seconds" and left < seconds:
        # It was the budget that ended it, not its own limit: that says nothing of the code.
        raise scarce.exceeded("sandbox_seconds")
    return done


async def _tool(
    name: str, run: Callable[[float], Awaitable[Completed]], seconds: float, scope: Scope
) -> Completed:
    dims: dict[str, AttributeValue] = {
        names.OPERATION: "execute_tool",
        names.TOOL_NAME: name,
        names.TOOL_TYPE: "function",
    }
    span_name = f"execute_tool {name}"
    with timed(instruments(scope).tool, dims), section(span_name, dims) as span:
        done = await run(seconds)
        values: dict[str, AttributeValue | None] = {
            names.EXIT_CODE: done.exit_code,
            names.SANDBOX_ISOLATION: done.isolation,
            names.SANDBOX_GUARANTEES: done.guarantees or None,
            names.SANDBOX_ID: done.sandbox_id,
            names.SANDBOX_LIMIT: done.limit,
        }
        span.set_attributes(_known(values))
    return done

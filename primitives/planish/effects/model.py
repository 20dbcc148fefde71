"""Request replies of models through the seam: `ask`."""

import inspect
from collections.abc import Awaitable
from contextlib import nullcontext
from dataclasses import fields, replace
from typing import cast

from opentelemetry.trace import SpanKind
from opentelemetry.util.types import AttributeValue

from planish.abc import Model
from planish.context.admission import Admission, admit
from planish.context.demand import demand_of
from planish.context.interception import Effect, not_async
from planish.context.path import current_path
from planish.context.scope import Scope, current
from planish.context.turns import take_turn_with_reply
from planish.data.message import Reply, Request
from planish.data.usage import (
    ModelPrice,
    Price,
    Usage,
    attach_usage,
    is_amount,
    take_usage,
    uncounted_usage,
)
from planish.effects.call import perform
from planish.errors import ModelError, WiringError
from planish.telemetry import names
from planish.telemetry.lifecycle import ModelCallEvents, StreamEvents
from planish.telemetry.metrics import instruments, timed
from planish.telemetry.spans import span_scope, usage_attributes, without_none

__all__ = ["ask", "require_reply", "require_request"]


def require_request(call: str, request: object) -> None:
    """Check that the second argument of a call is a request, as `call` writes its arguments.

    Raises:
        WiringError: it is something else, such as a text.
    """
    if not isinstance(request, Request):
        raise WiringError(
            f"{call}: the request is {repr(request)[:60]}; write "
            "Request(messages=(Message('user', '...'),)), both from planish.data"
        )


def require_reply(call: str, model: Model) -> None:
    """Check that a model's `reply` takes what it is called with, as far as its signature says.

    Args:
        call: The call that has the model as an argument, for the message: "CodeGenerator".
        model: The model.

    Raises:
        WiringError: it does not; the message says what to write.
    """
    try:
        signature = inspect.signature(model.reply)
    except (TypeError, ValueError):  # of a function that is not Python's
        return
    try:
        signature.bind(None)
        signature.bind(None, None)
    except TypeError as error:
        raise WiringError(
            f"{call}: {type(model).__qualname__}.reply has the parameters {signature}, and is "
            f"called as reply(request) and as reply(request, on_text) ({error}): write `async def "
            "reply(self, request: Request, on_text: OnText | None = None) -> Reply`"
        ) from None


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
        WiringError: the request is no `Request`.
        ModelError: as `Model.reply`, and so for its other errors.
    """
    require_request("ask(model, request)", request)
    scope = current()

    async def chat() -> Reply:
        return await _chat(model, request, scope)

    made: Effect[Reply] = Effect("model", model.name, request, Reply, current_path())
    reply = await perform(made, chat, _ModelReserve(model, request))
    await take_turn_with_reply()
    return reply


class _ModelReserve:
    """What one request to a model may use."""

    def __init__(self, model: Model, request: Request) -> None:
        self._model = model
        self._request = request

    @property
    def name(self) -> str:
        return f"{self._model.provider} {self._model.name}"

    async def admit(self, scope: Scope) -> Admission:
        priced = any(budget.limits("usd") for budget in scope.budgets)
        demand = demand_of(self._model, self._request, priced=priced)
        return await admit(scope.budgets, demand, nested=scope.calling)

    def used(self, reply: Reply) -> Usage:
        return replace(reply.usage, model_calls=1) + reply.failed_usage


async def _chat(model: Model, request: Request, scope: Scope) -> Reply:
    meters = instruments(scope)
    stream = StreamEvents(scope)
    dims: dict[str, AttributeValue] = {
        names.OPERATION: "chat",
        names.PROVIDER: model.provider,
        names.REQUEST_MODEL: model.name,
        **_server_attributes(model),
    }
    events = ModelCallEvents(model.name, model.provider, request, scope)
    attributes = dims | _request_attributes(request, streamed=bool(scope.listeners))
    if isinstance(effort := getattr(model, "effort", None), str):
        attributes[names.REQUEST_REASONING] = effort
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
        if not isinstance(cast("object", reply), Reply):
            raise WiringError(
                f"the model {model.name!r} returned {repr(reply)[:60]} from `reply`; return a "
                "planish.data.Reply(text=..., usage=...)"
            )
        _require_sound(model, reply)
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


def _require_sound(model: Model, reply: Reply) -> None:
    """Check that a reply has a text, and a usage that budgets can be charged with.

    Raises:
        WiringError: it has not; the message names the field.
    """
    text = cast("object", reply.text)
    wrong = "" if isinstance(text, str) else f"Reply(text={text!r:.60}): must be a text"
    for name in () if wrong else ("usage", "failed_usage"):
        usage: object = getattr(reply, name)
        if not isinstance(usage, Usage):
            wrong = f"Reply({name}={usage!r:.60}): must be a planish.data.Usage(...)"
            break
        amounts = ((each.name, getattr(usage, each.name)) for each in fields(usage))
        odd = next((one for one in amounts if not is_amount(one[1])), None)
        if odd is not None:
            wrong = f"Reply({name}=Usage({odd[0]}={odd[1]!r:.60})): must be a number of at least 0"
            break
    if wrong:
        raise WiringError(f"the model {model.name!r} returned {wrong}")


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
        try:
            made = model.reply(request, stream)
        except TypeError:
            require_reply("ask(model, request)", model)
            raise
        if not isinstance(cast("object", made), Awaitable):
            raise not_async("the model", model.name, made)
        return await made
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


def _server_attributes(model: Model) -> dict[str, AttributeValue]:
    """Return where the model's requests go, if it says so; see `planish.abc.Served`."""
    match getattr(model, "server_address", None):
        case (str() as host, int() as port):
            return {names.SERVER_ADDRESS: host, names.SERVER_PORT: port}
        case _:
            return {}


def _request_attributes(request: Request, *, streamed: bool) -> dict[str, AttributeValue]:
    values: dict[str, AttributeValue | None] = {
        names.REQUEST_TEMPERATURE: request.temperature,
        names.REQUEST_MAX_TOKENS: request.max_tokens,
        names.REQUEST_SEED: request.seed,
        names.REQUEST_STOP: request.stop or None,
        names.REQUEST_STREAM: streamed or None,
        names.OUTPUT_TYPE: None if request.schema is None else "json",
        names.ATTEMPT: request.attempt,
        names.CANDIDATE: request.candidate,
    }
    return without_none(values)


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
    return without_none(values)


def _error_attributes(error: BaseException) -> dict[str, AttributeValue]:
    resends = error.resends if isinstance(error, ModelError) else 0
    request_id: str | None = getattr(error, "request_id", None)
    usage = uncounted_usage(error)
    used = usage_attributes(usage) if usage.tokens else {}
    return without_none(used | {names.RESEND_COUNT: resends or None, names.REQUEST_ID: request_id})

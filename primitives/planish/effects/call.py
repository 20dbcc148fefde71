"""Make any call through the seam: budgets, interceptors, and a span around the call itself."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar, cast

from opentelemetry.trace import SpanKind

from planish.context.interception import DECISION, Effect, Proceed, intercepted, not_async
from planish.context.path import current_path
from planish.context.scope import current, override_context
from planish.data.message import Reply
from planish.data.program import Completed
from planish.data.usage import Usage, take_usage
from planish.effects.reservation import CallReserve, Charge, MeteredCall, Reserve
from planish.telemetry import names
from planish.telemetry.spans import span_scope

__all__ = ["effect", "perform"]

R = TypeVar("R")

_OWN_KINDS = (DECISION, "model", "reservation", "sandbox", "session")


async def effect(
    kind: str,
    name: str,
    request: object,
    call: Callable[[], Awaitable[R]],
    reply_type: Any,
    reserve: Usage | None = None,
) -> R:
    """Make a call of your own: to an index, a database, a service, a person.

    It is wrapped in the interceptors of the scope, so a journal records it; it has a span; and
    what it uses is charged to the budgets of the scope and to the report's usage.

    Args:
        kind: The kind of call, such as "index" or "approval".
        name: What is called, such as the name of the index.
        request: What it is called with. To be recorded, it must be convertible to JSON, as
            texts, numbers, lists, dicts and dataclasses of such are.
        call: Makes the call. An interceptor may call it never, or more than once.
        reply_type: The type of its reply. To be recorded, it must be convertible to JSON too.
        reserve: What the call uses at most, reserved from the budgets before it is made; None
            (the default) for nothing. If the reply has a `usage`, that is charged, else this.

    Raises:
        ValueError: the kind is one of planish's own.
        BudgetExceededError: a budget has no room for the call, which is not made then.
        WiringError: an interceptor returned something that is no reply, or the call is not async.
    """
    if kind in _OWN_KINDS:
        raise ValueError(f"effect({kind!r}, {name!r}): this kind is one of planish's own")
    attributes = {names.EFFECT_KIND: kind, names.EFFECT_NAME: name}

    async def traced() -> R:
        with span_scope(f"{kind} {name}", attributes, SpanKind.CLIENT):
            made = call()
            if not isinstance(cast("object", made), Awaitable):
                raise not_async(f"the call of {kind}", name, made)
            return await made

    made: Effect[R] = Effect(kind, name, request, reply_type, current_path())
    return await perform(made, traced, CallReserve(f"{kind} {name}", reserve or Usage()))


async def perform(
    made: Effect[R],
    call: Proceed[R],
    reserve: Reserve,
    *,
    nests: Literal["calling", "executing"] = "calling",
) -> R:
    """Make a call within the budgets of the scope, through its interceptors.

    Args:
        made: The call, as interceptors see it.
        call: Makes it, with its span.
        reserve: What it needs of the budgets.
        nests: The field of the scope that is set within it: calls of that kind that are made
            within it count with it, and do not wait for it to end.
    """
    scope = current()
    charge = Charge(scope, reserve)
    metered = MeteredCall(call, reserve, charge)
    used = Usage()
    try:
        if not scope.budgets:
            with override_context(charged=metered.charged):
                reply = await (intercepted(made, metered) if scope.interceptors else call())
        elif not scope.interceptors:
            await charge.admit()
            with override_context(charged=metered.charged, **{nests: True}):
                reply = await call()
        else:
            await charge.admit_recorded(made)
            with override_context(charged=metered.charged, **{nests: True}):
                reply = await intercepted(made, metered)
        used = metered.used(reply)
        if scope.charged is not None and isinstance(reply, Reply | Completed):
            scope.charged.append(reply)
    except BaseException as error:
        used = metered.unsettled + take_usage(error)
        raise
    finally:
        charge.settle(used)
    return reply

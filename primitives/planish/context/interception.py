"""Wrap every effect of a run in interceptors: a journal, an approval, a recorder, a fault injector.

An *effect* is a call whose result does not follow from its arguments: a request to a model, a
program in a sandbox, a query of a user's own, but also a decision that depends on time or order,
such as which branch of a race was first. Interceptors wrap effects in the order in which they
were installed, the first one outermost.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar, Token
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar, cast

from planish.context.path import Path, current_path, format_path
from planish.context.scope import Scope, changed, current, enter, leave
from planish.data.encoding import decode, digest_of, encode
from planish.errors import RecordingError, WiringError

__all__ = [
    "DECISION",
    "Effect",
    "Interceptor",
    "Proceed",
    "decide",
    "intercept",
    "intercepted",
    "not_async",
]

R = TypeVar("R")

Proceed = Callable[[], Awaitable[R]]
"""Makes the call itself, through the interceptors inside of this one, and returns its reply."""

DECISION = "decision"
"""The kind of the effects that `decide` makes."""


@dataclass(frozen=True, slots=True)
class Effect(Generic[R]):
    """One effect, as interceptors see it.

    Attributes:
        kind: "model", "sandbox" or "session" for the calls of planish; "reservation" for what a
            budget decides before a call; "decision" for choices that depend on time, order or
            chance; for a user's own calls what they say.
        name: What is called: the name of a model, of a sandbox, of a combinator.
        request: What it is called with.
        reply_type: The type of the reply.
        path: The path of the step that makes the call. Effects of equal path, kind, name and
            request are told apart by the order in which they are made.
        identity: What `digest` is computed of instead of the request; None for the request.
    """

    kind: str
    name: str
    request: object
    reply_type: Any
    path: Path
    identity: str | None = None

    @property
    def digest(self) -> str:
        """A digest of the request, equal for equal requests in every process.

        Raises:
            TypeError: the request cannot be written as JSON.
        """
        return digest_of(self.request) if self.identity is None else self.identity

    def encode(self, reply: R) -> str:
        """Return a reply as JSON text.

        Raises:
            TypeError: a value of `reply_type` has no JSON form.
        """
        return encode(reply, self.reply_type)

    def decode(self, text: str | bytes) -> R:
        """Return the reply that `encode` wrote.

        Raises:
            RecordingError: the text is no reply of this type, for example because it was cut off.
        """
        try:
            return cast("R", decode(text, self.reply_type))
        except ValueError as error:
            place = format_path(self.path) or "the run itself"
            reason = str(error).partition("\n")[0]  # what follows has parts of the record
            raise RecordingError(
                f"the record of the {self.kind} {self.name!r}, of {place}, cannot be read "
                f"({reason}): remove it, and the call is made again"
            ) from error


class Interceptor(Protocol):
    """A function that wraps every effect: it may answer it, change its reply, delay or refuse it.

    The call of a "decision" contains the calls of the steps that it decides about, so an
    interceptor that limits or times calls lets decisions pass: `return await proceed()`. Effects
    that an interceptor makes itself pass through the interceptors outside of it only.
    """

    async def __call__(self, effect: Effect[R], proceed: Proceed[R], /) -> R:
        """Return the reply of an effect.

        Args:
            effect: The effect.
            proceed: Makes the call. Without it, the call is not made.
        """
        ...


class intercept:  # noqa: N801 - reads as the verb it is: `async with intercept(journal):`
    """Wrap every effect of the runs inside an `async with` block.

    Args:
        interceptors: The first one is outermost. Those of an enclosing block are outside of them.

    Raises:
        WiringError: one of them is not a function, or a class in place of an object of it.
    """

    __slots__ = ("_interceptors", "_token")

    def __init__(self, *interceptors: Interceptor) -> None:
        for each in interceptors:
            if isinstance(each, type) or not callable(cast("object", each)):
                raise WiringError(
                    f"intercept({_name_of(each)}): an interceptor is an async function of an "
                    "effect and `proceed`, or an object with such a __call__"
                )
        self._interceptors = interceptors

    async def __aenter__(self) -> Self:
        outer = current()
        interceptors = (*outer.interceptors, *self._interceptors)
        self._token: Token[Scope] = enter(changed(outer, interceptors=interceptors))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        leave(self._token)


def _name_of(interceptor: object) -> str:
    return getattr(interceptor, "__name__", None) or repr(interceptor)


def not_async(owner: str, name: str, made: object) -> WiringError:
    """Return the error for a user's function that returned something that cannot be awaited.

    Args:
        owner: What the function belongs to, such as "the model".
        name: The name of it.
        made: What the function returned.
    """
    return WiringError(
        f"{owner} {name!r} returned {repr(made)[:60]}, which cannot be awaited: "
        "write its function with `async def`"
    )


_applying: ContextVar[int | None] = ContextVar("planish.interceptors", default=None)
"""How many interceptors of the scope wrap the effects of the running code; None for all.

Within the code of an interceptor, those outside of it."""


class _Layer:
    """One interceptor around the rest of the call."""

    __slots__ = ("_effect", "_index", "_interceptor", "_proceed")

    def __init__(
        self, interceptor: Interceptor, effect: Effect[Any], proceed: Proceed[Any], index: int
    ) -> None:
        self._interceptor = interceptor
        self._effect = effect
        self._proceed = proceed
        self._index = index

    async def __call__(self) -> Any:
        token = _applying.set(self._index)
        try:
            made = self._interceptor(self._effect, self._proceed)
            if not isinstance(cast("object", made), Awaitable):
                raise not_async("the interceptor", _name_of(self._interceptor), made)
            return await made
        finally:
            _applying.reset(token)


async def intercepted(effect: Effect[R], call: Proceed[R]) -> R:
    """Make a call through the interceptors of the scope.

    Args:
        effect: What they receive about it.
        call: Makes the call.

    Raises:
        WiringError: an interceptor has returned something that is no reply.
    """
    scope = current()
    applying = _applying.get()

    async def innermost() -> R:
        token = _applying.set(applying)
        try:
            return await call()
        finally:
            _applying.reset(token)

    interceptors = scope.interceptors[:applying]

    proceed: Proceed[R] = innermost
    for index in range(len(interceptors) - 1, -1, -1):
        proceed = _Layer(interceptors[index], effect, proceed, index)
    reply = await proceed()
    if isinstance(effect.reply_type, type) and not isinstance(reply, effect.reply_type):
        advice = ": does one lack `return await proceed()`?" if reply is None else ""
        raise WiringError(
            f"the interceptors {', '.join(map(_name_of, scope.interceptors))} returned {reply!r} "
            f"as the reply of {effect.kind} {effect.name!r}, which is a "
            f"{effect.reply_type.__qualname__}{advice}"
        )
    return reply


async def decide(
    name: str,
    call: Proceed[R],
    reply_type: Any,
    request: object = None,
    *,
    repeat: Callable[[R], Awaitable[None]] | None = None,
) -> R:
    """Decide something that depends on time, order or chance, so that a journal can record it.

    It is neither traced nor charged to a budget. Without interceptors it only awaits the call.

    Args:
        name: What is decided.
        call: Decides it.
        reply_type: The type of the decision.
        request: What tells this decision from others of the same name and path.
        repeat: Called with a decision that a record has answered, to do what the call would have
            done besides; None (the default) for nothing.
    """
    if not current().interceptors:
        return await call()
    live = False

    async def call_live() -> R:
        nonlocal live
        live = True
        return await call()

    effect: Effect[R] = Effect(DECISION, name, request, reply_type, current_path())
    decision = await intercepted(effect, call_live)
    if repeat is not None and not live:
        await repeat(decision)
    return decision

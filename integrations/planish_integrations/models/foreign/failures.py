"""What the adapters do with a call of another library's model that fails or is cancelled."""

import traceback
from collections.abc import Awaitable, Callable
from dataclasses import replace

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import ModelPrice, Price, Usage, attach_usage, estimate_tokens, usage_of
from planish.errors import CircuitOpenError, InfrastructureError, PlanishError, RateLimitError
from planish_integrations.models.foreign.errors import translate_error
from planish_integrations.models.foreign.secrets import redactor_for
from planish_integrations.models.transport import Redactor

__all__ = ["foreign_call"]

_MAX_TRACEBACK = 20_000  # characters of another library's traceback; the end says most


async def foreign_call(
    name: str,
    holds: Callable[[], object],
    request: Request,
    price: ModelPrice,
    on_text: OnText | None,
    call: Callable[[OnText | None], Awaitable[Reply]],
) -> Reply:
    """Call another library's model, translate the exception that ends the call, and count it.

    If the call was cancelled or the connection was lost, the provider may charge for the request
    and for the text that has arrived: an estimate is attached to the error. An error status costs
    nothing. `planish.data.usage_of` returns the estimate.

    The other library's exception may hold a key: in its message, its request, the variables of
    its frames. The translated error does not refer to it. It has its traceback as a note, in
    which secrets are replaced.

    Args:
        name: The model's name, for messages.
        holds: Returns the other library's model and options, whose secrets are not to be shown. A
            function, because the variables of this one may be shown with the error.
        request: The request.
        price: The model's price.
        on_text: Called with each piece of a streamed reply; None if it is not streamed.
        call: Makes the call, with the function to pass the pieces to.

    Raises:
        PlanishError: in place of another library's error of the same kind. An error that is no
            provider's, so most likely a bug, is raised as it is.
    """
    characters = 0

    def count(text: str) -> None:
        nonlocal characters
        characters += len(text)
        if on_text is not None:
            on_text(text)

    try:
        return await call(None if on_text is None else count)
    except BaseException as error:
        known = translate_error(error, name) if isinstance(error, Exception) else None
        if usage_of(known or error) is None:
            attach_usage(known or error, _estimate(known or error, request, price, characters))
        if known is None:
            raise
        _detach(known, error, redactor_for(holds(), error))
        final = known
    # Outside of the block above: there, Python would make the original the context of this error.
    raise final


def _detach(final: PlanishError, original: BaseException, redactor: Redactor) -> None:
    """Replace the chain of an error by the text of the original's traceback, without secrets."""
    text = redactor.redact("".join(traceback.format_exception(original)))
    text = text if len(text) <= _MAX_TRACEBACK else f"[…]{text[-_MAX_TRACEBACK:]}"
    final.args = tuple(
        redactor.redact(part) if isinstance(part, str) else part for part in final.args
    )
    for field, value in vars(final).items():
        if isinstance(value, str):
            setattr(final, field, redactor.redact(value))
    final.__cause__ = final.__context__ = final.__traceback__ = None
    final.add_note(f"What the other library raised:\n{text}")


def _estimate(error: BaseException, request: Request, price: ModelPrice, characters: int) -> Usage:
    if isinstance(error, RateLimitError) or isinstance(getattr(error, "status", None), int):
        return Usage(failed_calls=1)
    is_cancelled = not isinstance(error, Exception)
    if isinstance(error, CircuitOpenError) or not (
        is_cancelled or isinstance(error, InfrastructureError)
    ):
        return Usage()
    sent, received = request.estimate_tokens(), estimate_tokens(characters)
    usage = Usage(
        input_tokens=sent, output_tokens=received, estimated_tokens=sent + received, failed_calls=1
    )
    return replace(usage, usd=price.cost(usage)) if isinstance(price, Price) else usage

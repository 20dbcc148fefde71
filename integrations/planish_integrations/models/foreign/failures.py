"""What the adapters do with a call of another library's model that fails or is cancelled."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from planish.abc import OnText
from planish.data.message import Request
from planish.data.usage import ModelPrice, Price, Usage, attach_usage, estimate_tokens, usage_of
from planish.errors import CircuitOpenError, InfrastructureError, RateLimitError
from planish_integrations.models.foreign.errors import translate_error

__all__ = ["foreign_call"]


@contextmanager
def foreign_call(
    name: str, request: Request, price: ModelPrice, on_text: OnText | None
) -> Generator[OnText | None]:
    """Translate the exception that ends a call, and attach an estimate of the call's usage.

    If the call was cancelled or the connection was lost, the provider may charge for the request
    and for the text that has arrived. An error status costs nothing. `planish.data.usage_of`
    returns the estimate.

    Args:
        name: The model's name, for messages.
        request: The request.
        price: The model's price.
        on_text: Called with each piece of a streamed reply; None if it is not streamed.

    Yields:
        The function to call in place of `on_text`, which also counts the characters.

    Raises:
        PlanishError: in place of another library's error of the same kind.
    """
    characters = 0

    def count(text: str) -> None:
        nonlocal characters
        characters += len(text)
        if on_text is not None:
            on_text(text)

    try:
        yield None if on_text is None else count
    except BaseException as error:
        translated = translate_error(error, name) if isinstance(error, Exception) else None
        final = translated or error
        if usage_of(final) is None:
            attach_usage(final, _estimate(final, request, price, characters))
        if final is error:
            raise
        raise final from error


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

"""Read the bytes of a response, with a limit on the time without data."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress

import anyio
import httpx

from planish_integrations.models.transport._endpoint import Endpoint
from planish_integrations.models.transport._errors import RetryableError
from planish_integrations.models.transport._network_errors import (
    network_errors,
    overload_error,
    protocol_error,
)
from planish_integrations.models.transport._options import Timeouts

__all__ = ["ResponseData", "response_data"]

_MAX_BODY = 64 * 1024 * 1024  # bytes of one response; the longest real ones are below 1 MiB
_DRAIN_TIMEOUT = 0.1  # seconds for the end of a body, so that its connection can be reused
_ENCODINGS = ("identity", "", "gzip", "deflate")  # `accept-encoding: identity` asks for the first


@asynccontextmanager
async def response_data(
    endpoint: Endpoint, response: httpx.Response, timeouts: Timeouts
) -> AsyncGenerator["ResponseData", None]:
    """Provide the chunks of a response; fail if no data arrives for too long.

    Args:
        endpoint: The server, for messages.
        response: The response, of which nothing has been read.
        timeouts: How long to wait for the first data, and between two pieces of data.

    Raises:
        RetryableError: no data arrived in time, or the response cannot be read.
        PlanishError: one of the errors `Model.reply` raises.
    """
    async with aclosing(_read_bytes(endpoint, response)) as chunks:
        silence = anyio.CancelScope()
        data = ResponseData(chunks, silence, timeouts)
        with silence:
            yield data
    if silence.cancelled_caught:
        text = f"did not respond in time (no data for {data.seconds:g} s)"
        error = overload_error(endpoint, response, text)
        raise RetryableError(error) from httpx.ReadTimeout(text)


async def _read_bytes(endpoint: Endpoint, response: httpx.Response) -> AsyncGenerator[bytes, None]:
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in _ENCODINGS:  # others may expand a chunk to gigabytes
        text = f"content encoded as {encoding!r:.40}, which was not asked for"
        raise RetryableError(protocol_error(endpoint, response, text))
    remaining, decoded, at_end = _MAX_BODY, response.aiter_bytes(), False
    with network_errors(endpoint, response):
        try:
            async for chunk in decoded:
                remaining -= len(chunk)
                if remaining < 0:
                    raise protocol_error(endpoint, response, f"more than {_MAX_BODY} bytes")
                yield chunk
            at_end = True
        finally:
            if not at_end:
                await _unwind(decoded)


class ResponseData(AsyncIterator[bytes]):
    """The chunks of a response, and the time by which the next data must arrive.

    Attributes:
        seconds: How long to wait for the next data.
    """

    def __init__(
        self, chunks: AsyncGenerator[bytes, None], silence: anyio.CancelScope, timeouts: Timeouts
    ) -> None:
        self._chunks = chunks
        self._silence = silence
        self._between = timeouts.between
        self._wait(timeouts.first)

    def mark(self) -> None:
        """Record that data has arrived."""
        self._wait(self._between)

    def _wait(self, seconds: float) -> None:
        self.seconds = seconds
        self._silence.deadline = anyio.current_time() + seconds

    async def drain(self) -> None:
        """Read the end of the body, so that its connection can be used again."""
        with anyio.move_on_after(_DRAIN_TIMEOUT):
            async for _ in self._chunks:
                pass

    async def __anext__(self) -> bytes:
        return await anext(self._chunks)


async def _unwind(chunks: AsyncIterator[bytes]) -> None:
    """End an iteration that may have been left early.

    httpx's iterators are nested generators. Closing the outer one leaves the inner ones to the
    garbage collector, and trio warns. Reading once more in a cancelled scope raises in the
    innermost one, which unwinds all of them.
    """
    with anyio.CancelScope() as scope, suppress(httpx.HTTPError):
        scope.cancel()
        async for _ in chunks:
            pass

"""One request over HTTP, sent once."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass

import anyio
import httpx

from planish.abc import OnText
from planish.data.message import Reply
from planish.errors import ModelError, OverloadedError, PlanishError, RequestError
from planish_integrations.openai._choice import NonsenseError
from planish_integrations.openai._complaint import ComplaintError, complaint_of
from planish_integrations.openai._endpoint import Endpoint, request_id_of
from planish_integrations.openai._stream import CutError, StreamedReply
from planish_integrations.openai._trouble import Trouble, refusal, refusal_within
from planish_integrations.openai._usage import Price
from planish_integrations.openai._whole import whole_reply

__all__ = ["Exchange"]

_MOST = 64 * 1024 * 1024  # bytes of one answer; the longest real ones are below 1 MiB
_MOST_REFUSAL = 64 * 1024  # bytes read of an error's body
_LINGER = 0.1  # seconds for the end of a body after `[DONE]`, so that a pool can reuse its socket
_CLOSING = 5.0  # seconds to close a connection, when this call is being cancelled


@dataclass(frozen=True, slots=True)
class Exchange:
    """What is sent where; `run` sends it once.

    Attributes:
        endpoint: Where to.
        body: The request as JSON.
        timeout: How long to wait for each thing, in seconds.
        price: What the model costs, where known.
    """

    endpoint: Endpoint
    body: bytes
    timeout: httpx.Timeout
    price: Price | None

    async def run(self, client: httpx.AsyncClient, on_text: OnText | None) -> Reply:
        """Send it and read the answer. The connection is given back or closed at the end.

        Args:
            client: What to send it with.
            on_text: Called with each piece of text; None when it was asked for whole.

        Raises:
            Trouble: it may go better next time.
            PlanishError: one of the errors `Model.reply` raises.
        """
        request = client.build_request(
            "POST",
            self.endpoint.url("/chat/completions"),
            content=self.body,
            headers=self.endpoint.headers(),
            timeout=self.timeout,
        )
        with self._network():
            response = await client.send(request, stream=True)
        try:
            return await self._read(response, on_text)
        finally:
            with anyio.move_on_after(_CLOSING, shield=True):
                await response.aclose()

    async def _read(self, response: httpx.Response, on_text: OnText | None) -> Reply:
        if not response.is_success:
            raise refusal(self.endpoint, response, complaint_of(await self._refusal(response)))
        kind = response.headers.get("content-type", "").lower()
        streamed = "event-stream" in kind or (not kind and on_text is not None)
        if not (streamed or "json" in kind or not kind):
            raise self._nonsense(response, f"content of type {kind!r}")
        try:
            tell = on_text or _ignore
            return await (self._stream if streamed else self._whole)(response, tell)
        except ComplaintError as error:
            raise refusal_within(self.endpoint, response, error.complaint) from None
        except NonsenseError as error:
            raise self._nonsense(response, str(error)) from None

    async def _whole(self, response: httpx.Response, tell: OnText) -> Reply:
        async with aclosing(self._bytes(response)) as pieces:
            body = b"".join([piece async for piece in pieces])
        reply = whole_reply(body, self.price)
        if reply.text:
            tell(reply.text)
        return reply

    async def _stream(self, response: httpx.Response, tell: OnText) -> Reply:
        reader = StreamedReply(self.price)
        async with aclosing(self._bytes(response)) as pieces:
            try:
                async for piece in pieces:
                    if text := reader.feed(piece):
                        tell(text)
                    if reader.done:
                        await _drain(pieces)
                        break
            except Trouble:
                if not reader.finished:
                    raise
        try:
            if text := reader.end():
                tell(text)
        except CutError:
            raise Trouble(self._overloaded("cut its answer off")) from None
        return reader.reply()

    async def _refusal(self, response: httpx.Response) -> bytes:
        body = bytearray()
        with suppress(Trouble):  # the status is known: half a reason is better than another try
            async with aclosing(self._bytes(response)) as pieces:
                async for piece in pieces:
                    body += piece
                    if len(body) > _MOST_REFUSAL:
                        break
        return bytes(body[:_MOST_REFUSAL])

    async def _bytes(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        left, raw = _MOST, response.aiter_raw()
        with self._network():
            try:
                async for piece in raw:
                    left -= len(piece)
                    if left < 0:
                        raise self._nonsense(response, f"more than {_MOST} bytes")
                    yield piece
            finally:
                await _unwind(raw)

    @contextmanager
    def _network(self) -> Generator[None, None, None]:
        try:
            yield
        except httpx.TimeoutException as error:
            kind = type(error).__name__
            raise Trouble(self._overloaded(f"kept us waiting too long ({kind})")) from error
        except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError) as error:
            why = f"could not be reached, or broke off ({type(error).__name__}: {error})"
            raise Trouble(self._overloaded(why)) from error
        except (httpx.TransportError, httpx.InvalidURL) as error:  # what is left is the request
            raise RequestError(self.endpoint.says(f"cannot be asked: {error}")) from error

    def _overloaded(self, what: str) -> OverloadedError:
        return OverloadedError(self.endpoint.says(what))

    def _nonsense(self, response: httpx.Response, what: str) -> PlanishError:
        return ModelError(
            self.endpoint.says(f"answered nonsense: {what}", response.headers),
            status=response.status_code,
            request_id=request_id_of(response.headers),
        )


def _ignore(_: str) -> None:
    """Nobody listens."""


async def _drain(pieces: AsyncGenerator[bytes, None]) -> None:
    with anyio.move_on_after(_LINGER):
        async for _ in pieces:
            pass


async def _unwind(raw: AsyncIterator[bytes]) -> None:
    """End an iteration that may have been left early.

    httpx's iterators are generators within generators, and closing the outer one leaves the
    inner ones to the garbage collector, of which trio warns. Cancelled while it reads, the
    innermost one raises, and all are unwound.
    """
    with anyio.CancelScope() as scope, suppress(httpx.HTTPError):
        scope.cancel()
        async for _ in raw:
            pass

"""One request over HTTP, sent once."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, replace

import anyio
import httpx

from planish.abc import OnText
from planish.data.message import Reply
from planish.data.usage import Price
from planish.errors import ModelError, OverloadedError, RequestError
from planish_integrations.models.transport._endpoint import Endpoint, request_id_of
from planish_integrations.models.transport._errors import (
    Trouble,
    complaint_of,
    refusal,
    refusal_within,
)
from planish_integrations.models.transport._options import Timeouts
from planish_integrations.models.transport._parsing import CutError, StreamedReply, whole_reply
from planish_integrations.models.transport.protocol import (
    ComplaintError,
    Framing,
    NonsenseError,
    Wire,
)

__all__ = ["Body", "Exchange"]

_MOST = 64 * 1024 * 1024  # bytes of one answer; the longest real ones are below 1 MiB
_MOST_REFUSAL = 64 * 1024  # bytes read of an error's body
_LINGER = 0.1  # seconds for the end of a body after its last event, so that a pool can reuse it
_CLOSING = 5.0  # seconds to close a connection, when this call is being cancelled
_LINES = ("ndjson", "jsonl", "json-seq", "json-lines")


@dataclass(frozen=True, slots=True)
class Exchange:
    """What is sent where; `run` sends it once.

    Attributes:
        endpoint: Where to.
        wire: In which form.
        path: Where on it.
        body: The request as JSON.
        timeouts: How long to wait for each thing.
        price: What the model costs, where known.
        headers: With the key; their repr hides it.
    """

    endpoint: Endpoint
    wire: Wire
    path: str
    body: bytes
    timeouts: Timeouts
    price: Price | None
    headers: httpx.Headers

    async def run(self, client: httpx.AsyncClient, on_text: OnText | None) -> Reply:
        """Send it and read the answer. The connection is given back or closed at the end.

        Args:
            client: What to send it with.
            on_text: Called with each piece of text; None when it was asked for whole.

        Raises:
            Trouble: it may go better next time.
            PlanishError: one of the errors `Model.reply` raises.
        """
        waits = self.timeouts
        limits = httpx.Timeout(waits.between, connect=waits.connect, read=waits.first, pool=None)
        request = client.build_request(
            "POST",
            self.endpoint.url(self.path),
            content=self.body,
            headers=self.headers,
            timeout=limits,
        )
        request.stream = Body(self.body)
        with self._network():
            response = await client.send(request, stream=True)
        # From here on it is the pieces that are waited for; httpx reads this once more for them.
        request.extensions["timeout"]["read"] = waits.between
        try:
            reply = await self._read(response, on_text)
            return replace(reply, request_id=request_id_of(response.headers))
        finally:
            if not response.is_closed:  # it closes itself at its end
                with anyio.move_on_after(_CLOSING, shield=True):
                    await response.aclose()

    async def _read(self, response: httpx.Response, on_text: OnText | None) -> Reply:
        if not response.is_success:
            raise refusal(self.endpoint, response, complaint_of(await self._refusal(response)))
        framing = self._framing(response, streamed=on_text is not None)
        tell = on_text or _ignore
        try:
            if framing is None:
                return await self._whole(response, tell)
            return await self._stream(response, framing, tell)
        except ComplaintError as error:
            raise refusal_within(self.endpoint, response, error.complaint) from None
        except NonsenseError as error:
            raise Trouble(self._nonsense(response, str(error))) from None

    def _framing(self, response: httpx.Response, *, streamed: bool) -> Framing | None:
        """How the answer is cut into JSON; None where it is one piece of it."""
        kind = response.headers.get("content-type", "").lower()
        if "event-stream" in kind:
            return "events"
        if any(word in kind for word in _LINES):
            return "lines"
        # DeepSeek was recorded to say no more than that its JSON is bytes.
        if not kind or "octet-stream" in kind:
            return self.wire.framing if streamed else None
        if "json" not in kind:
            raise Trouble(self._nonsense(response, f"content of type {kind!r}"))
        # One object is also a stream of one line.
        return "lines" if streamed and self.wire.framing == "lines" else None

    async def _whole(self, response: httpx.Response, tell: OnText) -> Reply:
        async with aclosing(self._bytes(response)) as pieces:
            body = b"".join([piece async for piece in pieces])
        reply = whole_reply(body, self.wire.answer(), self.price)
        if reply.text:
            tell(reply.text)
        return reply

    async def _stream(self, response: httpx.Response, framing: Framing, tell: OnText) -> Reply:
        reader = StreamedReply(self.wire.answer(), framing, self.price)
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
            raise Trouble(self._overloaded("cut its answer off", response)) from None
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
        left, raw, over = _MOST, response.aiter_raw(), False
        with self._network(response):
            try:
                async for piece in raw:
                    left -= len(piece)
                    if left < 0:
                        raise self._nonsense(response, f"more than {_MOST} bytes")
                    yield piece
                over = True
            finally:
                if not over:
                    await _unwind(raw)

    @contextmanager
    def _network(self, response: httpx.Response | None = None) -> Generator[None, None, None]:
        try:
            yield
        except httpx.TimeoutException as error:
            what = f"kept us waiting too long ({type(error).__name__})"
            raise Trouble(self._overloaded(what, response)) from error
        except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError) as error:
            what = f"could not be reached, or broke off ({type(error).__name__}: {error})"
            raise Trouble(self._overloaded(what, response)) from error
        except (httpx.TransportError, httpx.InvalidURL) as error:  # what is left is the request
            raise RequestError(self.endpoint.says(f"cannot be asked: {error}")) from error

    def _overloaded(self, what: str, response: httpx.Response | None) -> OverloadedError:
        headers = None if response is None else response.headers
        message = self.endpoint.says(what, headers)
        return OverloadedError(message, request_id=request_id_of(headers))

    def _nonsense(self, response: httpx.Response, what: str) -> ModelError:
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


class Body(httpx.AsyncByteStream):
    """Bytes to send, in one piece.

    httpx's own stream is an asynchronous generator. A call that is cancelled while it sends
    leaves that unfinished, and trio warns when it is collected; an iterator needs no end.

    Args:
        content: The bytes.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __aiter__(self) -> AsyncIterator[bytes]:
        return _Pieces([self._content])


class _Pieces(AsyncIterator[bytes]):
    def __init__(self, left: list[bytes]) -> None:
        self._left = left

    async def __anext__(self) -> bytes:
        if not self._left:
            raise StopAsyncIteration
        return self._left.pop()

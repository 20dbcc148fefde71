"""Send one request over HTTP once, and read its response."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, replace

import anyio
import httpx

from planish.abc import OnText
from planish.data.message import Reply
from planish.data.usage import Price, attach_usage
from planish.errors import ModelError, OverloadedError, RequestError
from planish_integrations.models.transport._endpoint import Endpoint, request_id_of
from planish_integrations.models.transport._errors import (
    RetryableError,
    in_band_error,
    parse_error_body,
    status_error,
)
from planish_integrations.models.transport._options import Timeouts
from planish_integrations.models.transport._parsing import (
    StreamReader,
    TruncatedError,
    reply_from_body,
)
from planish_integrations.models.transport._try import Try
from planish_integrations.models.transport.protocol import (
    Framing,
    InBandError,
    ProtocolError,
    ProviderProtocol,
)

__all__ = ["Exchange"]

_MAX_BODY = 64 * 1024 * 1024  # bytes of one response; the longest real ones are below 1 MiB
_MAX_ERROR_BODY = 64 * 1024  # bytes read of an error response
_DRAIN_TIMEOUT = 0.1  # seconds for the end of a body, so that its connection can be reused
_CLOSE_TIMEOUT = 5.0  # seconds to close a connection while this call is being cancelled
_LINE_TYPES = ("ndjson", "jsonl", "json-seq", "json-lines")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to send, and how to read its response; `run` sends it once.

    Attributes:
        endpoint: The server.
        protocol: The provider's protocol.
        path: The path on the server.
        body: The request's JSON.
        timeouts: Time-outs; `total` is not applied here.
        price: The model's price; None if it is unknown.
        prompt_tokens: An estimate of the request's tokens, if the provider reports none.
        headers: The headers with the key, which their repr hides.
    """

    endpoint: Endpoint
    protocol: ProviderProtocol
    path: str
    body: bytes
    timeouts: Timeouts
    price: Price | None
    prompt_tokens: int
    headers: httpx.Headers

    async def run(self, client: httpx.AsyncClient, on_text: OnText | None) -> Reply:
        """Send the request and read the response; release the connection at the end.

        What leaves it, cancellation included, carries what the provider may charge for
        (`planish.data.usage_of`).

        Args:
            client: The client to send it with.
            on_text: Called with each piece of text; None if the request does not stream.

        Raises:
            RetryableError: another attempt may succeed.
            PlanishError: one of the errors `Model.reply` raises.
        """
        this = Try(self.protocol.reader(), self.price, self.prompt_tokens)
        try:
            return await self._run(client, on_text, this)
        except BaseException as error:
            attach_usage(error, this.failed_usage())
            raise

    async def _run(self, client: httpx.AsyncClient, on_text: OnText | None, this: Try) -> Reply:
        waits = self.timeouts
        limits = httpx.Timeout(waits.between, connect=waits.connect, read=waits.first, pool=None)
        request = client.build_request(
            "POST",
            self.endpoint.url(self.path),
            content=self.body,
            headers=self.headers,
            timeout=limits,
        )
        request.stream = _Body(self.body, this)
        with self._network_errors():
            response = await client.send(request, stream=True)
        # From here on `between` applies; httpx reads this dictionary again for each chunk.
        request.extensions["timeout"]["read"] = waits.between
        try:
            reply = await self._read(response, on_text, this)
            return replace(reply, request_id=request_id_of(response.headers))
        finally:
            if not response.is_closed:  # a response that was read to its end is closed
                with anyio.move_on_after(_CLOSE_TIMEOUT, shield=True):
                    await response.aclose()

    async def _read(self, response: httpx.Response, on_text: OnText | None, this: Try) -> Reply:
        this.refused = True  # until the status and the content type are those of a response
        if not response.is_success:
            error_body = parse_error_body(await self._read_error(response))
            raise status_error(self.endpoint, response, error_body)
        framing = self._framing(response, streamed=on_text is not None)
        this.refused = False
        sink = on_text or _discard
        try:
            if framing is None:
                return await self._read_whole(response, sink, this)
            return await self._read_stream(response, framing, sink, this)
        except InBandError as error:
            this.refused = not this.reader.has_started and not this.reader.usage.tokens
            raise in_band_error(self.endpoint, response, error.error_body) from None
        except ProtocolError as error:
            unreadable = self._protocol_error(response, str(error))
            raise RetryableError(unreadable, is_unreadable=True) from None

    def _framing(self, response: httpx.Response, *, streamed: bool) -> Framing | None:
        """Return how the response is split into JSON values; None if it is a single one."""
        kind = response.headers.get("content-type", "").lower()
        if "event-stream" in kind:
            return "events"
        if any(word in kind for word in _LINE_TYPES):
            return "lines"
        # DeepSeek was recorded to send its JSON as application/octet-stream.
        if not kind or "octet-stream" in kind:
            return self.protocol.framing if streamed else None
        if "json" not in kind:
            # A page of a proxy, most likely, and no response of the provider.
            raise RetryableError(self._protocol_error(response, f"content of type {kind!r}"))
        # One object is also a stream of one line.
        return "lines" if streamed and self.protocol.framing == "lines" else None

    async def _read_whole(self, response: httpx.Response, sink: OnText, this: Try) -> Reply:
        body = bytearray()
        async with aclosing(self._read_bytes(response)) as chunks:
            async for chunk in chunks:
                body += chunk
                this.unread = len(body)
        try:
            reply = reply_from_body(bytes(body), this.reader, self.price, self.prompt_tokens)
        except ProtocolError:
            if this.reader.usage.tokens:  # it has counts, so nothing has to be estimated
                this.unread = 0
            raise
        if reply.text:
            sink(reply.text)
        return reply

    async def _read_stream(
        self, response: httpx.Response, framing: Framing, sink: OnText, this: Try
    ) -> Reply:
        reader = StreamReader(this.reader, framing, self.price, self.prompt_tokens)
        async with aclosing(self._read_bytes(response)) as chunks:
            try:
                async for chunk in chunks:
                    if text := reader.feed(chunk):
                        sink(text)
                    if reader.has_ended:
                        await _drain(chunks)
                        break
            except RetryableError:
                if not reader.is_complete:
                    raise
        try:
            if text := reader.end():
                sink(text)
        except TruncatedError:
            error = self._overload_error("ended its response too early", response)
            raise RetryableError(error) from None
        return reader.to_reply()

    async def _read_error(self, response: httpx.Response) -> bytes:
        body = bytearray()
        # A part of the reason suffices: the status already tells whether to retry.
        with suppress(RetryableError):
            async with aclosing(self._read_bytes(response)) as chunks:
                async for chunk in chunks:
                    body += chunk
                    if len(body) > _MAX_ERROR_BODY:
                        break
        return bytes(body[:_MAX_ERROR_BODY])

    async def _read_bytes(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        remaining, raw, at_end = _MAX_BODY, response.aiter_raw(), False
        with self._network_errors(response):
            try:
                async for chunk in raw:
                    remaining -= len(chunk)
                    if remaining < 0:
                        raise self._protocol_error(response, f"more than {_MAX_BODY} bytes")
                    yield chunk
                at_end = True
            finally:
                if not at_end:
                    await _unwind(raw)

    @contextmanager
    def _network_errors(
        self, response: httpx.Response | None = None
    ) -> Generator[None, None, None]:
        try:
            yield
        except httpx.TimeoutException as error:
            text = f"did not respond in time ({type(error).__name__})"
            raise RetryableError(self._overload_error(text, response)) from error
        except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError) as error:
            text = f"could not be reached, or broke off ({type(error).__name__}: {error})"
            raise RetryableError(self._overload_error(text, response)) from error
        except (httpx.TransportError, httpx.InvalidURL) as error:  # the request itself is invalid
            text = f"cannot be sent this request: {error}"
            raise RequestError(self.endpoint.message(text)) from error

    def _overload_error(self, text: str, response: httpx.Response | None) -> OverloadedError:
        headers = None if response is None else response.headers
        message = self.endpoint.message(text, headers)
        return OverloadedError(message, request_id=request_id_of(headers))

    def _protocol_error(self, response: httpx.Response, text: str) -> ModelError:
        return ModelError(
            self.endpoint.message(f"sent an invalid response: {text}", response.headers),
            status=response.status_code,
            request_id=request_id_of(response.headers),
        )


def _discard(_: str) -> None:
    """Ignore the text of a request that does not stream."""


async def _drain(chunks: AsyncGenerator[bytes, None]) -> None:
    with anyio.move_on_after(_DRAIN_TIMEOUT):
        async for _ in chunks:
            pass


async def _unwind(raw: AsyncIterator[bytes]) -> None:
    """End an iteration that may have been left early.

    httpx's iterators are nested generators. Closing the outer one leaves the inner ones to the
    garbage collector, and trio warns. Reading once more in a cancelled scope raises in the
    innermost one, which unwinds all of them.
    """
    with anyio.CancelScope() as scope, suppress(httpx.HTTPError):
        scope.cancel()
        async for _ in raw:
            pass


class _Body(httpx.AsyncByteStream):
    """The bytes of a request's body, sent in one chunk.

    httpx's own stream is an asynchronous generator: a call that is cancelled while it sends
    leaves it unfinished, and trio warns when it is collected. An iterator needs no closing.

    Args:
        content: The bytes.
        this: The try whose request it is part of.
    """

    def __init__(self, content: bytes, this: Try) -> None:
        self._content = content
        self._try = this

    def __aiter__(self) -> AsyncIterator[bytes]:
        self._try.sent = True
        return _Chunks([self._content])


class _Chunks(AsyncIterator[bytes]):
    def __init__(self, remaining: list[bytes]) -> None:
        self._remaining = remaining

    async def __anext__(self) -> bytes:
        if not self._remaining:
            raise StopAsyncIteration
        return self._remaining.pop()

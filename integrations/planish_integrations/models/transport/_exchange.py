"""Send one request over HTTP once, and read its response."""

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
import httpx

from planish.abc import OnText
from planish.data.message import Reply
from planish.data.usage import Price, attach_usage
from planish_integrations.models.transport._endpoint import Endpoint
from planish_integrations.models.transport._errors import (
    RetryableError,
    in_band_error,
    parse_error_body,
    status_error,
)
from planish_integrations.models.transport._network_errors import (
    network_errors,
    overload_error,
    protocol_error,
)
from planish_integrations.models.transport._options import Timeouts
from planish_integrations.models.transport._parsing import (
    StreamReader,
    TruncatedError,
    reply_from_body,
)
from planish_integrations.models.transport._response_data import response_data
from planish_integrations.models.transport._try import Try
from planish_integrations.models.transport.protocol import (
    Framing,
    InBandError,
    ProtocolError,
    ProviderProtocol,
)

__all__ = ["Exchange"]

_MAX_ERROR_BODY = 64 * 1024  # bytes read of an error response
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
    """

    endpoint: Endpoint
    protocol: ProviderProtocol
    path: str
    body: bytes = field(repr=False)
    timeouts: Timeouts
    price: Price | None
    prompt_tokens: int

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
        response = await self._send(client, this)
        try:
            reply = await self._read(response, on_text, this)
            return self._without_secrets(reply, response)
        finally:
            if not response.is_closed:  # a response that was read to its end is closed
                with anyio.move_on_after(_CLOSE_TIMEOUT, shield=True):
                    await response.aclose()

    async def _send(self, client: httpx.AsyncClient, this: Try) -> httpx.Response:
        waits = self.timeouts
        limits = httpx.Timeout(waits.between, connect=waits.connect, read=waits.first, pool=None)
        request = client.build_request(
            "POST",
            self.endpoint.url(self.path),
            content=self.body,
            headers=await self.endpoint.headers(self.protocol.headers),
            timeout=limits,
        )
        request.stream = _Body(self.body, this)
        # A user's client may add keys, which a server may repeat in headers that httpx logs.
        request.extensions["trace"] = self._learn
        self.endpoint.learn(request.headers, request.url.query)
        try:
            with network_errors(self.endpoint):
                # A redirect to another host would be sent the key.
                return await client.send(request, stream=True, follow_redirects=False)
        finally:
            self.endpoint.learn(request.headers, request.url.query)

    async def _learn(self, event: str, info: Mapping[str, Any]) -> None:
        """Redact what a client of the user's adds to the request. Called by httpcore."""
        if event.endswith("send_request_headers.started"):
            request = info["request"]
            query = request.url.target.partition(b"?")[2]
            self.endpoint.learn(httpx.Headers(request.headers), query)

    def _without_secrets(self, reply: Reply, response: httpx.Response) -> Reply:
        """Return a reply with its names and ids redacted, which go to spans and logs."""
        redact = self.endpoint.redact
        return replace(
            reply,
            model=reply.model and redact(reply.model),
            id=reply.id and redact(reply.id),
            request_id=self.endpoint.request_id(response.headers),
        )

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
            unreadable = protocol_error(self.endpoint, response, str(error))
            raise RetryableError(unreadable, is_unreadable=True) from None

    def _framing(self, response: httpx.Response, *, streamed: bool) -> Framing | None:
        """Return how the response is split into JSON values; None if it is a single one."""
        kind = response.headers.get("content-type", "").lower()
        if "event-stream" in kind:
            return "events"
        if any(word in kind for word in _LINE_TYPES):
            return "lines"
        # DeepSeek was recorded to send its JSON as application/octet-stream, gateways as text.
        if not kind or "octet-stream" in kind or "text/plain" in kind:
            return self.protocol.framing if streamed else None
        if "json" not in kind:
            # A page of a proxy, most likely, and no response of the provider.
            raise RetryableError(
                protocol_error(self.endpoint, response, f"content of type {kind!r}")
            )
        # One object is also a stream of one line.
        return "lines" if streamed and self.protocol.framing == "lines" else None

    async def _read_whole(self, response: httpx.Response, sink: OnText, this: Try) -> Reply:
        body = bytearray()
        async with response_data(self.endpoint, response, self.timeouts) as data:
            async for chunk in data:
                body += chunk
                this.unread = len(body)
                if chunk and not chunk.isspace():
                    data.mark()
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
        try:
            async with response_data(self.endpoint, response, self.timeouts) as data:
                async for chunk in data:
                    events = reader.events
                    if text := reader.feed(chunk):
                        sink(text)
                    if reader.has_ended:
                        await data.drain()
                        break
                    if reader.events > events:
                        data.mark()
        except RetryableError:
            if not reader.is_complete:
                raise
        try:
            if text := reader.end():
                sink(text)
        except TruncatedError:
            error = overload_error(self.endpoint, response, "ended its response too early")
            raise RetryableError(error) from None
        return reader.to_reply()

    async def _read_error(self, response: httpx.Response) -> bytes:
        body = bytearray()
        # A part of the reason suffices: the status already tells whether to retry.
        with suppress(RetryableError):
            async with response_data(self.endpoint, response, self.timeouts) as data:
                async for chunk in data:
                    body += chunk
                    data.mark()
                    if len(body) > _MAX_ERROR_BODY:
                        break
        return bytes(body[:_MAX_ERROR_BODY])


def _discard(_: str) -> None:
    """Ignore the text of a request that does not stream."""


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

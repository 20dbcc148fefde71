"""A small web server on loopback: HTTP/1.1 by h11, applications by ASGI, JSON answers."""

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast
from urllib.parse import parse_qs, unquote

import anyio
import anyio.abc
import h11

__all__ = [
    "App",
    "HttpRequest",
    "Message",
    "Receive",
    "Scope",
    "Send",
    "read_request",
    "request_headers",
    "send_json",
    "send_response",
    "serve_connection",
]

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, OSError)


async def serve_connection(app: App, stream: anyio.abc.SocketStream) -> None:
    """Answer the requests of one connection until either side closes it."""
    http = h11.Connection(h11.SERVER)
    try:
        async with stream:
            while await _Exchange(app, stream, http).handle():
                http.start_next_cycle()
    except (*_GONE, h11.RemoteProtocolError, h11.LocalProtocolError):
        return  # the client left, or an application ended before its answer was complete


class _Exchange:
    """One request and its answer."""

    def __init__(self, app: App, stream: anyio.abc.SocketStream, wire: h11.Connection) -> None:
        self._app = app
        self._stream = stream
        self._http = wire
        self._request_read = False  # the whole request has been read
        self._started: Message | None = None

    async def handle(self) -> bool:
        """Answer one request; return whether the connection can take another."""
        event = await self._next()
        if not isinstance(event, h11.Request):
            return False
        await self._app(self._scope(event), self._receive, self._send)
        while not self._request_read and self._http.their_state is h11.SEND_BODY:
            await self._receive()  # the part that the application did not read
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    def _scope(self, request: h11.Request) -> Scope:
        path, _, query = request.target.partition(b"?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": request.method.decode(),
            "scheme": "http",
            "path": unquote(path.decode("ascii")),
            "raw_path": path,
            "root_path": "",
            "query_string": query,
            "headers": [(name.lower(), value) for name, value in request.headers],
            "server": ("127.0.0.1", None),
            "client": ("127.0.0.1", 0),
        }

    async def _next(self) -> Any:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                proceed = h11.InformationalResponse(status_code=100, headers=[])
                await self._put(proceed)
            try:
                self._http.receive_data(await self._stream.receive())
            except anyio.EndOfStream:
                self._http.receive_data(b"")

    async def _receive(self) -> Message:
        if not self._request_read:
            event = await self._next()  # raises if the body is cut
            if isinstance(event, h11.Data):
                return {"type": "http.request", "body": bytes(event.data), "more_body": True}
            self._request_read = True
            return {"type": "http.request", "body": b"", "more_body": False}
        try:
            while True:  # the client sends nothing more until it is answered
                self._http.receive_data(await self._stream.receive())
        except _GONE:
            return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = message
            return
        if message["type"] != "http.response.body":
            return
        more, body = message.get("more_body", False), message.get("body", b"")
        if self._started is not None:
            await self._start(self._started, None if more else len(body))
            self._started = None
        if body:
            await self._put(h11.Data(data=body))
        if not more:
            await self._put(h11.EndOfMessage())

    async def _start(self, start: Message, length: int | None) -> None:
        headers = [(bytes(name), bytes(value)) for name, value in start.get("headers", [])]
        known = {name.lower() for name, _ in headers}
        if length is not None and not known & {b"content-length", b"transfer-encoding"}:
            headers.append((b"content-length", str(length).encode()))
        await self._put(h11.Response(status_code=start["status"], headers=headers))

    async def _put(self, event: Any) -> None:
        data = cast("bytes | None", self._http.send(event))
        if data:
            await self._stream.send(data)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request with its whole body."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> dict[str, Any]:
        """Return the decoded body; {} if it is empty."""
        found: dict[str, Any] = json.loads(self.body or b"{}")
        return found


def request_headers(scope: Scope) -> dict[str, str]:
    """Return the headers by lower-case name."""
    return {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}


async def read_request(scope: Scope, receive: Receive) -> HttpRequest:
    """Read a request to its end."""
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
    query = {name: values[-1] for name, values in parse_qs(scope["query_string"].decode()).items()}
    return HttpRequest(scope["method"], scope["path"], query, request_headers(scope), bytes(body))


async def send_response(
    send: Send,
    status: int,
    body: bytes = b"",
    kind: str = "application/octet-stream",
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send a whole response."""
    pairs = [(b"content-type", kind.encode())]
    pairs += [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})


async def send_json(
    send: Send, status: int, value: Any = None, headers: Mapping[str, str] | None = None
) -> None:
    """Send a whole response in JSON; a text becomes the message of an error."""
    if isinstance(value, str):
        value = {"code": status, "message": value}
    body = b"" if value is None else json.dumps(value).encode()
    await send_response(send, status, body, "application/json", headers)

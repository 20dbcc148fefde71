"""A real HTTP server on the loopback interface that answers as it is told, or misbehaves so."""

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from socketserver import ThreadingTCPServer
from typing import Any, Literal, Self

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """What to answer, and how.

    Attributes:
        cuts: Offsets at which the body is cut into HTTP chunks.
        stop_after: Body bytes after which the connection ends, -1 for not even a status; None
            for a complete answer.
        end: How it ends then: closed, reset, or kept open until the client closes it.
        pause: Seconds between two chunks; 0.0 sends all of them together.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: dict(JSON))
    cuts: tuple[int, ...] = ()
    stop_after: int | None = None
    end: Literal["close", "reset", "hang"] = "close"
    pause: float = 0.0


Script = Callable[[Received], Answer]


def completion(text: str = "ok", **fields: Any) -> Answer:
    """A whole answer of the chat-completions API."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "model": "loopback-1",
        "choices": [choice | {"finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
    return Answer(json.dumps(body | fields).encode())


def chunk(text: str | None = None, finish: str | None = None, **fields: Any) -> bytes:
    """One event of a streamed answer."""
    delta = {} if text is None else {"content": text}
    event: dict[str, Any] = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return b"data: " + json.dumps(event | fields).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def events(*pieces: bytes, **how: Any) -> Answer:
    """A streamed answer."""
    return Answer(b"".join(pieces), headers=EVENTS, **how)


def error_response(status: int, message: str = "no", **how: Any) -> Answer:
    """An error answer of OpenAI's shape."""
    error = {"message": message, "type": how.pop("kind", None), "code": how.pop("code", None)}
    headers = JSON | how.pop("headers", {})
    return Answer(json.dumps({"error": error}).encode(), status=status, headers=headers, **how)


class Loopback:
    """Answers each request with the next of `answers`, then with what `otherwise` says."""

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self.answers: deque[Answer] = deque()
        self.otherwise: Script | None = None
        self.troubles: list[str] = []
        self.connections = 0
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._server = _Server(self)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def open(self) -> int:
        """How many connections clients have open now."""
        return len(self._sockets)

    def closes_within(self, seconds: float) -> bool:
        """Whether all connections are closed by their clients in time."""
        end = time.monotonic() + seconds
        while self.open and time.monotonic() < end:
            time.sleep(0.005)
        return not self.open

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self.connections += 1
            self._sockets.add(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._sockets.discard(connection)

    def answer_to(self, received: Received) -> Answer:
        with self._lock:
            self.requests.append(received)
            if self.answers:
                return self.answers.popleft()
        if self.otherwise is None:
            self.troubles.append(f"nothing left to answer {received.path} with")
            return Answer(status=418)
        return self.otherwise(received)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        with self._lock:
            for connection in self._sockets:
                connection.shutdown(socket.SHUT_RDWR)
        self._server.server_close()


class _Server(ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, loopback: Loopback) -> None:
        self.loopback = loopback
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        self.loopback.troubles.append(f"the handler of {client_address} failed")
        super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]  # it is made by one

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.server.loopback.opened(self.connection)

    def finish(self) -> None:
        self.server.loopback.closed(self.connection)
        super().finish()

    def log_message(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Be quiet."""

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True  # the client went away: some tests want just that

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.loopback.answer_to(Received(self.command, self.path, headers, body))
        if answer.stop_after is None or answer.stop_after >= 0:
            self.send_response_only(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            self._send(answer)
        if answer.stop_after is not None:
            self._break_off(answer)

    def _send(self, answer: Answer) -> None:
        body = answer.body[: answer.stop_after]
        edges = sorted({0, *(cut for cut in answer.cuts if cut < len(body)), len(body)})
        waiting = b""
        for start, end in pairwise(edges):
            waiting += b"%x\r\n%b\r\n" % (end - start, body[start:end])
            if answer.pause:
                self.wfile.write(waiting)
                waiting = b""
                time.sleep(answer.pause)
        self.wfile.write(waiting if answer.stop_after is not None else waiting + b"0\r\n\r\n")

    def _break_off(self, answer: Answer) -> None:
        self.close_connection = True
        if answer.end == "hang":
            self.connection.recv(1)  # until the client closes
        if answer.end == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

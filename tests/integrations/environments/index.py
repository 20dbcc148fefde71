"""A package index on loopback that can be slow, broken, or want a password."""

import base64
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

__all__ = ["Index"]


class Index:
    """Serves the wheels of a folder as the simple API of PEP 503.

    Attributes:
        asked: How often each path was asked for.
        login: "name:password", when it wants one.
        failing: So many answers more are 503.
        gate: Files are handed out while it is set.
        waiting: It is set when somebody waits at the gate.
    """

    def __init__(self, folder: Path) -> None:
        self.requests: Counter[str] = Counter()
        self.login = ""
        self.failing = 0
        self.gate, self.waiting = Event(), Event()
        self.gate.set()
        self.folder = folder
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.answer(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                assert format or args

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.address}/simple"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.requests[request.path] += 1
        wanted = base64.b64encode(self.login.encode()).decode()
        if self.login and request.headers["Authorization"] != f"Basic {wanted}":
            return self._send(request, 401)
        if self.failing:
            self.failing -= 1
            return self._send(request, 503)
        _, kind, name, *_ = f"{request.path}//".split("/")
        if kind == "simple":
            return self._send_page(request, name)
        if kind != "files":
            return self._send(request, 404)
        self.waiting.set()
        self.gate.wait(600)
        return self._send(request, 200, (self.folder / name).read_bytes())

    def _send_page(self, request: BaseHTTPRequestHandler, name: str) -> None:
        files = [one.name for one in sorted(self.folder.iterdir())]
        own = [one for one in files if one.split("-")[0].lower() == name]
        links = "".join(f'<a href="/files/{one}">{one}</a>' for one in own)
        self._send(request, 200 if own else 404, f"<html><body>{links}</body></html>".encode())

    def _send(self, request: BaseHTTPRequestHandler, status: int, body: bytes = b"") -> None:
        try:
            request.send_response(status)
            request.send_header("Content-Type", "text/html")
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body)
        except OSError:  # whoever asked has been killed
            request.close_connection = True

"""`LoopbackE2B`: a whole E2B on loopback, for tests without an account."""

from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import anyio
import anyio.abc
from anyio.from_thread import BlockingPortal, start_blocking_portal
from e2b.envd.filesystem.filesystem_connect import FilesystemASGIApplication
from e2b.envd.process.process_connect import ProcessASGIApplication

from ._control import Control
from ._envd import Processes
from ._faults import Faults, Operation
from ._files import Files, serve_files
from ._http import (
    Receive,
    Scope,
    Send,
    read_request,
    request_headers,
    send_json,
    send_response,
    serve_connection,
)
from ._interpreter import Interpreter
from ._machine import Machine

__all__ = ["LoopbackE2B"]

_ENVD, _INTERPRETER = 49983, 49999
_POLL_SECONDS = 0.05  # seconds between two searches for sandboxes whose lifetime is over


class LoopbackE2B:
    """E2B's control plane, envd and code interpreter on one port of this machine.

    **It isolates nothing**: programs run as processes of this machine, whatever the SDK reports.
    It is for testing your own code, without an account, with the real SDK. Code really runs: each
    sandbox is a folder and its processes, each context a Python interpreter.

    The server runs in its own thread, so it serves tests on any event loop or none. It reproduces
    known defects of E2B: a cell that is sent to a context right after a time-out is never
    answered, a context whose process died is out of service for some seconds, `envs` of `run_code`
    are pasted into the code, and a sandbox whose lifetime is over ends its streams as if they were
    complete. Not implemented: watching folders, terminals, snapshots, the content of templates,
    languages other than Python, signed file addresses. On systems without Linux's /proc, a process
    that leaves its session outlives its sandbox.

    Args:
        api_key: The accepted key; others get 401.
        concurrency: Sandboxes that may run at once; more get 429.
        interrupt_seconds: Seconds until a cell whose client has left is interrupted.
        restart_seconds: Seconds until a context whose process died gets another one.

    Attributes:
        errors: Errors of the server itself, which a test can assert to be empty.

    Example:
        ```python
        with LoopbackE2B() as server:
            sandbox = await AsyncSandbox.create(**server.options)
        ```
    """

    def __init__(
        self,
        *,
        api_key: str = "e2b_loopback",
        concurrency: int = 100,
        interrupt_seconds: float = 0.0,
        restart_seconds: float = 1.5,
    ) -> None:
        self._api_key = api_key
        self._concurrency = concurrency
        self._faults = Faults()
        self._interpreter = Interpreter(self._faults, interrupt_seconds)
        self._restart_seconds = restart_seconds
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._control: Control | None = None
        self._stop: anyio.Event | None = None
        self._url = ""
        self.errors: list[Exception] = []

    def __repr__(self) -> str:
        return f"LoopbackE2B(url={self._url!r})"

    @property
    def url(self) -> str:
        """The server's address; empty before it is entered."""
        return self._url

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of the SDK's `create`, `connect` and `list` for this server."""
        return {"api_key": self._api_key, "api_url": self._url, "sandbox_url": self._url}

    @property
    def environment(self) -> dict[str, str]:
        """The same as environment variables."""
        return {
            "E2B_API_KEY": self._api_key,
            "E2B_API_URL": self._url,
            "E2B_SANDBOX_URL": self._url,
        }

    @property
    def sandboxes(self) -> tuple[str, ...]:
        """The ids of the existing sandboxes, including paused ones."""
        return tuple(self._require_control.machines)

    @property
    def creations(self) -> tuple[Mapping[str, Any], ...]:
        """The request body of each creation."""
        return tuple(self._require_control.creations)

    @property
    def calls(self) -> Mapping[str, int]:
        """How often each operation was requested."""
        return dict(self._faults.calls)

    def fail(
        self,
        operation: Operation,
        status: int,
        *,
        times: int = 1,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Make an operation fail the next `times` times.

        Args:
            operation: The operation: "create", "kill", "write", "execute" and so on.
            status: The HTTP status of the answer.
            times: How often.
            headers: More headers of the answer: `{"Retry-After": "1"}`.

        Raises:
            ValueError: there is no such operation.
        """
        self._faults.add(operation, status, times, headers or {}, 0.0)

    def delay(self, operation: Operation, seconds: float, *, times: int = 1) -> None:
        """Delay an operation by `seconds`, the next `times` times.

        Raises:
            ValueError: there is no such operation.
        """
        self._faults.add(operation, 0, times, {}, seconds)

    def cut(self, operation: Operation, after: int = 0) -> None:
        """End the next stream of "execute" or "command" early, as if it were complete.

        Args:
            operation: The operation.
            after: The number of events before the end.
        """
        self._faults.cuts.setdefault(operation, []).append(after)

    def kill_sandbox(self, sandbox_id: str) -> None:
        """Kill a sandbox now."""
        if self._portal is not None and sandbox_id in self._require_control.machines:
            self._portal.call(
                self._require_control.remove, self._require_control.machines[sandbox_id]
            )

    def __enter__(self) -> Self:
        self._portal = self._stack.enter_context(start_blocking_portal("asyncio"))
        self._server_task, self._url = self._portal.start_task(self._serve)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._portal is not None and self._stop is not None:
            self._portal.call(self._stop.set)
            self._server_task.result()
        self._stack.close()

    @property
    def _require_control(self) -> Control:
        if self._control is None:
            raise RuntimeError("LoopbackE2B is not entered: use `with LoopbackE2B() as server:`")
        return self._control

    async def _serve(self, *, task_status: anyio.abc.TaskStatus[str]) -> None:
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        port = listener.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610  # no Django
        self._stop = anyio.Event()
        async with listener, anyio.create_task_group() as tasks:
            self._control = Control(
                self._api_key, self._faults, self._concurrency, self._restart_seconds, tasks
            )
            tasks.start_soon(listener.serve, self._connection)
            tasks.start_soon(self._expire_sandboxes)
            task_status.started(f"http://127.0.0.1:{port}")
            await self._stop.wait()
            for machine in list(self._control.machines.values()):
                self._control.remove(machine)
            while self._control.alive:  # noqa: ASYNC110  # soon empty, and the kernel sets no event
                await anyio.sleep(_POLL_SECONDS / 10)
            tasks.cancel_scope.cancel()

    async def _expire_sandboxes(self) -> None:
        while True:
            await anyio.sleep(_POLL_SECONDS)
            for identity in list(self._require_control.machines):
                self._require_control.find(identity)

    async def _connection(self, stream: anyio.abc.SocketStream) -> None:
        try:
            await serve_connection(self._answer, stream)
        except Exception as error:  # noqa: BLE001  # an error of this server, not of the tested code
            self.errors.append(error)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = request_headers(scope)
        identity = headers.get("e2b-sandbox-id")
        if identity is None:
            await self._require_control(await read_request(scope, receive), send)
            return
        machine = self._require_control.find(identity)
        if machine is None or machine.paused:
            await send_json(send, 502, "The sandbox was not found")
            return
        port = int(headers.get("e2b-sandbox-port", _ENVD))
        if port == _INTERPRETER:
            await self._interpreter(machine, await read_request(scope, receive), receive, send)
        elif port != _ENVD:
            await send_json(send, 502, "The sandbox is running but port is not open")
        else:
            await self._envd(machine, headers, scope, receive, send)

    async def _envd(
        self, machine: Machine, headers: dict[str, str], scope: Scope, receive: Receive, send: Send
    ) -> None:
        path: str = scope["path"]
        if path == "/health":
            if not await self._faults.apply("health", send):
                await send_response(send, 204)
        elif headers.get("x-access-token") != machine.token:
            await send_json(send, 401, "unauthorized")
        elif path == "/files":
            await serve_files(machine, await read_request(scope, receive), self._faults, send)
        elif path.startswith("/filesystem.Filesystem/"):
            app = FilesystemASGIApplication(Files(machine))
            await app(scope, receive, send)
        elif path.startswith("/process.Process/"):
            start = path.endswith("/Start")
            if not (start and await self._faults.apply("command", send)):
                processes = ProcessASGIApplication(Processes(machine, self._faults))
                await processes(scope, receive, send)
        else:
            await send_json(send, 404, f"no {path} here")

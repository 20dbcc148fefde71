"""All protocols, and by which path each is asked."""

import socket
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, cast

import anyio
import h11
from anyio.abc import SocketStream, TaskGroup, TaskStatus

from ._answer import Answer, Delivery
from ._anthropic import Messages
from ._connection import Connection, Cuts
from ._fault import Fault
from ._fault_injection import error_answer, inject_fault
from ._gemini import Gemini
from ._ollama import Ollama
from ._openai import ChatCompletions, Responses
from ._protocol import ChatRequest, ProtocolName, ProviderProtocol
from ._request import ReceivedRequest
from ._script import Replies, Script

__all__ = ["LoopbackProvider"]

_PROTOCOLS: Mapping[ProtocolName, ProviderProtocol] = {
    "openai": ChatCompletions(),
    "responses": Responses(),
    "anthropic": Messages(),
    "gemini": Gemini(),
    "ollama": Ollama(),
}

_BASE_PATHS: Mapping[ProtocolName, str] = {
    "openai": "/v1",
    "responses": "/v1",
    "anthropic": "/v1",
    "gemini": "/v1beta",
    "ollama": "",
}
"""What stands before the path in each provider's own base URL."""

_PATH_ENDS: Mapping[str, ProtocolName] = {
    "/chat/completions": "openai",
    "/responses": "responses",
    "/messages": "anthropic",
    ":generateContent": "gemini",
    ":streamGenerateContent": "gemini",
    "/api/chat": "ollama",
}


def _protocol_of(path: str) -> ProtocolName | None:
    """The protocol a path is of, by its end, so that any base URL will do; None for no one."""
    return next((name for end, name in _PATH_ENDS.items() if path.endswith(end)), None)


Faults = Fault | Sequence[Fault | None] | Callable[[ReceivedRequest], Fault | None]

_HOST = "127.0.0.1"
_WAITING = 1024  # connections that may wait to be accepted


class LoopbackProvider:
    """A real HTTP/1.1 server on this machine that answers as providers of models do.

    It speaks OpenAI's chat completions and Responses, Anthropic's Messages, Gemini's
    generateContent and Ollama's chat, each whole or streamed as it is asked, and fails on
    demand. Which protocol a request is of, its path says; so one server serves all of them.

    Entered, it listens; left, it is gone with all its connections. It fails then when scripted
    replies were never asked for, or more were asked for than there are.

    Args:
        replies: What requests are answered with, in the order in which they arrive: texts,
            `planish.Reply` (which has finish reason, usage, id and reasoning too), or whole
            HTTP answers (`Answer`, `recorded`). One alone answers all requests; a function is
            given each request. A request that was given a fault uses up no reply, so that the
            next one, mostly a retry, gets the same.
        faults: What goes wrong: one fault for all requests; a schedule, the n-th of which meets
            the n-th request; or a function of the request, as `Chance` is.
        cuts: Where bodies are cut into HTTP chunks: at these offsets, or every so many bytes.
            None (the default) sends each event of a stream as a chunk, and other answers with
            a Content-Length.
        seconds: How long each answer takes before its first byte; 0.0 by default.
        pace: Seconds between two pieces of a body; 0.0 by default.

    Attributes:
        requests: Every request, in the order of arrival.
        served: How many were answered rightly and wholly.
        faulted: The faults that were injected, in order.

    Example:
        ```python
        async with LoopbackProvider(["hello"], faults=[Fault.error(503)]) as server:
            model = OpenAIModel("any", base_url=server.url("openai"), api_key="")
            reply = await model.reply(request)
        assert (reply.text, reply.resends, server.served) == ("hello", 1, 1)
        ```
    """

    def __init__(
        self,
        replies: Replies = (),
        *,
        faults: Faults = (),
        cuts: Cuts = None,
        seconds: float = 0.0,
        pace: float = 0.0,
    ) -> None:
        self._script = Script(replies)
        self._faults = faults
        self._cuts = cuts
        self._seconds = seconds
        self._pace = pace
        self._stack = AsyncExitStack()
        self._tasks: TaskGroup | None = None
        self._listening: anyio.CancelScope | None = None
        self._streams: set[SocketStream] = set()
        self._port = 0
        self._missing_replies = 0
        self.requests: list[ReceivedRequest] = []
        self.served: int = 0
        self.injected_faults: list[Fault] = []

    @property
    def port(self) -> int:
        """Where it listens, on 127.0.0.1; 0 before it is entered."""
        return self._port

    @property
    def open(self) -> int:
        """How many connections are open now."""
        return len(self._streams)

    def url(self, protocol: ProtocolName) -> str:
        """The base URL for a client of this protocol, as the provider's own would be."""
        return f"http://{_HOST}:{self._port}{_BASE_PATHS[protocol]}"

    def __repr__(self) -> str:
        return f"LoopbackProvider(port={self._port}, {len(self.requests)} requests)"

    async def __aenter__(self) -> Self:
        """Begin to listen, on a free port."""
        # Holds the port while `refusing` does not listen, so that nobody else gets it.
        holder = self._stack.enter_context(socket.socket())
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if sys.platform != "linux":
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        holder.bind((_HOST, 0))
        self._port = holder.getsockname()[1]
        self._tasks = await self._stack.enter_async_context(anyio.create_task_group())
        await self._tasks.start(self._listen)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close everything.

        Raises:
            AssertionError: replies are left over, or were missing.
        """
        if self._tasks is not None:
            self._tasks.cancel_scope.cancel()
        # Of errors, the task group sees only that it is cancelled: the block's own it would wrap.
        cancelled = isinstance(error, anyio.get_cancelled_exc_class())
        await self._stack.__aexit__(*((kind, error, trace) if cancelled else (None, None, None)))
        if error is not None:
            return
        if self._missing_replies:
            raise AssertionError(
                f"{self!r}: {self._missing_replies} more than there were replies for"
            )
        if self._script.remaining > 0:
            raise AssertionError(f"{self!r}: {self._script.remaining} replies were never asked for")

    @asynccontextmanager
    async def refusing(self) -> AsyncGenerator[None, None]:
        """Refuse connections inside the block; those that are open are reset."""
        if self._tasks is None or self._listening is None:
            raise RuntimeError(f"{self!r} does not listen: enter it first")
        self._listening.cancel()
        for stream in [*self._streams]:
            await anyio.aclose_forcefully(stream)
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await self._tasks.start(self._listen)

    async def _listen(self, *, task_status: TaskStatus[None]) -> None:
        listener = await anyio.create_tcp_listener(
            local_host=_HOST,
            local_port=self._port,
            backlog=_WAITING,
            reuse_port=sys.platform != "linux",
        )
        async with listener:
            with anyio.CancelScope() as self._listening:
                task_status.started()
                # A group of its own would end the connections with the listener.
                await listener.serve(self._connected, self._tasks)

    async def _connected(self, stream: SocketStream) -> None:
        self._streams.add(stream)
        try:
            async with stream:
                connection = Connection(
                    stream, self._answer, self._count, cuts=self._cuts, pace=self._pace
                )
                await connection.serve()
        finally:
            self._streams.discard(stream)

    def _count(self) -> None:
        self.served += 1

    def _answer(self, head: h11.Request, body: bytes) -> Delivery:
        path, _, query = head.target.decode("ascii", "replace").partition("?")
        received = ReceivedRequest(
            number=len(self.requests) + 1,
            protocol=_protocol_of(path),
            method=head.method.decode("ascii"),
            path=path,
            query=query,
            headers={k.decode("latin-1"): v.decode("latin-1") for k, v in head.headers},
            body=body,
        )
        self.requests.append(received)
        return self._delivery(received)

    def _delivery(self, received: ReceivedRequest) -> Delivery:
        protocol = _PROTOCOLS[received.protocol or "openai"]
        if received.protocol is None or received.method != "POST":
            lost = Fault.error(404, f"Nothing is at {received.method} {received.path}.")
            return Delivery(answer=error_answer(protocol, lost), correct=False)
        scripted = self._script.next(received)
        if scripted is None:
            self._missing_replies += 1
            # A status no client sends a request again for.
            none = Fault.error(410, "The loopback provider has no more replies.")
            return Delivery(answer=error_answer(protocol, none), correct=False)
        asked = ChatRequest(received.path, received.query, _object(received))
        answer: Answer = self._script.answer(scripted, received, protocol, asked)
        fault = self._fault(received)
        if fault is not None:
            self.injected_faults.append(fault)
        delivery = (
            Delivery(answer=answer) if fault is None else inject_fault(answer, fault, protocol)
        )
        if delivery.correct:
            self._script.advance()
        if delivery.delay == 0:
            return replace(delivery, delay=self._seconds)
        return delivery

    def _fault(self, received: ReceivedRequest) -> Fault | None:
        if isinstance(self._faults, Fault):
            return self._faults
        if callable(self._faults):
            return self._faults(received)
        return self._faults[received.number - 1] if received.number <= len(self._faults) else None


def _object(received: ReceivedRequest) -> dict[str, Any]:
    try:
        value: object = received.json
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}

"""`LoopbackProvider`: a local HTTP server that answers as the providers of models do."""

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
"""The path of each provider's base URL."""

_PATH_ENDS: Mapping[str, ProtocolName] = {
    "/chat/completions": "openai",
    "/responses": "responses",
    "/messages": "anthropic",
    ":generateContent": "gemini",
    ":streamGenerateContent": "gemini",
    "/api/chat": "ollama",
}


def _protocol_of(path: str) -> ProtocolName | None:
    """Return the protocol of a path by its end, so that any base URL works; None if unknown."""
    return next((name for end, name in _PATH_ENDS.items() if path.endswith(end)), None)


Faults = Fault | Sequence[Fault | None] | Callable[[ReceivedRequest], Fault | None]

_HOST = "127.0.0.1"
_WAITING = 1024  # connections that may wait to be accepted


class LoopbackProvider:
    """A real HTTP/1.1 server on this machine that answers as the providers of models do.

    It implements OpenAI's chat completions and Responses, Anthropic's Messages, Gemini's
    generateContent and Ollama's chat, whole or streamed as requested, and fails on demand. The
    path of a request decides the protocol, so one server serves all of them.

    It listens inside its `async with` block; at the end all its connections are closed. Leaving the
    block raises an AssertionError if listed replies were not requested, or if more were requested
    than listed.

    Args:
        replies: The answers, in the order in which requests arrive: texts,
            `planish.data.Reply` (which also has finish reason, usage, id and reasoning), or whole
            HTTP answers (`Answer`, `recorded_answers`). A single one answers all requests; a
            function is called with each request. A request with a fault uses up no reply, so the
            next request, usually a retry, gets the same one.
        faults: One fault for all requests; a sequence, whose n-th item is for the n-th request;
            or a function of the request, such as `RandomFaults`.
        cuts: Where bodies are cut into HTTP chunks: at these byte offsets, or every so many bytes.
            None (the default) sends each event of a stream as a chunk, and other answers with a
            Content-Length.
        seconds: Seconds before the first byte of each answer; 0.0 by default.
        pace: Seconds between two pieces of a body; 0.0 by default.

    Attributes:
        requests: Every request, in order of arrival.
        served: How many requests were answered correctly and completely.
        injected_faults: The faults that were injected, in order.

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
        """The port it listens on, at 127.0.0.1; 0 before it is entered."""
        return self._port

    @property
    def open(self) -> int:
        """How many connections are open."""
        return len(self._streams)

    def url(self, protocol: ProtocolName) -> str:
        """Return the base URL for a client of this protocol."""
        return f"http://{_HOST}:{self._port}{_BASE_PATHS[protocol]}"

    def __repr__(self) -> str:
        return f"LoopbackProvider(port={self._port}, {len(self.requests)} requests)"

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        # Reserves the port while `refusing` does not listen.
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
        """Close the server and its connections.

        Raises:
            AssertionError: listed replies were not requested, or more were requested than listed.
        """
        if self._tasks is not None:
            self._tasks.cancel_scope.cancel()
        # Pass only cancellation to the task group, which would wrap other errors of the block.
        cancelled = isinstance(error, anyio.get_cancelled_exc_class())
        await self._stack.__aexit__(*((kind, error, trace) if cancelled else (None, None, None)))
        if error is not None:
            return
        if self._missing_replies:
            raise AssertionError(f"{self!r}: {self._missing_replies} requests more than replies")
        if self._script.remaining > 0:
            raise AssertionError(f"{self!r}: {self._script.remaining} replies were not requested")

    @asynccontextmanager
    async def refusing(self) -> AsyncGenerator[None, None]:
        """Refuse connections inside the block, and reset open ones."""
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
                # With a task group of its own, the end of the listener would end the connections.
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
        path, _, query = head.target.decode("ascii").partition("?")
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
            not_found = Fault.error(404, f"Nothing is at {received.method} {received.path}.")
            return Delivery(answer=error_answer(protocol, not_found), correct=False)
        item = self._script.next(received)
        if item is None:
            self._missing_replies += 1
            # A status after which clients do not retry.
            exhausted = Fault.error(410, "The loopback provider has no more replies.")
            return Delivery(answer=error_answer(protocol, exhausted), correct=False)
        chat_request = ChatRequest(received.path, received.query, _object(received))
        answer: Answer = self._script.answer(item, received, protocol, chat_request)
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

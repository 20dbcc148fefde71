"""Send requests to the process of a session, and receive its answers."""

import json
from functools import partial
from typing import Any, Protocol, cast

import anyio

from planish.errors import SandboxError, SandboxLostError
from planish_integrations.sandboxes.host import run_to_end

__all__ = ["Conversation", "Line"]

_HEAD = 8  # bytes of a length
_MOST = 1 << 30  # bytes of one message
_TO_STOP = 15.0  # seconds for the process to stop a cancelled request


class Line(Protocol):
    """Standard input and output of a program that runs."""

    async def send(self, data: bytes) -> object:
        """Write to its standard input."""
        ...

    async def receive(self) -> bytes:
        """Some bytes of its standard output; empty at the end."""
        ...

    async def limit(self) -> str | None:
        """At the end: the limit that ended it, if one did."""
        ...


class Conversation:
    """Sends one request at a time. A cancelled one is stopped, and its answer is discarded.

    Args:
        line: Standard input and output of the session's process.
    """

    def __init__(self, line: Line) -> None:
        self._line = line
        self._lock = anyio.Lock()
        self._rest = bytearray()
        self._lost = False
        self._asking = anyio.CancelScope()

    async def close(self) -> None:
        """Send no more requests; fail those that wait for an answer."""
        self._lost = True
        self._asking.cancel()
        with anyio.CancelScope(shield=True):
            async with self._lock:
                return

    async def ask(self, do: str, **asked: Any) -> dict[str, Any]:
        """Send a request and return its answer.

        Raises:
            SandboxLostError: the session is gone.
            SandboxError: it could not do it.
        """
        async with self._lock:
            if self._lost:
                raise SandboxLostError("the session is gone: open a new one")
            answer: dict[str, Any] = {"lost": "it was closed"}
            try:
                with anyio.CancelScope() as self._asking:
                    await self._send({"do": do, **asked})
                    answer = await self._receive()
            except SandboxLostError:
                self._lost = True
                raise
            except BaseException:
                await run_to_end(self._stop)
                raise
        if "lost" in answer:
            raise SandboxLostError(f"the session is gone: {answer['lost']}")
        if "error" in answer:
            raise SandboxError(f"the session could not {do}: {answer['error']}")
        return answer

    async def _stop(self) -> None:
        """End what is being done, and take its answer, so that the next question gets its own."""
        if self._lost:
            return
        self._lost = True
        with anyio.move_on_after(_TO_STOP):
            try:
                await self._send({"do": "cancel"})
                await self._receive()
                await self._receive()
            except SandboxLostError:
                return
            self._lost = False

    async def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        question = len(body).to_bytes(_HEAD, "big") + body
        await run_to_end(
            partial(self._line.send, question)
        )  # half of it would spoil all that follow

    async def _receive(self) -> dict[str, Any]:
        # Taken from the buffer when it is whole: a cancellation on the way loses nothing.
        while (body := self._complete()) is None:
            data = await self._line.receive()
            if not data:
                limit = await self._line.limit()
                why = f"it passed its limit {limit}" if limit else "its program was killed"
                raise SandboxLostError(f"the session has ended: {why}")
            self._rest += data
        del self._rest[: _HEAD + len(body)]
        try:
            answer: object = json.loads(body)
        except ValueError as error:
            raise SandboxLostError("the session sent a malformed message") from error
        if not isinstance(answer, dict):
            raise SandboxLostError("the session sent a malformed message")
        return cast("dict[str, Any]", answer)

    def _complete(self) -> bytes | None:
        size = int.from_bytes(self._rest[:_HEAD], "big")
        if size > _MOST:
            raise SandboxLostError(
                "the session sent a malformed message: its program was tampered with"
            )
        if len(self._rest) < _HEAD + size or len(self._rest) < _HEAD:
            return None
        return bytes(self._rest[_HEAD : _HEAD + size])

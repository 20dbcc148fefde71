"""One connection of a loopback provider: read requests, send answers, break off on demand."""

import socket
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

import anyio
import h11
from anyio.abc import SocketAttribute, SocketStream

from ._answer import Answer, Delivery

__all__ = ["Connection", "Cuts"]

Cuts = int | Sequence[int] | None

_READ_BYTES = 65_536  # bytes read at once
_CLOSE_SECONDS = 5.0  # seconds for the client to close a connection after the server ended it


class Connection:
    """Serves one client.

    Args:
        stream: The connection.
        answer: Returns the delivery for a request head and body.
        served: Called after a correct answer was sent.
        cuts: Where bodies are cut into HTTP chunks; see `LoopbackProvider`.
        pace: Seconds between two pieces of a body.
    """

    def __init__(
        self,
        stream: SocketStream,
        answer: Callable[[h11.Request, bytes], Delivery],
        served: Callable[[], None],
        *,
        cuts: Cuts,
        pace: float,
    ) -> None:
        self._stream = stream
        self._answer = answer
        self._on_correct = served
        self._cuts = cuts
        self._pace = pace
        self._http = h11.Connection(h11.SERVER)

    async def serve(self) -> None:
        """Answer requests until one side ends the connection."""
        with suppress(
            anyio.BrokenResourceError, anyio.ClosedResourceError, h11.RemoteProtocolError
        ):
            while (request := await self._request()) is not None:
                delivery = self._answer(*request)
                if not await self._deliver(delivery):
                    return
                if delivery.correct:
                    self._on_correct()
                if self._http.our_state is not h11.DONE:
                    return
                self._http.start_next_cycle()

    async def _request(self) -> tuple[h11.Request, bytes] | None:
        head: h11.Request | None = None
        body = bytearray()
        while True:
            event = self._http.next_event()
            match event:
                case h11.NEED_DATA:
                    await self._read()
                case h11.Request():
                    head = event
                case h11.Data():
                    body += event.data
                case h11.EndOfMessage() if head is not None:
                    return head, bytes(body)
                case _:
                    return None

    async def _read(self) -> None:
        if self._http.they_are_waiting_for_100_continue:
            proceed = h11.InformationalResponse(status_code=100, headers=[])
            await self._stream.send(self._http.send(proceed) or b"")
        try:
            self._http.receive_data(await self._stream.receive(_READ_BYTES))
        except anyio.EndOfStream:
            self._http.receive_data(b"")

    async def _deliver(self, delivery: Delivery) -> bool:
        """Send the answer; return False if the connection has ended."""
        if delivery.delay != 0 and await self._client_left(delivery.delay):
            return False
        if delivery.stop is not None and delivery.stop < 0:
            await self._end(delivery)
            return False
        answer, stop = delivery.answer, delivery.stop
        pieces = list(_cut(answer, self._cuts))
        first, rest = (pieces, []) if stop is None else _split(pieces, stop)
        await self._send(self._head(delivery), first)
        if delivery.pause is not None:
            if await self._client_left(delivery.pause):
                return False
            await self._send(b"", rest)
        if delivery.end == "finish":
            await self._stream.send(self._http.send(h11.EndOfMessage()) or b"")
            return True
        await self._end(delivery)
        return False

    def _head(self, delivery: Delivery) -> bytes:
        answer = delivery.answer
        headers = list(answer.headers.items())
        if delivery.declared is not None:
            headers.append(("content-length", str(delivery.declared)))
        elif not answer.stream and self._cuts is None:
            headers.append(("content-length", str(len(answer.body))))
        return self._http.send(h11.Response(status_code=answer.status, headers=headers)) or b""

    async def _send(self, head: bytes, pieces: Iterable[bytes]) -> None:
        waiting = head
        for piece in pieces:
            waiting += self._http.send(h11.Data(data=piece)) or b""
            if self._pace:
                await self._stream.send(waiting)
                waiting = b""
                await anyio.sleep(self._pace)
        if waiting:
            await self._stream.send(waiting)

    async def _end(self, delivery: Delivery) -> None:
        match delivery.end:
            case "reset":
                raw = self._stream.extra(SocketAttribute.raw_socket)  # noqa: S610  # not Django's
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                await anyio.aclose_forcefully(self._stream)
            case "hang":
                await self._client_left(None)
            case _:
                # Let the client read all bytes before it reads the end.
                await self._stream.send_eof()
                await self._client_left(_CLOSE_SECONDS)

    async def _client_left(self, seconds: float | None) -> bool:
        """Wait up to this time, None for ever; return True as soon as the client has left."""
        with anyio.move_on_after(seconds) as scope, suppress(anyio.EndOfStream):
            while True:
                self._http.receive_data(await self._stream.receive(_READ_BYTES))
        return not scope.cancelled_caught


def _cut(answer: Answer, cuts: Cuts) -> Iterator[bytes]:
    """Yield the body in the pieces it is sent in, none of them empty."""
    if cuts is None:
        yield from filter(None, answer.pieces)
        return
    body = answer.body
    places = range(cuts, len(body), cuts) if isinstance(cuts, int) else cuts
    edges = sorted({0, *(place for place in places if 0 < place < len(body)), len(body)})
    yield from (body[start:end] for start, end in pairwise(edges))


def _split(pieces: Sequence[bytes], at: int) -> tuple[list[bytes], list[bytes]]:
    """Split a list of pieces at a byte offset, which may cut a piece in two."""
    before: list[bytes] = []
    after: list[bytes] = []
    for piece in pieces:
        if first := piece[: max(0, at)]:
            before.append(first)
        if second := piece[len(first) :]:
            after.append(second)
        at -= len(piece)
    return before, after

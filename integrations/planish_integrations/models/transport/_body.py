"""The body of a request, as httpx sends it."""

from collections.abc import AsyncIterator

import httpx

__all__ = ["Body"]


class Body(httpx.AsyncByteStream):
    """Bytes to send, in one piece.

    httpx's own stream is an asynchronous generator. A call that is cancelled while it sends
    leaves that unfinished, and trio warns when it is collected; an iterator needs no end.

    Args:
        content: The bytes.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __aiter__(self) -> AsyncIterator[bytes]:
        return _Pieces([self._content])


class _Pieces(AsyncIterator[bytes]):
    def __init__(self, left: list[bytes]) -> None:
        self._left = left

    async def __anext__(self) -> bytes:
        if not self._left:
            raise StopAsyncIteration
        return self._left.pop()

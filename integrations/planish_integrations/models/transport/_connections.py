"""HTTP clients and their connections: one client per model and event loop, closed when unused."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext

import anyio
import httpx
from anyio.lowlevel import RunVar

__all__ = ["Connections", "new_client"]

_MAX_IDLE = 256  # connections kept open: as many as one program may use at once
_CLOSE_TIMEOUT = 5.0  # seconds to close them, also when the caller is being cancelled


@cache
def _ssl_context() -> SSLContext:
    # Reading the certificates takes about 20 ms of computing: once, not per client.
    return httpx.create_ssl_context()


def new_client(*, proxies: bool) -> httpx.AsyncClient:
    """Return a client that does not limit how many requests run at once; its callers do.

    HTTP/1.1: a connection carries one response, so that abandoning one affects no other.

    Args:
        proxies: Use the proxies of the environment (HTTPS_PROXY, NO_PROXY, ...).
    """
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=_MAX_IDLE)
    return httpx.AsyncClient(verify=_ssl_context(), limits=limits, trust_env=proxies)


@dataclass(slots=True)
class _SharedClient:
    """The client of one model in one event loop, while requests use it or it is pinned."""

    client: httpx.AsyncClient
    users: int = 0
    pinned: bool = False


_Pools = dict["Connections", _SharedClient]
_POOLS: RunVar[_Pools] = RunVar("planish_connections")  # one value for each event loop


def _pools() -> _Pools:
    try:
        return _POOLS.get()
    except LookupError:
        pools: _Pools = {}
        _POOLS.set(pools)
        return pools


class Connections:
    """The connections of one model, in each event loop that uses it.

    A socket belongs to the event loop that opened it. A model may be used in several loops, one
    after another or in several threads: each loop has its own client. Concurrent requests share
    it; the last one to end closes it, unless `keep_open` was called.

    Args:
        client: The user's own client, which is never closed here; None to create clients.
        proxies: Use the proxies of the environment.
    """

    def __init__(self, client: httpx.AsyncClient | None, *, proxies: bool) -> None:
        self._user_client = client
        self._proxies = proxies

    def keep_open(self) -> bool:
        """Keep this event loop's connections open; return False if they already are."""
        shared = self._shared()
        was_pinned, shared.pinned = shared.pinned, True
        return not was_pinned

    async def release(self) -> None:
        """Close this event loop's connections once no request uses them."""
        shared = _pools().get(self)
        if shared is not None:
            shared.pinned = False
            await self._close(shared)

    @asynccontextmanager
    async def client(self) -> AsyncGenerator[httpx.AsyncClient, None]:
        """Provide the client to send one request with."""
        if self._user_client is not None:
            yield self._user_client
            return
        shared = self._shared()
        shared.users += 1
        try:
            yield shared.client
        finally:
            shared.users -= 1
            await self._close(shared)

    def _shared(self) -> _SharedClient:
        pools = _pools()
        if self not in pools:
            pools[self] = _SharedClient(new_client(proxies=self._proxies))
        return pools[self]

    async def _close(self, shared: _SharedClient) -> None:
        if shared.users or shared.pinned:
            return
        _pools().pop(self, None)  # before closing, so that a request that starts now gets a new one
        with anyio.move_on_after(_CLOSE_TIMEOUT, shield=True):
            await shared.client.aclose()

"""HTTP clients, made so that nothing is left when they are closed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext

import anyio
import httpx
from anyio.lowlevel import RunVar

__all__ = ["Connections", "new_client"]

_IDLE = 256  # connections kept open: as many as may run at once in one program
_CLOSING = 5.0  # seconds to close them, also when the caller is being cancelled


@cache
def _trust() -> SSLContext:
    # Reading the certificates takes some 20 ms of pure computing: once, not per request.
    return httpx.create_ssl_context()


def new_client(*, proxies: bool) -> httpx.AsyncClient:
    """A client without limits of its own: how many run at once is decided above it.

    HTTP/1.1: a connection carries one answer, so that leaving one early disturbs no other.

    Args:
        proxies: Use the proxies the environment names (HTTPS_PROXY, NO_PROXY, ...).
    """
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=_IDLE)
    return httpx.AsyncClient(verify=_trust(), limits=limits, trust_env=proxies)


@dataclass(slots=True)
class _Shared:
    """The client of one model in one event loop, while somebody needs it."""

    client: httpx.AsyncClient
    users: int = 0
    held: bool = False


_Pools = dict["Connections", _Shared]
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

    A socket belongs to the event loop it was opened in. One model may be used in several, one
    after the other or in threads of their own: each has its own client. Requests that are
    under way at once share it; the last one to end closes it, unless it is held open.

    Args:
        given: The user's own client, which is never closed here.
        proxies: Use the proxies the environment names.
    """

    def __init__(self, given: httpx.AsyncClient | None, *, proxies: bool) -> None:
        self._given = given
        self._proxies = proxies

    def hold(self) -> bool:
        """Keep connections of this event loop open; False where they are already."""
        shared = self._shared()
        held, shared.held = shared.held, True
        return not held

    async def release(self) -> None:
        """Close them, when no request needs them any more."""
        shared = _pools().get(self)
        if shared is not None:
            shared.held = False
            await self._close(shared)

    @asynccontextmanager
    async def client(self) -> AsyncGenerator[httpx.AsyncClient, None]:
        """What to send a request with."""
        if self._given is not None:
            yield self._given
            return
        shared = self._shared()
        shared.users += 1
        try:
            yield shared.client
        finally:
            shared.users -= 1
            await self._close(shared)

    def _shared(self) -> _Shared:
        pools = _pools()
        if self not in pools:
            pools[self] = _Shared(new_client(proxies=self._proxies))
        return pools[self]

    async def _close(self, shared: _Shared) -> None:
        if shared.users or shared.held:
            return
        _pools().pop(self, None)  # first, so that whoever comes now opens another
        with anyio.move_on_after(_CLOSING, shield=True):
            await shared.client.aclose()

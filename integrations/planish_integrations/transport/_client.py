"""HTTP clients, made so that nothing is left when they are closed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from ssl import SSLContext

import httpx
from anyio.lowlevel import RunVar

__all__ = ["Connections", "new_client"]


@cache
def _trust() -> SSLContext:
    # Reading the certificates takes some 20 ms of pure computing: once, not per request.
    return httpx.create_ssl_context()


def new_client(*, proxies: bool, kept: int = 20) -> httpx.AsyncClient:
    """A client without limits of its own: how many run at once is decided above it.

    HTTP/1.1: a connection carries one answer, so that leaving one early disturbs no other.

    Args:
        proxies: Use the proxies the environment names (HTTPS_PROXY, NO_PROXY, ...).
        kept: How many idle connections it keeps open.
    """
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=kept)
    return httpx.AsyncClient(verify=_trust(), limits=limits, trust_env=proxies)


_Kept = dict["Connections", httpx.AsyncClient]
_KEPT: RunVar[_Kept] = RunVar("planish_connections")  # one value for each event loop


def _kept() -> _Kept:
    try:
        return _KEPT.get()
    except LookupError:
        kept: _Kept = {}
        _KEPT.set(kept)
        return kept


class Connections:
    """The connections of one model: kept open in each event loop that asked for it.

    A socket belongs to the event loop it was opened in. One model may be used in several, one
    after the other or in threads of their own: each has its own client.

    Args:
        given: The user's own client, which is never closed here.
        proxies: Use the proxies the environment names.
    """

    def __init__(self, given: httpx.AsyncClient | None, *, proxies: bool) -> None:
        self._given = given
        self._proxies = proxies

    def open(self) -> bool:
        """Keep connections of this event loop; False where it does already."""
        kept = _kept()
        if self in kept:
            return False
        # As many as may run at once in one program: opening one again costs a round trip.
        kept[self] = new_client(proxies=self._proxies, kept=256)
        return True

    async def close(self) -> None:
        """Close those of this event loop, where it keeps any."""
        client = _kept().pop(self, None)
        if client is not None:
            await client.aclose()

    @asynccontextmanager
    async def client(self) -> AsyncGenerator[httpx.AsyncClient, None]:
        """What to send a request with; where none is kept, it is closed behind it."""
        kept = self._given or _kept().get(self)
        if kept is not None:
            yield kept
            return
        async with new_client(proxies=self._proxies) as client:
            yield client

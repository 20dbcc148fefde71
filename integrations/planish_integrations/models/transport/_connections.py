"""HTTP clients and their connections: one client per model and event loop, closed when unused."""

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import Any
from urllib.request import getproxies

import anyio
import httpx
from anyio.lowlevel import RunVar

from planish.errors import RequestError

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

    Raises:
        RequestError: a proxy of the environment cannot be used.
    """
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=_MAX_IDLE)
    try:
        return httpx.AsyncClient(verify=_ssl_context(), limits=limits, trust_env=proxies)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        text = _wrong_proxy(error)
    raise RequestError(text)  # outside of the handler: httpx's error may quote a password


def _wrong_proxy(error: Exception) -> str:
    names = " or ".join(f"{scheme}_proxy".upper() for scheme in sorted(getproxies()))
    if isinstance(error, ImportError):
        return (
            f"the proxy in {names} is a SOCKS proxy: install httpx[socks], or add the model's host "
            "to NO_PROXY"
        )
    return f"the proxy in {names} is not a URL that begins with http:// or https://"


class _Turns:
    """Lets a limited number of requests to one host be under way at once, first come first served.

    Models may set different limits: each request waits until fewer are under way than its own
    model allows, and until those that came before it have had their turn.
    """

    def __init__(self) -> None:
        self.under_way = 0
        self._waiting: deque[tuple[int, anyio.Event]] = deque()

    async def wait(self, limit: int) -> None:
        """Wait for a turn; `end` must follow, unless this raises."""
        if self.under_way < limit and not self._waiting:
            self.under_way += 1
            return
        turn = (limit, anyio.Event())
        self._waiting.append(turn)
        try:
            await turn[1].wait()
        except BaseException:
            if turn[1].is_set():  # its turn came at the same time as the cancellation
                self.end()
            else:
                self._waiting.remove(turn)
                self._call_next()  # it may have stood before others whose limit is higher
            raise

    def end(self) -> None:
        """End a turn, and give it to the first that waits."""
        self.under_way -= 1
        self._call_next()

    def _call_next(self) -> None:
        while self._waiting and self.under_way < self._waiting[0][0]:
            _, event = self._waiting.popleft()
            self.under_way += 1
            event.set()


@dataclass(slots=True)
class _SharedClient:
    """The client of one model in one event loop, while requests use it or it is pinned."""

    client: httpx.AsyncClient
    users: int = 0
    pinned: bool = False


_Pools = dict["Connections", _SharedClient]
_POOLS: RunVar[_Pools] = RunVar("planish_connections")  # one value for each event loop
_TURNS: RunVar[dict[str, _Turns]] = RunVar("planish_turns")  # the same, by host


def _pools() -> _Pools:
    try:
        return _POOLS.get()
    except LookupError:
        pools: _Pools = {}
        _POOLS.set(pools)
        return pools


def _turns_at(host: str) -> _Turns:
    try:
        turns = _TURNS.get()
    except LookupError:
        turns = dict[str, _Turns]()
        _TURNS.set(turns)
    return turns.setdefault(host, _Turns())


class Connections:
    """The connections of one model, in each event loop that uses it.

    A socket belongs to the event loop that opened it. A model may be used in several loops, one
    after another or in several threads: each loop has its own client. Concurrent requests share
    it; the last one to end closes it, unless `keep_open` was called.

    Args:
        client: The user's own client, which is never closed here; None to create clients.
        proxies: Use the proxies of the environment.
        host: The host and port, to count requests by.
        limit: How many requests to this host may be under way at once; None for no limit.
    """

    def __init__(
        self, client: httpx.AsyncClient | None, *, proxies: bool, host: str, limit: int | None
    ) -> None:
        self._user_client = client
        self._proxies = proxies
        self._host = host
        self._limit = limit

    def __getstate__(self) -> dict[str, Any]:
        """Return the configuration.

        Raises:
            TypeError: the connections are those of the user's client.
        """
        if self._user_client is not None:
            raise TypeError(
                "a model with client=... is not pickled, because sockets stay in their process: "
                "create the model where it is used"
            )
        return vars(self).copy()

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None, None]:
        """Wait until one more request may be under way to this host."""
        if self._limit is None:
            yield
            return
        turns = _turns_at(self._host)
        await turns.wait(self._limit)
        try:
            yield
        finally:
            turns.end()

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
            if self._user_client.is_closed:
                raise RequestError("the httpx client of this model (client=...) is closed")
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

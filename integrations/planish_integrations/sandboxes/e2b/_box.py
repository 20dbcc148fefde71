"""One sandbox of E2B, and how long it still has."""

import math
import time
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

import anyio

from planish.errors import PlanishError

from ._bridge import Bridge
from ._sdk import Sdk
from ._trouble import BusyError, typed

__all__ = ["Box", "patiently"]

P = ParamSpec("P")
T = TypeVar("T")

_BURIAL = 15.0  # seconds to try to kill a sandbox: it dies by itself when its time is up
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 10.0  # seconds between two tries, doubling


class Box:
    """A sandbox that runs at E2B.

    Attributes:
        sdk: The SDK's object.
        ends: When it dies by itself, by `time.monotonic`.
        used: Whether a program has run in it.
    """

    def __init__(self, sdk: Sdk, bridge: Bridge, ends: float, secret: str) -> None:
        self.sdk = sdk
        self.ends: float = ends
        self.used = False
        self._bridge = bridge
        self._secrets = (secret, *_tokens(sdk))

    def __repr__(self) -> str:
        return f"Box({self.id!r})"

    @property
    def id(self) -> str:
        """E2B's id for it."""
        return self.sdk.sandbox_id

    @property
    def left(self) -> float:
        """Seconds it still has."""
        return self.ends - time.monotonic()

    async def call(
        self, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call one of the SDK's functions.

        Raises:
            PlanishError: whatever the SDK raised, as what it is.
        """
        try:
            return await self._bridge.call(function, *args, **kwargs)
        except PlanishError:
            raise
        except Exception as error:  # noqa: BLE001  # the SDK raises what its layers raise
            raise typed(error, self._secrets) from None

    async def keep(self, seconds: float) -> None:
        """Let it live at least so long from now on."""
        if self.left < seconds:
            ends = time.monotonic() + seconds
            await self.call(self.sdk.set_timeout, math.ceil(seconds))
            self.ends = ends

    async def lives(self) -> bool:
        """Whether it is there and answers."""
        try:
            with anyio.fail_after(_BURIAL):
                return await self.call(self.sdk.is_running)
        except (PlanishError, TimeoutError):
            return False

    async def kill(self) -> None:
        """Kill it, also when the caller is being cancelled; best effort, for some seconds."""
        with anyio.move_on_after(_BURIAL, shield=True):
            try:
                await patiently(_BURIAL, lambda: self.call(self.sdk.kill))
            except PlanishError:
                return  # gone already, or out of reach: then its time ends it


def _tokens(sdk: Sdk) -> list[str]:
    found = [sdk.traffic_access_token, getattr(sdk, "_envd_access_token", None)]
    return [token for token in found if isinstance(token, str) and token]


async def patiently(
    patience: float,
    function: Callable[[], Awaitable[T]],
    on_wait: Callable[[float], None] | None = None,
) -> T:
    """Call it again and again while E2B is busy, for so many seconds.

    Raises:
        BusyError: it was busy to the end.
    """
    until = time.monotonic() + patience
    wait = _FIRST_WAIT
    while True:
        try:
            return await function()
        except BusyError:
            if time.monotonic() + wait > until:
                raise
            if on_wait is not None:
                on_wait(wait)
        await anyio.sleep(wait)
        wait = min(2 * wait, _LONGEST_WAIT)

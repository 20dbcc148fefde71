"""A handle to one running sandbox of E2B, and retries while the service is busy."""

import math
import time
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

import anyio

from planish.errors import PlanishError

from ._asyncio_bridge import AsyncioBridge
from ._errors import BusyError, planish_error
from ._sdk import Sdk

__all__ = ["SandboxHandle", "retry_while_busy"]

P = ParamSpec("P")
T = TypeVar("T")

_KILL_SECONDS = 15.0  # seconds to try to kill a sandbox, which ends by itself in any case
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 10.0  # seconds between two tries, doubling


class SandboxHandle:
    """A running sandbox at E2B.

    Attributes:
        sdk: The SDK's object.
        ends: When its lifetime ends, by `time.monotonic`.
        creation_seconds: How long E2B took to create it, without the waits before.
        used: Whether a program has run in it.
    """

    def __init__(
        self, sdk: Sdk, bridge: AsyncioBridge, ends: float, creation_seconds: float, secret: str
    ) -> None:
        self.sdk = sdk
        self.ends: float = ends
        self.creation_seconds = creation_seconds
        self.used = False
        self._bridge = bridge
        self._secrets = (secret, *_tokens(sdk))

    def __repr__(self) -> str:
        return f"SandboxHandle({self.id!r})"

    @property
    def id(self) -> str:
        """E2B's id of the sandbox."""
        return self.sdk.sandbox_id

    @property
    def left(self) -> float:
        """Seconds until its lifetime ends."""
        return self.ends - time.monotonic()

    async def call(
        self, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call one of the SDK's async functions.

        Raises:
            PlanishError: what the SDK raised, mapped by cause.
        """
        try:
            return await self._bridge.call(function, *args, **kwargs)
        except PlanishError:
            raise
        except Exception as error:  # noqa: BLE001  # the SDK raises what its layers raise
            raise planish_error(error, self._secrets) from None

    async def extend(self, seconds: float) -> None:
        """Extend the lifetime so that at least `seconds` are left."""
        if self.left < seconds:
            ends = time.monotonic() + seconds
            await self.call(self.sdk.set_timeout, math.ceil(seconds))
            self.ends = ends

    async def is_alive(self) -> bool:
        """Return whether the sandbox exists and responds."""
        try:
            with anyio.fail_after(_KILL_SECONDS):
                return await self.call(self.sdk.is_running)
        except (PlanishError, TimeoutError):
            return False

    async def kill(self) -> bool:
        """Kill the sandbox, also during a cancellation; give up after some seconds.

        Returns:
            Whether E2B killed it. If not, it was gone, or is out of reach and ends by its lifetime.
        """
        with anyio.move_on_after(_KILL_SECONDS, shield=True):
            try:
                return await retry_while_busy(_KILL_SECONDS, lambda: self.call(self.sdk.kill))
            except PlanishError:
                return False
        return False


def _tokens(sdk: Sdk) -> list[str]:
    found = [sdk.traffic_access_token, getattr(sdk, "_envd_access_token", None)]
    return [token for token in found if isinstance(token, str) and token]


async def retry_while_busy(
    patience: float,
    function: Callable[[], Awaitable[T]],
    on_wait: Callable[[float], None] | None = None,
) -> T:
    """Call a function again while E2B is busy, for up to `patience` seconds.

    Args:
        patience: Seconds.
        function: The call.
        on_wait: Receives the seconds of each wait before it.

    Raises:
        BusyError: E2B was busy for all of that time.
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

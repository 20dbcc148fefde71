"""Run a command's work until it ends or a signal arrives."""

import signal
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

import anyio

__all__ = ["InterruptedBySignal", "run_until_signal", "run_with_stop"]

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_REASONS = {signal.SIGINT: "interrupted", signal.SIGHUP: "hung up"}


class InterruptedBySignal(Exception):  # noqa: N818 - the command was stopped, it did not fail
    """A signal has stopped the work, which has cleaned up.

    Attributes:
        number: The signal.
    """

    def __init__(self, number: signal.Signals) -> None:
        reason = _REASONS.get(number, "terminated")
        super().__init__(f"{reason}; the program was stopped")
        self.number = number


async def run_until_signal(work: Callable[[], Awaitable[T]]) -> T:
    """Call `work` and return its result; a signal cancels it.

    Raises:
        InterruptedBySignal: SIGINT, SIGTERM or SIGHUP arrived.
        Exception: what `work` raised; from a task group of it the first error.
    """

    async def cancellable(scope: anyio.CancelScope) -> list[T]:
        with scope:
            return [await work()]
        return []

    results, caught = await run_with_stop(cancellable)
    if not results:
        raise InterruptedBySignal(caught or signal.SIGINT)
    return results[0]


async def run_with_stop(
    work: Callable[[anyio.CancelScope], Awaitable[T]],
) -> tuple[T, signal.Signals | None]:
    """Call `work` with a scope that SIGINT, SIGTERM or SIGHUP cancels.

    Once one of them has arrived they are blocked: a second one must not interrupt the clean-up.

    Args:
        work: Enters the scope for what a signal is to stop, and then returns what it has.

    Returns:
        The result of `work`, and the signal that arrived, or None.

    Raises:
        Exception: what `work` raised; from a task group of it the first error.
    """
    results: list[T] = []
    failed: Exception | None = None
    caught: signal.Signals | None = None
    scope = anyio.CancelScope()
    with anyio.open_signal_receiver(*_SIGNALS) as signals:
        async with anyio.create_task_group() as tasks:

            async def wait_for_signal() -> None:
                nonlocal caught
                caught = await anext(signals)
                signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
                scope.cancel()

            tasks.start_soon(wait_for_signal)
            try:
                results.append(await work(scope))
            except Exception as error:  # noqa: BLE001 - raised outside the group, unwrapped
                failed = error
            tasks.cancel_scope.cancel()
    if failed is not None:
        raise _first_error(failed)
    return results[0], caught


def _first_error(error: Exception) -> Exception:
    """Return the error, or of a group the first error in it."""
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    return error

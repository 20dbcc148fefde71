"""Serve threads of the candidate while the tests sleep, or wait for an event or queue."""

from __future__ import annotations

import time
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .rpc_endpoint import RpcEndpoint

__all__ = ["serve_waiting"]


def serve_waiting(endpoint: RpcEndpoint, tests: str) -> None:
    """Serve threads of the candidate also while tests sleep, or wait for an event or queue.

    A timer or scheduler of its own calls functions of the tests meanwhile.

    Args:
        endpoint: The tests' end of the pipe.
        tests: Their text; nothing is done if it has no name that sleeps or waits.
    """
    if not any(word in tests for word in _WORDS):
        return
    sleep = time.sleep

    def serving(seconds: Any, /) -> None:
        """Sleep, and see afterwards what the candidate has changed."""
        if type(seconds) not in (int, float) or not seconds > _SLICE:
            sleep(seconds)
            return
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if endpoint.pipe.pending(min(left, _PATIENCE)) and not _serve_pending(endpoint):
                sleep(min(left, _SLICE))
        _synchronize(endpoint)

    serving.__name__, serving.__qualname__, serving.__module__ = "sleep", "sleep", "time"
    time.__dict__["sleep"] = serving
    __import__("threading").__dict__["_allocate_lock"] = lambda: _Waiter(endpoint)


class _Waiter:
    """The lock by which `threading.Condition` waits."""

    def __init__(self, endpoint: RpcEndpoint) -> None:
        self.endpoint = endpoint
        self.lock: Any = allocate_lock()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002
        end = time.monotonic() + timeout if timeout >= 0 else None
        while blocking and not self.lock.acquire(timeout=_SLICE):
            if end is not None and time.monotonic() >= end:
                _note_lost(self.endpoint)
                return False
            _serve_pending(self.endpoint)
        _note_lost(self.endpoint)
        return blocking or bool(self.lock.acquire(blocking=False))

    def release(self) -> None:
        self.lock.release()


def _serve_pending(endpoint: RpcEndpoint) -> bool:
    """Do what the candidate asks for, if anything; False if another thread asks it something."""
    if not endpoint.lock.acquire(blocking=False):
        return False
    try:
        if endpoint.lost is None and endpoint.pipe.pending(0):
            endpoint.serve_one()
    finally:
        endpoint.lock.release()
    return True


def _note_lost(endpoint: RpcEndpoint) -> None:
    """Put on record what the candidate has replaced while the tests were waiting.

    They may go on without a request to it, whose answer would be the time for that.
    """
    if not endpoint.busy:
        endpoint.replacements.note_lost()


def _synchronize(endpoint: RpcEndpoint) -> None:
    """Learn what the candidate has changed, unless another thread asks it something."""
    if endpoint.lost is None and endpoint.lock.acquire(blocking=False):
        try:
            endpoint.ask("synchronize")
        finally:
            endpoint.lock.release()
    _note_lost(endpoint)


_WORDS = ("sleep", "thread", "Queue", "wait", "concurrent")
_SLICE = 0.002  # seconds between two looks at a lock, or while another thread reads the pipe
_PATIENCE = 0.05  # seconds between two looks at the pipe, which wakes a sleeper itself

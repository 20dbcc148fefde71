"""Serve threads of the candidate while the tests sleep, or wait for an event or queue."""

from __future__ import annotations

import sys
import time
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .rpc_endpoint import RpcEndpoint

__all__ = ["repeating", "serve_waiting"]


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
        begin = time.monotonic()
        end = begin + timeout if timeout >= 0 else None
        while blocking and not self.lock.acquire(timeout=_SLICE):
            if end is not None and time.monotonic() >= end:
                _note_lost(self.endpoint)
                return False
            _serve_pending(self.endpoint)
            late = end is None and time.monotonic() - begin > _PATIENCE
            if late and _is_repeatable(self.endpoint):
                raise InterruptedError(_AGAIN)
        _note_lost(self.endpoint)
        return blocking or bool(self.lock.acquire(blocking=False))

    def release(self) -> None:
        self.lock.release()


def repeating(ask: Callable[..., Any]) -> Callable[..., Any]:
    """Have the candidate repeat requests that wait, so that its other threads can answer meanwhile.

    Args:
        ask: Requests something of the tests' side.
    """

    def asked(operation: str, *args: Any) -> Any:
        while True:
            try:
                return ask(operation, *args)
            except InterruptedError as error:
                if error.args != (_AGAIN,):
                    raise
            _sleep(_SLICE)

    return asked


def _is_repeatable(endpoint: RpcEndpoint) -> bool:
    """Tell whether a request of the candidate's waits, and has done nothing that repeating undoes.

    The tests go on when a thread of the candidate's has answered, which it cannot while another
    one waits. A notified `Condition` cannot be asked again.
    """
    frame: Any = sys._getframe(2)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    code = None
    while frame is not None and frame.f_globals.get("__name__") in _REPEATED:
        code = frame.f_code
        frame = frame.f_back
    call: Any = endpoint.operations["call"]
    if code is None or frame is None or frame.f_globals is not call.__globals__:
        return False
    for module, kinds in _REPEATED.items():
        for kind, names in kinds.items():
            known = vars(getattr(sys.modules.get(module), kind, object))
            if any(code is getattr(known.get(name), "__code__", None) for name in names):
                return True
    return False


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


_sleep = time.sleep
_AGAIN = "#again"
_REPEATED: dict[str, dict[str, tuple[str, ...]]] = {
    "queue": {"Queue": ("get", "put", "join")},
    "threading": {"Event": ("wait",), "Semaphore": ("acquire",)},
}
_WORDS = ("sleep", "thread", "Queue", "wait", "concurrent")
_SLICE = 0.002  # seconds between two looks at a lock, or while another thread reads the pipe
_PATIENCE = 0.05  # seconds between two looks at the pipe, which wakes a sleeper itself

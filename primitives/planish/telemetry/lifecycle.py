"""Emit events when a call of a model or a sandbox begins, when text arrives, and when it ends."""

import time
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from planish.context.path import current_path
from planish.context.scope import Scope
from planish.data.events import (
    Event,
    ModelCallEnded,
    ModelCallStarted,
    SandboxRunEnded,
    SandboxRunStarted,
    TokensReceived,
)
from planish.data.message import Reply, Request
from planish.data.program import Completed
from planish.telemetry.content import record_content
from planish.telemetry.logs import emit
from planish.telemetry.spans import error_type

__all__ = ["ModelCallEvents", "SandboxRunEvents", "StreamEvents"]


class _CallEvents(ABC):
    """A `with` block that emits one event at its start and one at its end, however it ends."""

    __slots__ = ("_attempt",)

    def __init__(self, scope: Scope) -> None:
        self._attempt = scope.attempt

    @abstractmethod
    def _started(self) -> Event:
        """Return the event of the start."""

    @abstractmethod
    def _ended(self, error: str | None) -> Event:
        """Return the event of the end; `error` is the class of the exception, if there is one."""

    def __enter__(self) -> Self:
        emit(self._started())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        emit(self._ended(None if error is None else error_type(error)))


class ModelCallEvents(_CallEvents):
    """A `with` block around a call of a model, in its span. Records the content if asked to.

    Args:
        model: The model's name.
        provider: Its provider's name.
        request: The request.
        scope: The scope of the call.

    Attributes:
        reply: The reply, to be set in the block.
    """

    __slots__ = ("_model", "_provider", "_request", "reply")

    def __init__(self, model: str, provider: str, request: Request, scope: Scope) -> None:
        super().__init__(scope)
        self._model = model
        self._provider = provider
        self._request = request
        self.reply: Reply | None = None

    def _started(self) -> Event:
        return ModelCallStarted(
            model=self._model,
            provider=self._provider,
            request=self._request,
            path=current_path(),
            attempt=self._attempt,
        )

    def _ended(self, error: str | None) -> Event:
        record_content(self._provider, self._model, self._request, self.reply)
        return ModelCallEnded(
            model=self._model,
            provider=self._provider,
            reply=self.reply,
            error=error,
            path=current_path(),
            attempt=self._attempt,
        )


class SandboxRunEvents(_CallEvents):
    """A `with` block around a run of a program, or a step, in a sandbox.

    Args:
        sandbox: The sandbox's name.
        scope: The scope of the call.

    Attributes:
        completed: The result, to be set in the block.
    """

    __slots__ = ("_sandbox", "completed")

    def __init__(self, sandbox: str, scope: Scope) -> None:
        super().__init__(scope)
        self._sandbox = sandbox
        self.completed: Completed | None = None

    def _started(self) -> Event:
        return SandboxRunStarted(sandbox=self._sandbox, path=current_path(), attempt=self._attempt)

    def _ended(self, error: str | None) -> Event:
        done = self.completed
        return SandboxRunEnded(
            sandbox=self._sandbox,
            sandbox_id=None if done is None else done.sandbox_id,
            seconds=None if done is None else done.duration,
            exit_code=None if done is None else done.exit_code,
            limit=None if done is None else done.limit,
            error=error,
            path=current_path(),
            attempt=self._attempt,
        )


class StreamEvents:
    """Emits the chunks of a reply as events, and measures the time to the first one.

    Attributes:
        seconds: Wall seconds until the first chunk; None before it.
    """

    __slots__ = ("_begin", "_scope", "seconds")

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._begin = time.perf_counter()
        self.seconds: float | None = None

    def __call__(self, text: str) -> None:
        """Emit the next chunk."""
        if self.seconds is None:
            self.seconds = time.perf_counter() - self._begin
        emit(TokensReceived(text=text, path=current_path(), attempt=self._scope.attempt))

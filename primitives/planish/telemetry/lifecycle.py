"""Emit an event when a call of a model or a sandbox begins, and one when it ends."""

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
)
from planish.data.message import Reply, Request
from planish.data.program import Completed
from planish.telemetry.logs import emit
from planish.telemetry.spans import error_type

__all__ = ["ModelCallEvents", "SandboxRunEvents"]


class _CallEvents:
    """A `with` block that emits one event at its start and one at its end, however it ends."""

    __slots__ = ("_attempt", "_silent")

    def __init__(self, scope: Scope) -> None:
        self._silent = scope.unobserved
        self._attempt = scope.attempt

    def _started(self) -> Event:
        raise NotImplementedError

    def _ended(self, error: str | None) -> Event:
        raise NotImplementedError

    def __enter__(self) -> Self:
        if not self._silent:
            emit(self._started())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._silent:
            emit(self._ended(None if error is None else error_type(error)))


class ModelCallEvents(_CallEvents):
    """A `with` block around a call of a model.

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

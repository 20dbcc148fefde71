"""Events of the sandboxes of a pool: in the run that waits for a change, or around the pool."""

from contextvars import copy_context

from planish.events import SandboxChanged, SandboxState, emit
from planish.telemetry.logs import noting_listener_errors

__all__ = ["BackgroundEvents", "emit_change", "sandbox_changed"]


def sandbox_changed(
    sandbox_id: str, state: SandboxState, duration: float | None = None
) -> SandboxChanged:
    """Return the event of a change of one of E2B's sandboxes."""
    return SandboxChanged(sandbox="e2b", sandbox_id=sandbox_id, state=state, duration=duration)


def emit_change(change: SandboxChanged, error: BaseException | None = None) -> None:
    """Emit a change in the run that waits for it.

    Args:
        change: The event.
        error: What the run is about to raise. What a listener raises becomes a note on it.
    """
    if error is None:
        emit(change)
        return
    with noting_listener_errors(error):
        emit(change)


class BackgroundEvents:
    """Emits changes that no run waits for, such as the creation of a warm sandbox.

    They reach the listeners around the pool's block. Tasks of the pool begin in the context of a
    run, and its listeners may not be called any more when it is over.
    """

    def __init__(self) -> None:
        self._opened = copy_context()
        self._errors: list[Exception] = []

    def emit(self, change: SandboxChanged) -> None:
        """Emit a change where the pool was opened; keep what a listener raises for the end."""
        try:
            self._opened.run(emit, change)
        except Exception as error:  # noqa: BLE001  # sandboxes have to be killed first
            self._errors.append(error)

    def raise_errors(self, raised: Exception | None) -> None:
        """Raise what the block raised, else the first error of a listener; note the others on it.

        Args:
            raised: What the block raised.
        """
        errors = self._errors if raised is None else [raised, *self._errors]
        for error in errors[1:]:
            errors[0].add_note(f"a listener raised {error!r} when it received a SandboxChanged")
        if errors:
            raise errors[0]

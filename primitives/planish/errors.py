"""Every error planish raises on purpose, and the road each one takes.

::

    PlanishError                      carries `.report`, the run so far
    ├── InfrastructureError           the world is broken: retried underneath, then raised
    │   ├── ModelError                the model could not be reached or answered nonsense
    │   │   ├── RateLimitError        429; `.retry_after` in seconds, or None
    │   │   └── OverloadedError       503, 529, a refused or reset connection
    │   │       └── CircuitOpenError  left alone after failures; `.retry_after` in seconds
    │   └── SandboxError              the sandbox could not run the program
    │       └── SandboxLostError      it vanished while the program ran
    ├── MisuseError                   the caller is wrong: raised at once, nothing is spent
    │   ├── WiringError               two steps do not fit (also a TypeError)
    │   ├── TaskError                 a task that cannot be judged (also a ValueError)
    │   ├── AuthenticationError       401, 403, or no key
    │   ├── RequestError              400, 404, 422: unknown model, bad parameter
    │   ├── UnknownModelError         a model's name that says no provider (also a ValueError)
    │   └── UnsupportedError          the sandbox or model lacks what was asked of it
    ├── LimitError                    a limit the caller set was reached
    │   ├── BudgetExceededError       `budget(...)`: tokens, money, calls, seconds
    │   └── DeadlineError             `Timeout`: the step took too long
    └── RecordingError                a recording has no (more) answers

Code that is wrong is none of these: it is a verdict, and becomes feedback.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planish.data.report import Report

__all__ = [
    "AuthenticationError",
    "BudgetExceededError",
    "CircuitOpenError",
    "DeadlineError",
    "InfrastructureError",
    "LimitError",
    "MisuseError",
    "ModelError",
    "OverloadedError",
    "PlanishError",
    "RateLimitError",
    "RecordingError",
    "RequestError",
    "SandboxError",
    "SandboxLostError",
    "TaskError",
    "UnknownModelError",
    "UnsupportedError",
    "WiringError",
    "attach_report",
    "report_of",
]


class PlanishError(Exception):
    """The root of all errors planish raises on purpose.

    Attributes:
        report: What the run had done and paid for when the error was raised; None
            when nothing had been generated yet.
    """

    report: "Report | None" = None


def attach_report(error: Exception, report: "Report | None") -> None:
    """Remember on an exception what the run had done when it was raised."""
    if report is None:
        return
    if isinstance(error, PlanishError):
        error.report = report
    else:
        vars(error)["planish_report"] = report


def report_of(error: BaseException) -> "Report | None":
    """What a run had done and paid for when it raised this, whoever raised it.

    Args:
        error: Any exception that came out of `Primitive.run`.

    Returns:
        The report; None when nothing had been generated yet.
    """
    if isinstance(error, PlanishError):
        return error.report
    return vars(error).get("planish_report")


class InfrastructureError(PlanishError):
    """The world is broken. Never counted as an attempt, never shown to a model."""


class ModelError(InfrastructureError):
    """A model could not be reached, or its answer was not of the protocol.

    Attributes:
        status: The HTTP status, where there was one.
        request_id: The provider's id of the request, where it gave one.
        resends: How often it was sent again before this was raised.
    """

    resends: int = 0

    def __init__(
        self, message: str, *, status: int | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id


class RateLimitError(ModelError):
    """The provider asks to slow down (HTTP 429).

    Attributes:
        retry_after: Seconds the provider asked to wait; None when it did not say.
    """

    def __init__(
        self,
        message: str,
        *,
        retry_after: float | None = None,
        status: int | None = 429,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, status=status, request_id=request_id)
        self.retry_after = retry_after


class OverloadedError(ModelError):
    """The provider is overloaded or unreachable (HTTP 5xx, 529, connection trouble)."""


class CircuitOpenError(OverloadedError):
    """The provider failed so often in a row that it is left alone; nothing was sent.

    Attributes:
        retry_after: Seconds until it is asked again.
    """

    def __init__(self, message: str, *, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class SandboxError(InfrastructureError):
    """The sandbox itself failed; nothing is known of the program."""


class SandboxLostError(SandboxError):
    """The sandbox vanished while the program ran in it."""


class MisuseError(PlanishError):
    """The caller is wrong. Raised before anything is spent."""


class WiringError(MisuseError, TypeError):
    """Two steps do not fit together; the message names both."""


class TaskError(MisuseError, ValueError):
    """A task that could never be judged: no checks, tests that do not parse, no entry point."""


class AuthenticationError(MisuseError):
    """The provider refused the key (HTTP 401 or 403), or there is none.

    Attributes:
        status: The HTTP status; None where nothing was sent.
        request_id: The provider's id of the request, where it gave one.
    """

    def __init__(
        self, message: str, *, status: int | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id


class RequestError(MisuseError):
    """The provider refused the request itself (HTTP 400, 404, 422, ...).

    Attributes:
        status: The HTTP status, where there was one.
        request_id: The provider's id of the request, where it gave one.
    """

    def __init__(
        self, message: str, *, status: int | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id


class UnknownModelError(MisuseError, ValueError):
    """No provider is known by this name; the message lists those that are near."""


class UnsupportedError(MisuseError):
    """A sandbox or model was asked for something it cannot do."""


class LimitError(PlanishError):
    """A limit the caller set was reached; `report` has the best so far."""


class BudgetExceededError(LimitError):
    """A scope of `budget(...)` has no room for a call.

    Attributes:
        limit: Which one: "tokens", "usd", "model_calls", "sandbox_seconds" or "seconds".
        allowed: The limit as it was set.
        spent: What had been spent or reserved when the call was refused.
        needed: What the call would have needed, as far as could be estimated; 0.0 where
            nothing was left for any call.
        remaining: What was left.
    """

    def __init__(self, limit: str, allowed: float, spent: float, needed: float = 0.0) -> None:
        remaining = max(0.0, allowed - spent)
        wanted = f", and this call may need {needed:.4g}" if needed > 0 else ""
        super().__init__(
            f"the budget of {allowed:g} {limit} is used up: {spent:.4g} spent or reserved, "
            f"{remaining:.4g} left{wanted}; raise it with budget({limit}=...)"
        )
        self.limit = limit
        self.allowed = allowed
        self.spent = spent
        self.needed = needed
        self.remaining = remaining


class DeadlineError(LimitError, TimeoutError):
    """A `Timeout` ran out before its step gave anything to report."""


class RecordingError(PlanishError):
    """A recording was asked for an answer it does not hold."""

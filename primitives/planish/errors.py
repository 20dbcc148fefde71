"""All errors that planish raises on purpose.

::

    PlanishError                      `.report`: the run so far
    ├── InfrastructureError           infrastructure error: retried below, then raised
    │   ├── ModelError                the model could not be reached, or its reply was not valid
    │   │   ├── RateLimitError        429; `.retry_after` in seconds, or None
    │   │   └── OverloadedError       503, 529, a refused or reset connection
    │   │       └── CircuitOpenError  not called after many failures; `.retry_after` in seconds
    │   └── SandboxError              the sandbox could not run the program
    │       └── SandboxLostError      the sandbox was lost while the program ran
    ├── MisuseError                   usage error: raised at once, before anything is spent
    │   ├── WiringError               types of two steps do not match (also a TypeError)
    │   ├── TaskError                 a task that cannot be judged (also a ValueError)
    │   ├── AuthenticationError       401, 403, or no key
    │   ├── RequestError              400, 404, 422: unknown model, bad parameter
    │   ├── UnknownModelError         a model name without a known provider (also a ValueError)
    │   └── UnsupportedError          the sandbox or model does not support the request
    ├── LimitError                    a limit that the caller set was reached
    │   ├── BudgetExceededError       `budget(...)`: tokens, money, calls, seconds
    │   └── DeadlineError             `Timeout`: the step took too long
    ├── NotPassedError                `Report.unwrap`: no attempt passed
    └── RecordingError                a recording has no (more) replies, or cannot be read

`Suspended` is none of them: it ends a run that is to be resumed later.
A failure of generated code raises none of these: it is a verdict, and becomes feedback.
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
    "NotPassedError",
    "OverloadedError",
    "PlanishError",
    "RateLimitError",
    "RecordingError",
    "RequestError",
    "SandboxError",
    "SandboxLostError",
    "Suspended",
    "TaskError",
    "UnknownModelError",
    "UnsupportedError",
    "WiringError",
    "attach_report",
    "report_of",
]


class PlanishError(Exception):
    """Base class of all errors that planish raises on purpose.

    Attributes:
        report: The attempts and usage of the run before the error; None if nothing had been
            generated yet.
    """

    report: "Report | None" = None


def attach_report(error: BaseException, report: "Report | None") -> None:
    """Store the report of the run so far on an exception. A None report changes nothing."""
    if report is None:
        return
    if isinstance(error, PlanishError):
        error.report = report
    else:
        vars(error)["planish_report"] = report


def report_of(error: BaseException) -> "Report | None":
    """Return the report of the run that raised an exception, of planish or any other class.

    Args:
        error: Any exception that `Primitive.run` raised; or the `KeyboardInterrupt` that Ctrl-C
            makes `asyncio.run` or `anyio.run` raise for a run that it cancelled.

    Returns:
        The attempts and usage before the exception; None if nothing had been generated yet.
    """
    if isinstance(error, PlanishError):
        return error.report
    report: Report | None = vars(error).get("planish_report")
    cancelled = error.__context__ if isinstance(error, KeyboardInterrupt) else None
    if report is None and cancelled is not None and not isinstance(cancelled, Exception):
        return vars(cancelled).get("planish_report")
    return report


class InfrastructureError(PlanishError):
    """Infrastructure error. It does not count as an attempt, and no model sees it."""


class ModelError(InfrastructureError):
    """A model could not be reached, or its reply did not follow the protocol.

    Attributes:
        status: The HTTP status, or None.
        request_id: The provider's id of the request, or None.
        resends: How many times the request was sent again before this was raised.
    """

    resends: int = 0

    def __init__(
        self, message: str, *, status: int | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id


class RateLimitError(ModelError):
    """The provider's rate limit was reached (HTTP 429).

    Attributes:
        retry_after: Seconds to wait, as the provider states them; None if it does not.
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
    """The provider is overloaded or unreachable (HTTP 5xx, 529, connection errors)."""


class CircuitOpenError(OverloadedError):
    """The circuit breaker is open after repeated failures of the provider; nothing was sent.

    Attributes:
        retry_after: Seconds until the next request is sent.
    """

    def __init__(self, message: str, *, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class SandboxError(InfrastructureError):
    """The sandbox itself failed; the program's result is unknown."""


class SandboxLostError(SandboxError):
    """The sandbox was lost while the program ran in it."""


class MisuseError(PlanishError):
    """Usage error. Raised before anything is spent."""


class WiringError(MisuseError, TypeError):
    """The types of two steps do not match; the message names both steps."""


class TaskError(MisuseError, ValueError):
    """A task that cannot be judged: no checks, tests that do not parse, no entry point."""


class AuthenticationError(MisuseError):
    """The provider refused the key (HTTP 401 or 403), or there is no key.

    Attributes:
        status: The HTTP status; None if nothing was sent.
        request_id: The provider's id of the request, or None.
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
        status: The HTTP status, or None.
        request_id: The provider's id of the request, or None.
    """

    def __init__(
        self, message: str, *, status: int | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id


class UnknownModelError(MisuseError, ValueError):
    """No provider is known for a model's name; the message lists similar names."""


class UnsupportedError(MisuseError):
    """A sandbox or model does not support what a request needs."""


class LimitError(PlanishError):
    """A limit that the caller set was reached; `report` has the best attempt so far."""


class BudgetExceededError(LimitError):
    """A call was refused because it may exceed the limits of `budget(...)`.

    Attributes:
        limit: Name of the limit: "tokens", "usd", "model_calls", "sandbox_seconds" or "seconds".
        allowed: The limit as it was set.
        spent: Amount spent or reserved when the call was refused.
        needed: Estimated amount that the call needs at most; 0.0 if nothing remained for any
            call.
        remaining: `allowed` less `spent`, at least 0.0.
    """

    def __init__(self, limit: str, allowed: float, spent: float, needed: float = 0.0) -> None:
        remaining = max(0.0, allowed - spent)
        need = f", and this call may need {needed:.4g}" if needed > 0 else ""
        super().__init__(
            f"the budget of {allowed:g} {limit} is used up: {spent:.4g} spent or reserved, "
            f"{remaining:.4g} left{need}; raise it with budget({limit}=...)"
        )
        self.limit = limit
        self.allowed = allowed
        self.spent = spent
        self.needed = needed
        self.remaining = remaining


class DeadlineError(LimitError, TimeoutError):
    """The time limit of a `Timeout` was reached before its step had a result."""


class NotPassedError(PlanishError):
    """The code of a report was asked for, and no attempt passed.

    Args:
        report: The report.
    """

    def __init__(self, report: "Report") -> None:
        super().__init__(report)
        self.report: Report | None = report

    def __str__(self) -> str:
        return f"no attempt passed\n{self.report}"


class RecordingError(PlanishError):
    """A recording has no reply to a request, or one that cannot be read."""


class Suspended(BaseException):
    """End a run that waits for something outside, such as a person, and is to be resumed later.

    Raise it in a step or in an interceptor. It is not an `Exception`, so no handler of errors
    takes it for a failure. The branches beside it finish first: if one of them wins a `Race`,
    the race has a result; otherwise it is raised by the outermost `run`. With a journal, the next
    run of the same pipeline goes on from there.

    Attributes:
        reason: What the run waits for.
        others: Suspensions of other branches of the same run.
        report: The attempts and usage of the run so far; None if nothing has been generated yet.
    """

    report: "Report | None" = None

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.others: tuple[Suspended, ...] = ()

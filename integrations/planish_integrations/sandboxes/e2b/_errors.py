"""Errors of the SDK as errors of planish.

`AuthenticationException` and `ServiceBusyException` are not under the SDK's `SandboxException`,
and a sandbox that is gone is a kind of `TimeoutException`, so each is mapped by its cause.
"""

from collections.abc import Iterable

from planish.errors import (
    AuthenticationError,
    PlanishError,
    RequestError,
    SandboxError,
    SandboxLostError,
)

__all__ = ["BusyError", "masked", "planish_error"]

_FORBIDDEN = 403
_WRONG = (400, 404, 409, 422)
_SERVER = 500


class BusyError(SandboxError):
    """E2B did not act on a request, which may be sent again: 429, 5xx, or no connection."""


def planish_error(error: Exception, secrets: Iterable[str]) -> PlanishError:
    """Return an error of the SDK as an error of planish, without secrets in its text."""
    # Imported here because the SDK takes long to load, and is loaded by now.
    import e2b  # noqa: PLC0415
    import httpx  # noqa: PLC0415

    if isinstance(error, PlanishError):
        return error
    message = masked(f"{type(error).__name__}: {error}", secrets)
    status = getattr(error, "status_code", None)
    if isinstance(error, e2b.AuthenticationException) or status == _FORBIDDEN:
        return AuthenticationError(
            f"E2B refused the key: {message}. Set E2B_API_KEY to a key of "
            "https://e2b.dev/dashboard?tab=keys, or pass E2BSandbox(api_key=...)"
        )
    if isinstance(error, (e2b.RateLimitException, e2b.ServiceBusyException)):
        return BusyError(f"E2B is busy: {message}")
    gone = (e2b.TimeoutException, e2b.SandboxNotFoundException)
    if isinstance(error, gone) or "without an end event" in message:
        return SandboxLostError(f"the E2B sandbox is gone, or does not answer: {message}")
    if isinstance(error, httpx.TransportError):
        return BusyError(f"E2B cannot be reached: {message}")
    if isinstance(status, int) and status >= _SERVER:
        return BusyError(f"E2B has failed: {message}")
    if isinstance(error, e2b.InvalidArgumentException) or status in _WRONG:
        return RequestError(f"E2B refused the request: {message}", status=status)
    return SandboxError(f"E2B failed: {message}")


def masked(text: str, secrets: Iterable[str]) -> str:
    """Replace the secrets in a text by "***"."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text

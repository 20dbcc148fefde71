"""What the SDK raises, and the road each of it takes.

`AuthenticationException` and `ServiceBusyException` are not under the SDK's `SandboxException`,
and a sandbox that is gone is a kind of `TimeoutException`: that is sorted out here, once.
"""

from collections.abc import Iterable

from planish.errors import (
    AuthenticationError,
    PlanishError,
    RequestError,
    SandboxError,
    SandboxLostError,
)

__all__ = ["BusyError", "scrubbed", "typed"]

_FORBIDDEN = 403
_WRONG = (400, 404, 409, 422)
_SERVER = 500


class BusyError(SandboxError):
    """E2B did nothing, and may when asked again: 429, 5xx, or no connection."""


def typed(error: Exception, secrets: Iterable[str]) -> PlanishError:
    """The same trouble as an error of planish, with no secret in its text."""
    # Imported here because the SDK takes long to load, and is loaded by now.
    import e2b  # noqa: PLC0415
    import httpx  # noqa: PLC0415

    if isinstance(error, PlanishError):
        return error
    said = scrubbed(f"{type(error).__name__}: {error}", secrets)
    status = getattr(error, "status_code", None)
    if isinstance(error, e2b.AuthenticationException) or status == _FORBIDDEN:
        return AuthenticationError(
            f"E2B refused the key: {said}. Set E2B_API_KEY to a key of "
            "https://e2b.dev/dashboard?tab=keys, or pass E2BSandbox(api_key=...)"
        )
    if isinstance(error, (e2b.RateLimitException, e2b.ServiceBusyException)):
        return BusyError(f"E2B is busy: {said}")
    gone = (e2b.TimeoutException, e2b.SandboxNotFoundException)
    if isinstance(error, gone) or "without an end event" in said:
        return SandboxLostError(f"the E2B sandbox is gone, or does not answer: {said}")
    if isinstance(error, httpx.TransportError):
        return BusyError(f"E2B cannot be reached: {said}")
    if isinstance(status, int) and status >= _SERVER:
        return BusyError(f"E2B is in trouble: {said}")
    if isinstance(error, e2b.InvalidArgumentException) or status in _WRONG:
        return RequestError(f"E2B refused the request: {said}", status=status)
    return SandboxError(f"E2B failed: {said}")


def scrubbed(text: str, secrets: Iterable[str]) -> str:
    """A text without what nobody is to read."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text

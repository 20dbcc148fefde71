"""Each error of the SDK becomes planish's, with no secret in its text."""

from typing import Any

import e2b
import httpx
import pytest

from planish.errors import (
    AuthenticationError,
    PlanishError,
    RequestError,
    SandboxError,
    SandboxLostError,
)
from planish_integrations.sandboxes.e2b._errors import BusyError, planish_error


class StatusError(Exception):
    """An error of the SDK that has a status and no class of its own."""

    def __init__(self, status: Any) -> None:
        super().__init__(f"status {status}")
        self.status_code = status


ERRORS: list[tuple[Exception, type[PlanishError], str]] = [
    (e2b.AuthenticationException("no"), AuthenticationError, "E2B refused the key"),
    (StatusError(403), AuthenticationError, "E2B refused the key"),
    (e2b.RateLimitException("slow"), BusyError, "E2B is busy"),  # type: ignore[no-untyped-call]
    (e2b.TimeoutException("late"), SandboxLostError, "is gone, or does not answer"),
    (e2b.SandboxNotFoundException("where"), SandboxLostError, "is gone, or does not answer"),
    (ValueError("stream without an end event"), SandboxLostError, "is gone, or does not answer"),
    (httpx.ConnectError("refused"), BusyError, "E2B cannot be reached"),
    *((StatusError(status), BusyError, "E2B has failed") for status in (500, 503)),
    (e2b.InvalidArgumentException("what"), RequestError, "E2B refused the request"),
    *((StatusError(s), RequestError, "E2B refused the request") for s in (400, 404, 409, 422)),
    *((StatusError(status), SandboxError, "E2B failed") for status in (418, 499, "500", None)),
    (ValueError("odd"), SandboxError, "E2B failed"),
]


@pytest.mark.parametrize(("error", "kind", "says"), ERRORS, ids=range(len(ERRORS)))
def test_each_error_has_its_kind(error: Exception, kind: type[PlanishError], says: str) -> None:
    found = planish_error(error, ())
    assert type(found) is kind
    assert says in str(found)
    assert f"{type(error).__name__}: {error}" in str(found)


def test_a_refused_request_has_its_status() -> None:
    found = planish_error(StatusError(409), ())
    assert isinstance(found, RequestError)
    assert found.status == 409


def test_an_error_of_planish_stays_itself() -> None:
    error = SandboxError("own")
    assert planish_error(error, ()) is error


def test_every_secret_is_hidden() -> None:
    found = str(planish_error(ValueError("key one, token two, one"), ("one", "two")))
    assert found == "E2B failed: ValueError: key ***, token ***, ***"

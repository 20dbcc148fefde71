"""What a loopback E2B answers to requests that no SDK sends, over HTTP."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from planish_integrations.testing.e2b import LoopbackE2B


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """A client whose requests go to one sandbox; its token is in the header of a test's own."""
    with LoopbackE2B() as server, httpx.Client(base_url=server.url, timeout=60) as one:
        made = one.post(
            "/sandboxes", json={"templateID": "base"}, headers={"x-api-key": "e2b_loopback"}
        ).json()
        one.headers["e2b-sandbox-id"] = made["sandboxID"]
        one.headers["x-access-token"] = made["envdAccessToken"]
        yield one
        assert server.errors == []


@pytest.mark.parametrize(
    ("path", "headers", "status", "message"),
    [
        ("/files", {"x-access-token": "other"}, 401, "unauthorized"),
        ("/health", {"x-access-token": "other"}, 204, None),
        ("/health", {}, 204, None),
        ("/other", {}, 404, "no /other here"),
        ("/health", {"e2b-sandbox-id": "none"}, 502, "The sandbox was not found"),
        (
            "/health",
            {"e2b-sandbox-port": "8000"},
            502,
            "The sandbox is running but port is not open",
        ),
        ("/contexts", {"e2b-sandbox-port": "49999"}, 200, None),
    ],
)
def test_a_request_that_is_wrong_is_answered(
    client: httpx.Client, path: str, headers: dict[str, str], status: int, message: str | None
) -> None:
    answer = client.get(path, headers=headers)
    assert answer.status_code == status
    found: Any = answer.json() if message is not None else None
    assert found == (None if message is None else {"code": status, "message": message})


def test_other_languages_are_refused(client: httpx.Client) -> None:
    body = {"code": "1", "language": "r"}
    answer = client.post("/execute", json=body, headers={"e2b-sandbox-port": "49999"})
    assert answer.status_code == 500
    assert answer.text.startswith("Failed to create context: ")
    assert "r not found" in answer.text


@pytest.mark.parametrize(
    ("body", "kind", "where"),
    [
        (b"{", "json_invalid", 0),
        (b"[]", "json_invalid", 0),
        (b"{}", "missing", "code"),
        (b'{"code": 1}', "string_type", "code"),
    ],
)
def test_a_body_that_is_no_cell_is_refused_with_the_place_of_the_error(
    client: httpx.Client, body: bytes, kind: str, where: str | int
) -> None:
    answer = client.post("/execute", content=body, headers={"e2b-sandbox-port": "49999"})
    assert answer.status_code == 422
    assert answer.json() == {"detail": [{"type": kind, "loc": ["body", where]}]}

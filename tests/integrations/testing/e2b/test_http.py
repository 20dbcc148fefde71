"""How requests of a loopback E2B are read, and its responses written."""

from typing import Any

import pytest

from planish_integrations.testing.e2b._http import read_request, send_json

pytestmark = pytest.mark.anyio


async def test_a_request_is_read_to_its_end() -> None:
    parts: list[dict[str, Any]] = [
        {"type": "http.request", "body": b'{"a"', "more_body": True},
        {"type": "http.request", "body": b": 1}"},
    ]

    async def receive() -> Any:
        return parts.pop(0)

    headers = [(b"x-a", "é".encode("latin-1"))]
    scope: Any = {"method": "PUT", "path": "/p", "query_string": b"a=1&a=2&b=", "headers": headers}
    request = await read_request(scope, receive)
    assert (request.method, request.path, request.json()) == ("PUT", "/p", {"a": 1})
    assert (request.query, request.headers) == ({"a": "2"}, {"x-a": "é"})
    parts.append({"type": "http.disconnect"})
    assert (await read_request(scope, receive)).json() == {}


async def test_a_response_has_a_body_only_if_there_is_a_value() -> None:
    async def sent(*values: Any) -> tuple[Any, Any]:
        found: list[Any] = []

        async def send(message: Any) -> None:
            found.append(message)

        await send_json(send, *values)
        start, body = found
        return start, body["body"]

    json_type = [(b"content-type", b"application/json")]
    assert await sent(204) == (
        {"type": "http.response.start", "status": 204, "headers": json_type},
        b"",
    )
    assert (await sent(200, []))[1] == b"[]"
    start, body = await sent(400, "no", {"x-a": "1"})
    assert start["headers"] == [*json_type, (b"x-a", b"1")]
    assert body == b'{"code": 400, "message": "no"}'

"""The bodies and events of errors, as each provider's API reference shows them."""

import json
from typing import Any

import pytest

from planish_integrations.testing._anthropic import Messages
from planish_integrations.testing._gemini import Gemini
from planish_integrations.testing._ollama import Ollama
from planish_integrations.testing._openai import ChatCompletions, Responses

KINDS: dict[int, tuple[str, str | None]] = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("permission_error", None),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
    499: ("invalid_request_error", None),
    500: ("server_error", None),
    502: ("server_error", None),
    503: ("service_unavailable", None),
    529: ("overloaded_error", None),
}


def value(event: bytes, name: str | None = None) -> Any:
    """The data of one server-sent event."""
    head, _, data = event.rpartition(b"data: ")
    assert head == (b"" if name is None else f"event: {name}\n".encode())
    assert data.endswith(b"\n\n")
    return json.loads(data)


@pytest.mark.parametrize(("status", "kind"), KINDS.items())
def test_errors_of_openai_have_a_type_and_a_code(status: int, kind: tuple[str, str | None]) -> None:
    error = {"message": "no", "type": kind[0], "param": None, "code": kind[1]}
    for protocol in (ChatCompletions(), Responses()):
        assert protocol.error_body(status, "no") == {"error": error}
        detailed = protocol.error_body(status, "no", [{"a": 1}])
        assert detailed == {"error": error | {"details": [{"a": 1}]}}
    assert value(ChatCompletions().error_event(status, "no")) == {"error": error}
    assert value(Responses().error_event(status, "no"), "error") == {
        "type": "error",
        "code": kind[1] or kind[0],
        "message": "no",
        "param": None,
        "sequence_number": 0,
    }


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((400, "invalid_request_error"), (401, "authentication_error"), (403, "permission_error")),
        *((404, "not_found_error"), (429, "rate_limit_error"), (500, "api_error")),
        *((529, "overloaded_error"), (502, "api_error"), (413, "request_too_large")),
    ],
)
def test_errors_of_anthropic_have_a_type(status: int, kind: str) -> None:
    protocol = Messages()
    error: dict[str, Any] = {"type": kind, "message": "no"}
    body = {"type": "error", "error": error, "request_id": "req_loopback"}
    assert protocol.error_body(status, "no") == body
    assert value(protocol.error_event(status, "no"), "error") == body
    assert protocol.error_body(status, "no", ["a"])["error"] == error | {"details": ["a"]}


@pytest.mark.parametrize(
    ("status", "name"),
    [
        *((400, "INVALID_ARGUMENT"), (401, "UNAUTHENTICATED"), (403, "PERMISSION_DENIED")),
        *((404, "NOT_FOUND"), (429, "RESOURCE_EXHAUSTED"), (500, "INTERNAL")),
        *((503, "UNAVAILABLE"), (504, "DEADLINE_EXCEEDED"), (529, "UNKNOWN")),
    ],
)
def test_errors_of_gemini_have_a_status_of_google(status: int, name: str) -> None:
    protocol = Gemini()
    error: dict[str, Any] = {"code": status, "message": "no", "status": name}
    assert protocol.error_body(status, "no") == {"error": error}
    assert value(protocol.error_event(status, "no")) == {"error": error}
    assert protocol.error_body(status, "no", ["a"]) == {"error": error | {"details": ["a"]}}


def test_an_error_of_ollama_is_a_text() -> None:
    assert Ollama().error_body(500, "no", ["a"]) == {"error": "no"}
    assert Ollama().error_event(500, "no") == b'{"error":"no"}\n'

"""Secrets in every place a user may put one, against a server that quotes all it receives.

The server repeats the request in messages, ids and headers: as it is, in lower case and quoted. No
secret may then be in an error, its causes and frames, a pickle, a repr, a log, a span, an event
or a report.
"""

import base64
import json
import logging
import pickle
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from secrets import token_hex
from types import TracebackType
from typing import Any
from urllib.parse import quote, unquote

import httpx
import pytest
import structlog
from tests.integrations.models.openai.loopback import Answer, Loopback, Received
from tests.integrations.models.transport.protocols import MODELS
from tests.laws.kit import answer, grade

from planish import CodeGenerator, PlanishError, Report, Task, Validator, step
from planish.events import Event, listen
from planish.testing.clock import FakeClock
from planish.testing.telemetry import capture
from planish_integrations.models.transport import Backoff, HttpModel, Secret

TASK = Task("Pass some checks.", tests="assert PASSED == 4")
VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY")


@dataclass(frozen=True)
class Key:
    """A key that no other test has: what one model has taught the log filter helps no other."""

    text: str

    @property
    def in_url(self) -> str:
        return quote(self.text, safe="")


KEYS: list[Key] = []


async def current_key() -> str:
    return KEYS[-1].text


async def current_header() -> str:
    return f"Bearer {KEYS[-1].text}"


def at(url: str, **options: Any) -> dict[str, Any]:
    return {"base_url": url, "api_key": "", **options}


def with_query(key: Key) -> Callable[[httpx.Request], Awaitable[None]]:
    """A hook that adds the key to the query, as a gateway's own client may."""

    async def add(request: httpx.Request) -> None:
        request.url = request.url.copy_merge_params({"access_token": key.text})

    return add


PLANTS: Mapping[str, Callable[[str, Key], dict[str, Any]]] = {
    "key": lambda url, key: at(url, api_key=key.text),
    "key in the environment": lambda url, _: at(url, api_key=None),
    "key of a function": lambda url, _: at(url, api_key=current_key),
    "header": lambda url, key: at(url, headers={"Authorization": f"Bearer {key.text}"}),
    "header of another name": lambda url, key: at(url, headers={"X-Gateway-Token": key.text}),
    "header from the environment": lambda url, _: at(
        url, headers={"authorization": Secret.from_environment("CANARY_KEY", prefix="Bearer ")}
    ),
    "header of a function": lambda url, _: at(url, headers={"authorization": current_header}),
    "query": lambda url, key: at(f"{url}?key={key.in_url}"),
    "query of another name": lambda url, key: at(f"{url}?api-version=1&code={key.in_url}"),
    "user": lambda url, key: at(url.replace("://", f"://CANARYuser:{key.in_url}@")),
    "extra": lambda url, key: at(url, extra={"gateway": {"keys": [{"api_key": key.text}]}}),
    "client": lambda url, key: at(url, client=httpx.AsyncClient(headers={"x-api-key": key.text})),
    "client's user": lambda url, key: at(
        url, client=httpx.AsyncClient(auth=("CANARYuser", key.text))
    ),
    "client's query": lambda url, key: at(
        url, client=httpx.AsyncClient(params={"alt": "sse", "key": key.text})
    ),
    "client's hook": lambda url, key: at(
        url, client=httpx.AsyncClient(event_hooks={"request": [with_query(key)]})
    ),
    "proxy": lambda _, __: at("http://models.example/v1"),
}
TRAVELS = {
    *("key in the environment", "key of a function"),
    *("header from the environment", "header of a function", "proxy"),
}

BODIES: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "chat": lambda quoted: {
        "id": quoted,
        "model": quoted,
        "choices": [{"message": {"content": answer(4)}, "finish_reason": "stop"}],
    },
    "responses": lambda quoted: {
        "id": quoted,
        "model": quoted,
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": answer(4)}]}],
    },
    "anthropic": lambda quoted: {
        "id": quoted,
        "model": quoted,
        "content": [{"type": "text", "text": answer(4)}],
        "stop_reason": "end_turn",
    },
    "gemini": lambda quoted: {
        "responseId": quoted,
        "modelVersion": quoted,
        "candidates": [{"content": {"parts": [{"text": answer(4)}]}, "finishReason": "STOP"}],
    },
    "ollama": lambda quoted: {
        "model": quoted,
        "message": {"content": answer(4)},
        "done": True,
        "done_reason": "stop",
    },
}


def quoted(received: Received) -> str:
    """All secrets of a request, in all forms; fails the test if it has none."""
    user = [
        base64.b64decode(value.removeprefix("Basic ")).decode()
        for value in received.headers.values()
        if value.startswith("Basic ")
    ]
    found = [*received.headers.values(), unquote(received.path), received.body.decode(), *user]
    texts = [text for text in found if "CANARY" in text]
    forms = [*texts, *map(str.lower, texts), *(quote(text, safe="") for text in texts)]
    assert texts, "the secret has not arrived"
    escaped = [json.dumps(text).replace("/", "\\/") for text in texts]
    return " | ".join([*forms, *map(repr, texts), *escaped])


def error_with(status: int, text: str, **headers: str) -> Answer:
    body = json.dumps({"error": {"message": text, "code": text, "status": text}}).encode()
    shown = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body, status=status, headers={"content-type": "application/json", **shown})


def replies(protocol: str) -> Mapping[str, Callable[[Received], Answer]]:
    """The ways in which a server may repeat what it received."""

    def whole(received: Received) -> Answer:
        text = quoted(received)
        headers = {"content-type": "application/json", "x-request-id": text, "set-cookie": text}
        return Answer(json.dumps(BODIES[protocol](text)).encode(), headers=headers)

    return {
        "reply": whole,
        "wrong key": lambda r: error_with(401, quoted(r), x_request_id=quoted(r)),
        "bad request": lambda r: error_with(400, quoted(r)),
        "overloaded": lambda r: error_with(503, quoted(r), request_id=quoted(r)),
        "moved": lambda r: error_with(307, "", location=f"http://127.0.0.1:9/?key={quoted(r)}"),
        "cut in the key": lambda r: error_with(400, "x" * 988 + quoted(r)),
        "in band": lambda r: Answer(json.dumps({"error": {"message": quoted(r)}}).encode()),
        "no JSON": lambda r: Answer(b"x" * 188 + quoted(r).encode()),
        "no content": lambda r: Answer(json.dumps({"x": "x" * 180 + quoted(r)}).encode()),
        "another type": lambda r: Answer(b"", headers={"content-type": quoted(r)}),
        "another encoding": lambda r: Answer(b"", headers={"content-encoding": quoted(r)}),
        "broken": lambda r: Answer(quoted(r).encode(), stop_after=9, end="reset"),
        "nothing": lambda r: Answer(quoted(r).encode(), stop_after=-1),
    }


Planted = Callable[[], dict[str, Any]]


@pytest.fixture
def planted(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, server: Loopback
) -> Planted:
    """The options of a model, with a secret in one place."""
    key = Key(f"{token_hex(4)}-CANARY/key+0123=789")
    KEYS.append(key)
    for name in (*VARIABLES, "CANARY_KEY"):
        monkeypatch.setenv(name, key.text)
    place: str = request.param
    if place == "proxy":
        user = f"CANARYuser:{key.in_url}"
        monkeypatch.setenv("HTTP_PROXY", server.url.replace("://", f"://{user}@"))
    return lambda: PLANTS[place](server.url, key)


@pytest.mark.one_in(3)  # of 5 protocols and 16 places: each place with one or two protocols
@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("planted", PLANTS, indirect=True)
async def test_no_secret_is_shown(
    protocol: str, planted: Planted, server: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name, script in replies(protocol).items():
        options = planted()
        model = MODELS[protocol](
            "m", clock=FakeClock(), backoff=Backoff(tries=2), provider="p", **options
        )
        server.otherwise = script
        caplog.clear()
        try:
            places = await everything_shown(model)
        finally:
            if "client" in options:
                await options["client"].aclose()
        places["log"] = caplog.text
        assert "HTTP Request" in caplog.text or name in {"nothing", "broken"}
        for place, text in places.items():
            plain = unquote(unquote(text)).lower()
            start = plain.find("canar")
            assert start < 0, f"{name}, {place}: {plain[max(0, start - 80) : start + 80]}"


async def everything_shown(model: HttpModel) -> dict[str, str]:
    """Run a pipeline with the model; return all texts in which a secret could be, by place."""
    heard: list[Event] = []
    places: dict[str, str] = {}
    pipeline = CodeGenerator(model) >> step(grade) >> Validator()
    with capture() as captured, structlog.testing.capture_logs() as logged:
        async with listen(heard.append):
            try:
                report: Report = await pipeline.run(TASK)
                places["report"] = report.to_json() + repr(report)
            except PlanishError as error:
                places["error"] = "".join(shown(error))
                places["report of the error"] = error.report.to_json() if error.report else ""
    assert captured.spans
    assert heard
    places["spans"] = repr(
        [(s.name, s.attributes, s.status.description, s.events) for s in captured.spans]
    )
    places["metrics"] = repr(captured.metrics())
    places["events"] = repr(heard) + "".join(event.to_json() for event in heard)
    places["structlog"] = repr(logged)
    places["model"] = "".join(reprs(model))
    return places


def shown(error: BaseException | None) -> Iterator[str]:
    """All that a log of an error could hold: its chain, its notes, the variables of its frames."""
    while error is not None:
        yield f"{error} {error!r} {vars(error)!r} {getattr(error, '__notes__', [])}"
        yield from traceback.format_exception(error)
        yield from variables(error.__traceback__)
        if error.__context__ is not error.__cause__:
            yield from shown(error.__context__)
        error = error.__cause__


def variables(trace: TracebackType | None) -> Iterator[str]:
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        if frame.f_code.co_filename != __file__:  # this test's own variables hold the plant
            yield from map(repr, frame.f_locals.values())


def reprs(model: HttpModel) -> Iterator[str]:
    """The repr of a model, of its attributes, and of theirs."""
    yield repr(model)
    for value in vars(model).values():
        yield repr(value)
        yield repr(getattr(value, "__dict__", {}))


@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("planted", PLANTS, indirect=True)
def test_no_secret_is_pickled(
    request: pytest.FixtureRequest,
    protocol: str,
    planted: Planted,
) -> None:
    model: Any = MODELS[protocol]("m", **planted())
    if request.node.callspec.params["planted"] in TRAVELS:
        sent = pickle.dumps(model)
        assert b"canar" not in sent.replace(b"CANARY_KEY", b"").lower()
        assert repr(pickle.loads(sent)) == repr(model)  # noqa: S301  # our own bytes
    else:
        with pytest.raises(TypeError, match=r"not pickled.*create the model") as caught:
            pickle.dumps(model)
        assert "canar" not in "".join(shown(caught.value)).lower()

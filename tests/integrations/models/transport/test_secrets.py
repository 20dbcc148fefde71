"""Keys are nowhere but in the request: canaries in every place where one could show."""

import copy
import logging
import pickle
import traceback
from typing import Any

import pytest
import structlog
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS
from tests.laws.kit import answer, grade

from planish import CodeGenerator, PlanishError, Task, Validator, step
from planish.data.message import Message, Request
from planish.errors import AuthenticationError
from planish.events import Event, listen
from planish.testing.clock import FakeClock
from planish.testing.telemetry import capture
from planish_integrations.models.transport import Backoff, HttpModel, Secret
from planish_integrations.testing import Fault, LoopbackProvider, ReceivedRequest

ASK = Request(messages=(Message("user", "hello"),))
KEY = "sk-CANARY-key-0123456789"
USER, PASSWORD = "CANARYuser", "CANARYpassword"
TWICE = Backoff(tries=2)
FAULTS = [
    Fault.error(401, f"Incorrect API key provided: {KEY}"),
    Fault.error(400, f"{KEY} has no access; {PASSWORD} neither"),
    Fault.error(503, KEY),
    Fault.rate_limit(1),
    Fault.error_event(529, KEY),
    Fault.dropped(),
    Fault.malformed(),
    Fault.mistyped(),
]


def model_of(protocol: str, server: LoopbackProvider, key: str | Secret = KEY) -> HttpModel:
    url = server.url(LOOPBACK_NAMES[protocol]).replace("://", f"://{USER}:{PASSWORD}@")
    return MODELS[protocol](
        "m", base_url=url, api_key=key, clock=FakeClock(), backoff=TWICE, extra={"user": "u"}
    )


def shown(error: BaseException) -> str:
    """All that a log of this error could hold, local variables included."""
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    chain = [repr(vars(error)), str(error), repr(error), *told.format()]
    return "".join(chain)


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.kind}-{fault.status}")
async def test_in_no_error_log_span_or_event(
    protocol: str, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    heard: list[Event] = []
    async with LoopbackProvider("hi", faults=fault) as server:
        model = model_of(protocol, server)
        attempt = CodeGenerator(model) >> step(grade) >> Validator()
        with capture() as captured, structlog.testing.capture_logs() as logged:
            async with listen(heard.append):
                with pytest.raises(PlanishError) as caught:
                    await attempt.run(Task("Pass some checks.", tests="assert PASSED == 4"))
    spans = [repr((s.name, s.attributes, s.status.description, s.events)) for s in captured.spans]
    everywhere = [*spans, repr(heard), repr(logged), caplog.text, repr(model), repr(vars(model))]
    assert spans
    assert heard
    assert "HTTP Request: POST" in caplog.text or fault.kind == "dropped"
    for text in everywhere:
        assert "CANARY" not in text
    # Our own frames hold no key; the server, in this same process, quotes it on purpose.
    told = shown(caught.value).replace(repr(fault), "")
    assert "CANARY" not in str(caught.value)
    assert f"Bearer {KEY}" not in told


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_in_no_reply_report_or_prompt(protocol: str) -> None:
    async with LoopbackProvider([answer(4)]) as server:
        model = model_of(protocol, server)
        attempt = CodeGenerator(model) >> step(grade) >> Validator()
        report = await attempt.run(Task("Pass some checks.", tests="assert PASSED == 4"))
        assert "CANARY" not in report.to_json()
        assert "CANARY" not in server.requests[0].text
        assert "CANARY" not in server.requests[0].query


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("protocol", "header", "value"),
    [
        ("chat", "authorization", f"Bearer {KEY}"),
        ("responses", "authorization", f"Bearer {KEY}"),
        ("anthropic", "x-api-key", KEY),
        ("gemini", "x-goog-api-key", KEY),
        ("ollama", "authorization", f"Bearer {KEY}"),
    ],
)
async def test_but_it_arrives_where_the_provider_looks_for_it(
    protocol: str, header: str, value: str
) -> None:
    seen: list[ReceivedRequest] = []

    def hear(received: ReceivedRequest) -> str:
        seen.append(received)
        return "hi"

    async with LoopbackProvider(hear) as server:
        await model_of(protocol, server).reply(ASK)
        assert seen[0].headers[header] == value
        if header != "authorization":  # then the user of the URL goes there
            assert seen[0].headers["authorization"].startswith("Basic ")
        await model_of(protocol, server, key="").reply(ASK)
        assert seen[1].headers["authorization"].startswith("Basic ")


def test_a_secret_shows_nothing_and_is_not_pickled() -> None:
    secret = Secret(f" {KEY}\n")
    assert secret.reveal() == KEY
    for text in (repr(secret), str(secret), f"{secret}", repr([secret]), repr({"key": secret})):
        assert "CANARY" not in text
    assert copy.copy(secret) is copy.deepcopy(secret) is secret
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(secret)
    assert secret
    assert not Secret(" ")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("protocol", "variable"),
    [
        ("chat", "OPENAI_API_KEY"),
        ("responses", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("gemini", "GOOGLE_API_KEY"),
        ("ollama", "OLLAMA_API_KEY"),
    ],
)
async def test_a_model_with_a_key_of_the_environment_travels_and_the_key_does_not(
    protocol: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.setenv(variable, KEY)
    async with LoopbackProvider("hi") as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        sent = pickle.dumps(MODELS[protocol]("m", base_url=url))
        assert b"CANARY" not in sent
        monkeypatch.setenv(variable, "sk-of-the-other-machine")
        arrived: HttpModel = pickle.loads(sent)  # noqa: S301  # our own bytes
        assert (await arrived.reply(ASK)).text == "hi"
        assert "sk-of-the-other-machine" in "".join(server.requests[0].headers.values())
    monkeypatch.delenv(variable)
    with pytest.raises(AuthenticationError, match=variable):
        pickle.loads(sent)  # noqa: S301  # our own bytes


@pytest.mark.anyio
async def test_a_model_without_a_key_travels() -> None:
    async with LoopbackProvider("hi") as server:
        model = MODELS["ollama"]("m", base_url=server.url("ollama"), api_key="", prices={})
        arrived: HttpModel = pickle.loads(pickle.dumps(model))  # noqa: S301  # our own bytes
        assert (await arrived.reply(ASK)).text == "hi"


@pytest.mark.parametrize("protocol", MODELS)
def test_a_model_with_a_key_in_hand_is_not_pickled(protocol: str) -> None:
    model: Any = MODELS[protocol]("m", base_url="http://localhost:1/v1", api_key=KEY)
    with pytest.raises(TypeError, match="where the model runs"):
        pickle.dumps(model)


@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("key", [f"{KEY}\nmore", f"{KEY}é", f"{KEY}\x00"])
def test_a_key_no_header_can_have_is_refused_unshown(protocol: str, key: str) -> None:
    with pytest.raises(AuthenticationError) as caught:
        MODELS[protocol]("m", api_key=key)
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["ftp://CANARY:CANARY@x/v1", "http://CANARY:CANARY@[::1", "CANARY:CANARY@x?k=CANARY"],
)
def test_a_wrong_url_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ValueError, match="base_url") as caught:
        MODELS["chat"]("m", base_url=url, api_key="")
    assert "CANARY" not in str(caught.value)

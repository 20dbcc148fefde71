"""The model kit passes good models, and fails each kind of bad one."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from tests.integrations.models.openai.loopback import (
    DONE,
    Answer,
    Loopback,
    Received,
    chunk,
    completion,
)
from tests.integrations.models.openai.loopback import events as streamed

from planish.abc import Model, OnText
from planish.data.message import Reply, Request
from planish.data.usage import Usage
from planish.errors import OverloadedError
from planish.testing._conformance import ConformanceError
from planish.testing.model_kit import _CHECKS as CHECKS  # pyright: ignore[reportPrivateUsage]
from planish.testing.model_kit import check_model
from planish.testing.scripted import ScriptedModel
from planish_integrations.openai import OpenAIModel


class Echo:
    """A good model, and the base of the bad ones."""

    name = "echo"
    provider = "planish"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        await anyio.sleep(0.001)
        text = request.messages[-1].content.rpartition(" ")[2]
        if on_text is not None:
            for letter in text:
                on_text(letter)
        return Reply(text=text, usage=Usage(model_calls=1))


class Nameless(Echo):
    name = ""


class Mispriced(Echo):
    price = 0.5


class Boundless(Echo):
    max_tokens = 0


class Silent(Echo):
    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        pieces: list[str] = []
        return replace(await super().reply(request, pieces.append if on_text else None), text="")


class Uncounted(Echo):
    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        return replace(await super().reply(request, on_text), usage=Usage())


class Negative(Echo):
    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        usage = Usage(model_calls=1, output_tokens=-1)
        return replace(await super().reply(request, on_text), usage=usage)


class Deaf(Echo):
    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        return await super().reply(request, None if on_text is None else lambda _: None)


class Thawed(Echo):
    async def reply(self, request: Request, on_text: OnText | None = None) -> Any:
        frozen = await super().reply(request, on_text)
        names = ("text", "finish_reason", "usage", "model", "id", "reasoning", "resends")
        return SimpleNamespace(**{name: getattr(frozen, name) for name in names})


class Binary(Echo):
    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        reasoning: Any = b"bytes"
        return replace(await super().reply(request, on_text), reasoning=reasoning)


class Once(Echo):
    def __init__(self) -> None:
        self.seen: set[Request] = set()

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        if request in self.seen:
            raise OverloadedError("asked before")
        self.seen.add(request)
        return await super().reply(request, on_text)


class Lonely(Echo):
    """Cannot be asked while it answers."""

    def __init__(self) -> None:
        self.busy = False

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        if self.busy:
            raise OverloadedError("one at a time")
        self.busy = True
        reply = await super().reply(request, on_text)
        self.busy = False
        return reply


class Mixed(Echo):
    """Keeps the request it works on in itself."""

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        self.request = request
        await anyio.sleep(0.01)
        return await super().reply(self.request, on_text)


class Stubborn(Echo):
    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        if on_text is not None and request.messages[-1].content.endswith("ok"):
            with anyio.CancelScope(shield=True):
                await anyio.sleep(1.3)
        return await super().reply(request, on_text)


@pytest.mark.anyio
async def test_a_good_model_passes_every_check() -> None:
    assert len(await check_model(Echo())) == 8


@pytest.mark.anyio
async def test_it_asks_as_often_as_it_says() -> None:
    with ScriptedModel(["ok"] * 11) as model:
        await check_model(model)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("model", "failed"),
    [
        (Nameless, ["has a name and a provider"]),
        (Mispriced, ["has a name and a provider"]),
        (Boundless, ["has a name and a provider"]),
        (Silent, ["answers a request of one message", "answers the same request again"]),
        (Uncounted, ["counts one call and its tokens"]),
        (Negative, ["counts one call and its tokens"]),
        (Deaf, ["chunks of a stream join to the text", "separates concurrent requests"]),
        (Binary, ["replies are frozen and serialize to JSON"]),
        (Mixed, ["separates concurrent requests"]),
        (Stubborn, ["ends promptly when cancelled"]),
    ],
)
async def test_a_bad_model_fails_where_it_is_bad(
    model: Callable[[], Model], failed: list[str]
) -> None:
    with pytest.raises(ConformanceError) as caught:
        await check_model(model(), promptly=1.0)
    assert list(caught.value.failures) == failed
    assert all(name in str(caught.value) for name in failed)


class Odd(Echo):
    """Its replies have a cost that is no number."""

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        usage = Usage(model_calls=1, usd=float("nan"))
        return replace(await super().reply(request, on_text), usage=usage)


class Second(Echo):
    """Has no text the second time."""

    def __init__(self) -> None:
        self.seen: Counter[Request] = Counter()

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        self.seen[request] += 1
        reply = await super().reply(request, on_text)
        return reply if self.seen[request] != 2 else replace(reply, text="")


class Own(Reply):
    """A kind of reply of its own."""


class Derived(Echo):
    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        reply = await super().reply(request, on_text)
        return Own(text=reply.text, usage=reply.usage)


@pytest.mark.anyio
@pytest.mark.filterwarnings("ignore:Pydantic serializer")
@pytest.mark.parametrize(
    ("model", "check", "finding"),
    [
        (Derived, "answers a request of one message", "the reply is a Own, not a Reply"),
        (Silent, "answers a request of one message", "the reply has no text"),
        (Uncounted, "counts one call and its tokens", "usage.model_calls is 0, not 1"),
        (Negative, "counts one call and its tokens", "usage.output_tokens is -1"),
        (Odd, "counts one call and its tokens", "usage.usd is nan"),
        (Deaf, "chunks of a stream join to the text", "the chunks join to '', the text is 'ok'"),
        (Thawed, "replies are frozen and serialize to JSON", "the reply is not frozen"),
        (Binary, "replies are frozen and serialize to JSON", "the reply is not JSON"),
        (Silent, "answers the same request again", "the same request has no text the first time"),
        (Second, "answers the same request again", "the same request has no text the second time"),
        (Deaf, "separates concurrent requests", "the chunks join to ''"),
    ],
)
async def test_a_check_says_what_is_wrong(
    model: Callable[[], Model], check: str, finding: str
) -> None:
    with pytest.raises(AssertionError) as caught:
        await CHECKS[check](model())
    assert finding in str(caught.value)


@pytest.mark.anyio
async def test_a_reply_that_can_be_changed_fails() -> None:
    with pytest.raises(ConformanceError) as caught:
        await check_model(Thawed())
    assert "not frozen" in caught.value.failures["replies are frozen and serialize to JSON"]


@pytest.mark.anyio
async def test_what_a_model_raises_is_told_and_stops_no_other_check() -> None:
    with pytest.raises(ConformanceError) as caught:
        await check_model(Once())
    failures = caught.value.failures
    assert failures["answers the same request again"] == "raised OverloadedError: asked before"
    assert "has a name and a provider" not in failures


@pytest.mark.anyio
async def test_what_a_model_raises_when_asked_at_once_is_told() -> None:
    with pytest.raises(ConformanceError) as caught:
        await check_model(Lonely())
    failures = caught.value.failures
    assert failures["separates concurrent requests"] == "raised OverloadedError: one at a time"


def echo(received: Received) -> Answer:
    time.sleep(0.002)
    text = received.json["messages"][-1]["content"].rpartition(" ")[2]
    if not received.json.get("stream"):
        return completion(text)
    return streamed(*map(chunk, text), chunk(finish="stop"), DONE)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as loopback:
        loopback.otherwise = echo
        yield loopback
        assert loopback.closes_within(10.0)


@pytest.mark.anyio
async def test_our_own_model_passes_alone_and_entered(server: Loopback) -> None:
    model = OpenAIModel("loopback-1", base_url=server.url, api_key="k")
    assert len(await check_model(model)) == 8
    async with model:
        assert len(await check_model(model)) == 8

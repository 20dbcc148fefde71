"""A client of the user's: tests with httpx's own means, transports that fail, redirects."""

import gzip
import json
import ssl
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.abc
import httpx
import pytest
from anyio.streams.tls import TLSListener
from tests.integrations.models.openai.loopback import Answer, Loopback, completion
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS

from planish.data import Message, Request
from planish.errors import (
    AuthenticationError,
    ModelError,
    OverloadedError,
    PlanishError,
    RequestError,
)
from planish_integrations.models.transport import Backoff
from planish_integrations.testing import LoopbackProvider

pytestmark = pytest.mark.both_loops

ASK = Request(messages=(Message("user", "hello"),))
TWICE = Backoff(tries=2, first=0.0)
BODY = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}
Handler = Callable[[httpx.Request], httpx.Response]


async def ask(handler: Handler, **options: object) -> str:
    async with httpx.AsyncClient(transport=httpx.MockTransport(handler), **options) as client:  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        url = "https://models.example/v1"
        model = MODELS["chat"]("m", base_url=url, api_key="k", client=client, backoff=TWICE)
        return (await model.reply(ASK)).text


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_a_mock_transport_answers(protocol: str) -> None:
    async with LoopbackProvider("hi") as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        async with httpx.AsyncClient() as real:

            async def forward(request: httpx.Request) -> httpx.Response:
                answer = await real.post(
                    request.url, content=request.content, headers=request.headers
                )
                return httpx.Response(
                    answer.status_code, content=answer.content, headers=answer.headers
                )

            async with httpx.AsyncClient(transport=httpx.MockTransport(forward)) as client:
                model = MODELS[protocol]("m", base_url=url, api_key="k", client=client)
                assert (await model.reply(ASK)).text == "hi"
                pieces: list[str] = []
                assert (await model.reply(ASK, pieces.append)).text == "hi"
                assert "".join(pieces) == "hi"


@pytest.mark.anyio
@pytest.mark.parametrize("status", [400, 429, 503])
async def test_so_do_its_errors(status: int) -> None:
    with pytest.raises(PlanishError, match="because of this"):
        await ask(lambda _: httpx.Response(status, json={"error": {"message": "because of this"}}))


ERRORS: dict[str, tuple[Exception, type[PlanishError]]] = {
    "connect": (httpx.ConnectError("x"), OverloadedError),
    "timeout": (httpx.PoolTimeout("x"), OverloadedError),
    "decoding": (httpx.DecodingError("x"), ModelError),
    "redirects": (httpx.TooManyRedirects("x"), RequestError),
    "protocol": (httpx.UnsupportedProtocol("x"), RequestError),
    "url": (httpx.InvalidURL("x"), RequestError),
    "consumed": (httpx.StreamConsumed(), RequestError),
    "cookies": (httpx.CookieConflict("x"), RequestError),
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", ERRORS)
async def test_no_exception_of_httpx_leaves_untyped(name: str) -> None:
    error, expected = ERRORS[name]

    def fail(_: httpx.Request) -> httpx.Response:
        raise error

    with pytest.raises(expected):
        await ask(fail)


@pytest.mark.anyio
async def test_an_event_hook_that_raises_for_a_status_is_typed_by_it() -> None:
    async def hook(response: httpx.Response) -> None:
        response.raise_for_status()

    with pytest.raises(AuthenticationError) as caught:
        await ask(lambda _: httpx.Response(401), event_hooks={"response": [hook]})
    assert caught.value.status == 401


@pytest.mark.anyio
async def test_an_error_of_the_listener_passes_through_unchanged() -> None:
    error = httpx.ReadTimeout("the listener's own")

    def listener(_: str) -> None:
        raise error

    async with LoopbackProvider("hi") as server:
        model = MODELS["chat"]("m", base_url=server.url("openai"), api_key="k")
        with pytest.raises(httpx.ReadTimeout) as caught:
            await model.reply(ASK, listener)
    assert caught.value is error


@pytest.mark.anyio
async def test_a_closed_client_is_a_usage_error() -> None:
    client = httpx.AsyncClient()
    await client.aclose()
    model = MODELS["chat"]("m", base_url="https://x.example", api_key="k", client=client)
    with pytest.raises(RequestError, match=r"client=\.\.\.\) is closed"):
        await model.reply(ASK)


@pytest.mark.anyio
async def test_a_redirect_is_not_sent_the_key(server: Loopback) -> None:
    server.otherwise = lambda _: Answer(status=307, headers={"location": f"{server.url}/other"})
    async with httpx.AsyncClient(follow_redirects=True) as client:
        model = MODELS["anthropic"]("m", base_url=server.url, api_key="k", client=client)
        with pytest.raises(RequestError, match="it has moved to"):
            await model.reply(ASK)
    assert len(server.requests) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_an_encoding_that_was_not_asked_for_is_read(encoding: str, server: Loopback) -> None:
    encode = gzip.compress if encoding == "gzip" else zlib.compress
    headers = {"content-type": "application/json", "content-encoding": encoding}
    server.answers.append(Answer(encode(json.dumps(BODY).encode()), headers=headers))
    model = MODELS["chat"]("m", base_url=server.url, api_key="k")
    assert (await model.reply(ASK)).text == "hi"


@pytest.mark.anyio
@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip"])
async def test_an_encoding_that_may_expand_without_bound_is_not(
    encoding: str, server: Loopback
) -> None:
    headers = {"content-type": "application/json", "content-encoding": encoding}
    server.otherwise = lambda _: Answer(b"x", headers=headers)
    model = MODELS["chat"]("m", base_url=server.url, api_key="k", backoff=TWICE)
    with pytest.raises(ModelError, match="not asked for"):
        await model.reply(ASK)


@pytest.mark.anyio
async def test_text_that_is_json_is_read(server: Loopback) -> None:
    server.answers.append(completion("hi"))
    text = Answer(server.answers.pop().body, headers={"content-type": "text/plain; charset=utf-8"})
    server.answers.append(text)
    model = MODELS["chat"]("m", base_url=server.url, api_key="k")
    assert (await model.reply(ASK)).text == "hi"


@pytest.mark.anyio
async def test_a_certificate_that_cannot_be_verified_is_a_usage_error(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ["-nodes", "-days", "1", "-subj", "/CN=localhost"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    try:
        await anyio.run_process(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", *subject, *files],
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        pytest.skip("openssl, which makes the certificate, is not installed")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    connections = 0

    async def count(stream: anyio.abc.ByteStream) -> None:
        nonlocal connections
        connections += 1
        await stream.aclose()

    plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = plain.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610  # no Django
    async with TLSListener(plain, context) as listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, count)
        model = MODELS["chat"]("m", base_url=f"https://127.0.0.1:{port}", api_key="k")
        with pytest.raises(RequestError, match=r"cannot be verified: self.signed"):
            await model.reply(ASK)
        group.cancel_scope.cancel()
    assert connections == 0


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("proxy", "message"),
    [
        (
            "socks5://user:CANARY@127.0.0.1:9",
            r"HTTP_PROXY is a SOCKS proxy: install httpx\[socks\]",
        ),
        ("ftp://user:CANARY@127.0.0.1:9", "HTTP_PROXY is not a URL that begins with http"),
    ],
)
async def test_a_proxy_that_cannot_be_used_is_a_usage_error(
    proxy: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "ALL_PROXY", "https_proxy", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", proxy)
    model = MODELS["chat"]("m", base_url="http://models.example/v1", api_key="k")
    with pytest.raises(RequestError, match=message) as caught:
        await model.reply(ASK)
    assert "CANARY" not in str(caught.value)
    assert caught.value.__context__ is None

"""The double of E2B's code interpreter and E2B's own server, asked the same."""

import json
from collections.abc import Iterator, Mapping

import httpx
import pytest
from tests.integrations.testing.e2b.calls import CONVERSATIONS
from tests.integrations.testing.e2b.cells import CELLS
from tests.integrations.testing.e2b.client import Answer, Client
from tests.integrations.testing.e2b.real import real_server

from planish_integrations.testing.e2b import LoopbackE2B

pytestmark = pytest.mark.real_e2b

DIFFERENCES: Mapping[str, str] = {
    "languages of the default contexts": "the double runs Python only",
    "print a lone surrogate": "the kernel fails, and logs that in the words of its event loop",
}
"""Calls that are answered differently, and why. An entry that is no longer true fails."""

NEEDED = {
    "a plot": "matplotlib",
    "a figure that is shown": "matplotlib",
    "a figure as a value": "e2b_charts",
}
"""Packages of E2B's template that are not among the project's own."""

VARIABLES = {"SET_AT_CREATION": "yes"}


@pytest.fixture(scope="module")
def real() -> Iterator[Client]:
    with real_server() as server:
        server.envs.write_text(json.dumps({"E2B_SANDBOX": "true", **VARIABLES}))
        transport = httpx.HTTPTransport(uds=str(server.socket))
        with httpx.Client(transport=transport, base_url="http://e2b") as http:
            _folder(http)
            yield Client(http, {})


@pytest.fixture(scope="module")
def double() -> Iterator[Client]:
    with LoopbackE2B() as server:
        made = httpx.post(
            f"{server.url}/sandboxes",
            json={"templateID": "base", "timeout": 3600, "envVars": VARIABLES},
            headers={"x-api-key": server.options["api_key"]},
        ).json()
        headers = {"e2b-sandbox-id": made["sandboxID"], "e2b-sandbox-port": "49999"}
        with httpx.Client(base_url=server.url, headers=headers) as http:
            folder = _folder(http)
            yield Client(http, {folder: "/home/user"})
        assert server.errors == []


def _folder(http: httpx.Client) -> str:
    """Return the folder in which cells run, asked in the default context."""
    code = "import os; [os.getcwd()]"
    answer = http.post("/execute", json={"code": code}, timeout=60).text
    text: str = json.loads(answer.split("\n")[1])["text"]
    return text[2:-2]


@pytest.fixture(scope="module")
def cells(real: Client, double: Client) -> Mapping[str, tuple[Answer, Answer]]:
    """All cells, run in order in one context of each."""
    answers: list[dict[str, Answer]] = []
    for client in (real, double):
        identity = client.context()
        answers.append(
            {name: client.execute(code, context_id=identity) for name, code in CELLS.items()}
        )
    first, second = answers
    return {name: (first[name], second[name]) for name in CELLS}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_is_answered_alike(name: str, cells: Mapping[str, tuple[Answer, Answer]]) -> None:
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    _compare(name, *cells[name])


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_goes_alike(name: str, real: Client, double: Client) -> None:
    _compare(name, CONVERSATIONS[name](real), CONVERSATIONS[name](double))


def test_every_difference_is_of_a_call() -> None:
    assert set(DIFFERENCES) <= {*CELLS, *CONVERSATIONS}


def _compare(name: str, real: Answer, double: Answer) -> None:
    if name in DIFFERENCES:
        assert real != double, f"{name!r} is answered alike: take it out of DIFFERENCES"
    else:
        assert double == real

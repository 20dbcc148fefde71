"""mock.patch and monkeypatch on the candidate and on the standard library."""

from tests.honesty.program import pytest_file

__all__ = ["PROGRAMS", "SHOP"]

SHOP = """
import time
import random
RATE = 0.1
def rate():
    return RATE
def price(net):
    return round(net * (1 + rate()), 2)
def stamp():
    return int(time.time())
def roll():
    return random.randint(1, 6)
class Client:
    timeout = 5
    def fetch(self, path):
        raise OSError("no network")
    def get(self, path):
        return self.fetch(path).upper()
def load(path, client=None):
    return (client or Client()).get(path)
"""

PROGRAMS = (
    pytest_file(
        "monkeypatch: globals of the candidate, undone",
        SHOP,
        """
import solution

def test_patched(monkeypatch):
    monkeypatch.setattr(solution, "RATE", 0.5)
    assert solution.price(10) == 15 and solution.RATE == 0.5

def test_undone():
    assert solution.RATE == 0.1 and solution.price(10) == 11

def test_function(monkeypatch):
    monkeypatch.setattr(solution, "rate", lambda: 1)
    assert solution.price(10) == 20

def test_function_undone():
    assert solution.price(10) == 11 and solution.rate() == 0.1

def test_by_name(monkeypatch):
    monkeypatch.setattr("solution.RATE", 0)
    assert solution.price(10) == 10

def test_again():
    assert solution.price(10) == 11
""",
        wrong=("1 + rate()", "1 + RATE"),
    ),
    pytest_file(
        "mock.patch: globals of the candidate, undone",
        SHOP,
        """
from unittest import mock
import solution

@mock.patch("solution.RATE", 0.5)
def test_value():
    assert solution.price(10) == 15

def test_undone():
    assert solution.price(10) == 11

@mock.patch("solution.rate")
def test_function(rate):
    rate.return_value = 2
    assert solution.price(10) == 30
    rate.assert_called_once_with()

def test_object():
    with mock.patch.object(solution, "rate", side_effect=[0, 1]) as rate:
        assert [solution.price(10), solution.price(10)] == [10, 20]
        assert rate.call_count == 2
    assert solution.price(10) == 11

@mock.patch.multiple("solution", RATE=3)
def test_multiple():
    assert solution.price(1) == 4

def test_last():
    assert solution.RATE == 0.1 and solution.rate() == 0.1
""",
        wrong=("1 + rate()", "1 + RATE"),
    ),
    pytest_file(
        "methods of the candidate's class, patched and undone",
        SHOP,
        """
from unittest import mock
import pytest
from solution import Client, load

def test_patched():
    with mock.patch.object(Client, "fetch", return_value="page") as fetch:
        assert load("/a") == "PAGE"
    fetch.assert_called_once_with("/a")

def test_undone():
    with pytest.raises(OSError, match="no network"):
        load("/a")

def test_autospec():
    with mock.patch("solution.Client.fetch", autospec=True) as fetch:
        fetch.return_value = "x"
        client = Client()
        assert client.get("/b") == "X"
        fetch.assert_called_once_with(client, "/b")

def test_monkeypatch(monkeypatch):
    monkeypatch.setattr(Client, "fetch", lambda self, path: path * self.timeout)
    monkeypatch.setattr(Client, "timeout", 2)
    assert load("q") == "QQ"

def test_class_undone():
    assert Client.timeout == 5
    with pytest.raises(OSError):
        Client().get("")

def test_whole_class():
    with mock.patch("solution.Client") as fake:
        fake.return_value.get.return_value = "fake"
        assert load("/c") == "fake"
    fake.return_value.get.assert_called_once_with("/c")
""",
        wrong=("self.fetch(path).upper()", "self.fetch(path).lower()"),
    ),
    pytest_file(
        "the standard library patched: time, random",
        SHOP,
        """
import random, time
from unittest import mock
import solution

def test_time(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1234.9)
    assert solution.stamp() == 1234

def test_time_again():
    assert abs(solution.stamp() - time.time()) < 1000
    with mock.patch("time.time", return_value=5.5):
        assert solution.stamp() == 5

def test_through_the_candidate():
    with mock.patch("solution.time.time", return_value=7):
        assert solution.stamp() == 7
    with mock.patch("solution.random.randint", return_value=6) as randint:
        assert solution.roll() == 6
    randint.assert_called_once_with(1, 6)

def test_module_replaced():
    with mock.patch("solution.time") as fake:
        fake.time.return_value = 9
        assert solution.stamp() == 9
    assert solution.stamp() > 1000

def test_random():
    with mock.patch("random.randint", side_effect=[2, 4]):
        assert solution.roll() + solution.roll() == 6
    random.seed(1)
    first = [solution.roll() for _ in range(5)]
    random.seed(1)
    assert [random.randint(1, 6) for _ in range(5)] == first
""",
        wrong=("int(time.time())", "int(time.time()) + 1"),
    ),
    pytest_file(
        "doubles handed in",
        """
class Mailer:
    def __init__(self, transport, clock=None):
        self.transport = transport
        self.clock = clock
    def send(self, to, text):
        if not to:
            raise ValueError("nobody")
        self.transport.deliver(to, text, retries=2)
        self.transport.log.info("sent")
        return self.clock() if self.clock else None
    def all(self, people):
        with self.transport.session() as session:
            return [session.post(p) for p in people]
""",
        """
from unittest.mock import ANY, MagicMock, Mock, call
import pytest
from solution import Mailer

def test_calls():
    t = Mock()
    assert Mailer(t, clock=lambda: 42).send("ann", "hi") == 42
    t.deliver.assert_called_once_with("ann", "hi", retries=2)
    assert t.method_calls == [call.deliver("ann", "hi", retries=ANY), call.log.info("sent")]

def test_refused():
    t = Mock()
    with pytest.raises(ValueError):
        Mailer(t).send("", "x")
    t.deliver.assert_not_called()

def test_magic():
    t = MagicMock()
    session = t.session.return_value.__enter__.return_value
    session.post.side_effect = ["a", "b"]
    assert Mailer(t).all([1, 2]) == ["a", "b"]
    t.session.return_value.__exit__.assert_called_once()
    assert session.post.call_args_list == [call(1), call(2)]

def test_side_effect():
    t = Mock()
    t.deliver.side_effect = ConnectionError("down")
    with pytest.raises(ConnectionError, match="down"):
        Mailer(t).send("a", "b")

def test_spec():
    m = Mock(spec=Mailer)
    m.send("a", "b")
    m.send.assert_called_with("a", "b")
    with pytest.raises(AttributeError):
        m.nothing
    assert isinstance(m, Mailer)
""",
        wrong=("retries=2", "retries=3"),
    ),
    pytest_file(
        "AsyncMock",
        """
import asyncio
async def fetch_all(client, urls):
    pages = await asyncio.gather(*(client.get(u) for u in urls))
    return [p.strip() for p in pages]
""",
        """
import asyncio
from unittest.mock import AsyncMock, call
import pytest
from solution import fetch_all

def test_calls():
    client = AsyncMock()
    client.get.side_effect = [" a", "b "]
    assert asyncio.run(fetch_all(client, ["x", "y"])) == ["a", "b"]
    assert client.get.await_args_list == [call("x"), call("y")]

def test_error():
    client = AsyncMock()
    client.get.side_effect = TimeoutError("slow")
    with pytest.raises(TimeoutError):
        asyncio.run(fetch_all(client, ["x"]))
    client.get.assert_awaited_once_with("x")
""",
        wrong=("p.strip()", "p.lstrip()"),
    ),
    pytest_file(
        "capsys and capfd",
        """
import os, sys
def report(items):
    for item in items:
        print(item, end=";")
    print("warn", file=sys.stderr)
def raw():
    os.write(1, b"raw\\n")
    sys.stdout.write("text\\n")
""",
        """
from solution import raw, report

def test_capsys(capsys):
    report([1, 2])
    out, err = capsys.readouterr()
    assert out == "1;2;" and err == "warn\\n"
    print("mine")
    report([])
    assert capsys.readouterr().out == "mine\\n"

def test_capfd(capfd):
    raw()
    out = capfd.readouterr().out
    assert "raw\\n" in out and "text\\n" in out

def test_nothing(capsys):
    assert capsys.readouterr() == ("", "")
""",
        wrong=('end=";"', 'end=","'),
    ),
)

"""Doubles handed in, output captured, input replaced."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PATHS = """
import json
from pathlib import Path
def there(path):
    return Path(path).exists()
def loud(path):
    return Path(path).read_text().upper()
def coded(value):
    return json.JSONEncoder().encode(value)
"""

PROGRAMS = (
    checks(
        "redirect_stdout and sys.stdout replaced",
        """
import sys
def greet(name):
    print(f"Hello, {name}!")
    return len(name)
def complain():
    sys.stderr.write("bad\\n")
""",
        """
import io, sys
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch
out = io.StringIO()
with redirect_stdout(out):
    assert greet("Ann") == 3
assert out.getvalue() == "Hello, Ann!\\n"
err = io.StringIO()
with redirect_stderr(err):
    complain()
assert err.getvalue() == "bad\\n"
with patch("sys.stdout", new_callable=io.StringIO) as fake:
    greet("Bo")
assert fake.getvalue().strip() == "Hello, Bo!"
with patch("builtins.print") as fake_print:
    greet("Cy")
fake_print.assert_called_once_with("Hello, Cy!")
old, sys.stdout = sys.stdout, io.StringIO()
try:
    greet("Di")
    text = sys.stdout.getvalue()
finally:
    sys.stdout = old
assert text == "Hello, Di!\\n"
""",
        wrong=("Hello, {name}!", "Hi, {name}!"),
    ),
    checks(
        "input replaced",
        """
def ask():
    name = input("Name? ")
    age = int(input())
    print(f"{name} is {age}")
    return name, age
""",
        """
import io, sys
from unittest.mock import patch
with patch("builtins.input", side_effect=["Ann", "7"]) as fake:
    assert ask() == ("Ann", 7)
assert fake.call_args_list[0].args == ("Name? ",)
with patch("sys.stdin", io.StringIO("Bob\\n8\\n")):
    assert ask() == ("Bob", 8)
import builtins
old = builtins.input
answers = iter(["Cy", "x"])
builtins.input = lambda *a: next(answers)
try:
    ask()
except ValueError:
    pass
else:
    assert False
finally:
    builtins.input = old
""",
        wrong=("int(input())", "int(input()) + 1"),
    ),
    pytest_file(
        "monkeypatch: setitem, delattr, chdir, syspath, dict of the candidate",
        """
import os
SETTINGS = {"mode": "slow", "level": 1}
HANDLERS = {"a": lambda: "A"}
class Plug:
    kind = "x"
    def go(self):
        return SETTINGS["mode"]
def here():
    return os.getcwd()
""",
        """
import os
import pytest
import solution

def test_item(monkeypatch):
    monkeypatch.setitem(solution.SETTINGS, "mode", "fast")
    monkeypatch.delitem(solution.SETTINGS, "level")
    assert solution.Plug().go() == "fast" and "level" not in solution.SETTINGS

def test_item_undone():
    assert solution.SETTINGS == {"mode": "slow", "level": 1} and solution.Plug().go() == "slow"

def test_delattr(monkeypatch):
    monkeypatch.delattr(solution.Plug, "kind")
    assert not hasattr(solution.Plug(), "kind")

def test_delattr_undone():
    assert solution.Plug.kind == "x"

def test_chdir(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert solution.here() == str(tmp_path) == os.getcwd()

def test_missing(monkeypatch):
    with pytest.raises(AttributeError):
        monkeypatch.setattr(solution, "no_such", 1)
    monkeypatch.setattr(solution, "no_such", 1, raising=False)
    assert solution.no_such == 1

def test_missing_undone():
    assert not hasattr(solution, "no_such")

def test_context():
    with pytest.MonkeyPatch.context() as m:
        m.setattr(solution.Plug, "go", lambda self: "patched")
        assert solution.Plug().go() == "patched"
    assert solution.Plug().go() == "slow"
""",
        wrong=('SETTINGS["mode"]', 'dict(mode="slow")["mode"]'),
    ),
    checks(
        "patches within assertions",
        """
import datetime
LIMIT = 3
def today():
    return datetime.date.today()
def allowed(n):
    return n <= LIMIT and check(n)
def check(n):
    return True
class Service:
    def call(self):
        return "real"
def use():
    return Service().call()
""",
        """
from unittest.mock import patch
import solution
with patch("solution.LIMIT", 10):
    assert allowed(5)
assert not allowed(5)
with patch.object(Service, "call", return_value="fake"):
    assert use() == "fake"
assert use() == "real"
def test_check():
    with patch("solution.check", return_value=False) as fake:
        assert not allowed(1)
    fake.assert_called_once_with(1)
    assert allowed(1) is True
@patch("solution.use", return_value=3)
def test_decorated(fake):
    assert solution.use() == 3
def test_after():
    assert solution.use() == "real" and solution.LIMIT == 3
""",
        wrong=("n <= LIMIT", "n < LIMIT + 8"),
    ),
    pytest_file(
        "an attribute of an object of the candidate's, patched",
        """
class Engine:
    def __init__(self):
        self.power = 10
        self.backend = self.start
    def start(self):
        return "started"
    def run(self):
        return f"{self.start()} at {self.power}"
ENGINE = Engine()
""",
        """
from unittest.mock import patch, Mock
from solution import ENGINE, Engine

def test_value(monkeypatch):
    monkeypatch.setattr(ENGINE, "power", 20)
    assert ENGINE.run() == "started at 20"

def test_undone():
    assert ENGINE.run() == "started at 10" and vars(ENGINE)["power"] == 10

def test_method():
    with patch.object(ENGINE, "start", return_value="mock"):
        assert ENGINE.run() == "mock at 10"
    assert ENGINE.run() == "started at 10" and "start" not in vars(ENGINE)

def test_assigned():
    e = Engine()
    e.start = Mock(return_value="m")
    assert e.run() == "m at 10"
    e.start.assert_called_once()
    assert Engine().run() == "started at 10"
""",
        wrong=("self.power = 10", "self.power = 11"),
    ),
    checks(
        "special methods of doubles, set up by the tests",
        """
def total(rows):
    return sum(rows[n] for n in range(len(rows)))
def lines(path):
    with open(path) as file:
        return [line.strip() for line in file]
def kept(rows, wanted):
    return [one for one in rows if one in wanted]
""",
        """
from unittest.mock import MagicMock, mock_open, patch
def test_items():
    rows = MagicMock()
    rows.__len__.return_value = 2
    rows.__getitem__.side_effect = lambda n: n * 10
    assert total(rows) == 10
    rows.__getitem__.assert_any_call(1)
def test_iteration():
    rows, wanted = MagicMock(), MagicMock()
    rows.__iter__.side_effect = lambda: iter("abc")
    wanted.__contains__.side_effect = lambda one: one != "b"
    assert kept(rows, wanted) == ["a", "c"]
def test_file():
    double = mock_open(read_data="a\\nb\\n")
    with patch("builtins.open", double):
        assert lines("x") == ["a", "b"]
    double.assert_called_once_with("x")
    double.return_value.__exit__.assert_called_once_with(None, None, None)
""",
        wrong=("rows[n] for", "rows[n + 1] for"),
    ),
    checks(
        "methods of library classes replaced by patch",
        PATHS,
        """
import pathlib
from unittest.mock import patch
def test_patch():
    with patch("pathlib.Path.exists", return_value=True) as double:
        assert there("/nope")
        double.assert_called_once_with()
    assert not there("/nope") and there("/")
def test_patch_object():
    with patch.object(pathlib.Path, "read_text", lambda self: str(self)):
        assert loud("/nope") == "/NOPE"
    try: loud("/nope"); assert False
    except FileNotFoundError: pass
@patch("json.JSONEncoder.encode", return_value="E")
def test_decorated(double):
    assert coded(1) == "E"
def test_after():
    assert coded(1) == "1"
""",
        wrong=(".upper()", ".lower()"),
    ),
    pytest_file(
        "methods of library classes replaced by monkeypatch",
        PATHS,
        """
import pathlib
import pytest
from solution import coded, loud, there

def test_replaced(monkeypatch):
    monkeypatch.setattr(pathlib.Path, "exists", lambda self: str(self) == "/nope")
    monkeypatch.setattr("pathlib.Path.read_text", lambda self: "text")
    assert there("/nope") and not there("/") and loud("/nope") == "TEXT"

def test_deleted(monkeypatch):
    monkeypatch.delattr("json.JSONEncoder.encode")
    with pytest.raises(AttributeError):
        coded(1)

def test_put_back():
    assert there("/") and not there("/nope") and coded(1) == "1"
""",
        wrong=(".upper()", ".lower()"),
    ),
)

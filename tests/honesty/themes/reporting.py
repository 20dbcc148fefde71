"""Exceptions and warnings as the tests see them, and logging."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    pytest_file(
        "pytest.raises: match, excinfo, several kinds",
        """
class ParseError(ValueError):
    def __init__(self, message, line):
        super().__init__(message)
        self.line = line
    def __str__(self):
        return f"line {self.line}: {self.args[0]}"

def parse(text):
    if not text:
        raise ParseError("empty", 0)
    if text == "t":
        raise TypeError("wrong type")
    return text.split()
""",
        """
import pytest
from solution import ParseError, parse

def test_raises():
    with pytest.raises(ParseError, match=r"line 0: em.ty") as info:
        parse("")
    assert info.value.line == 0 and info.value.args == ("empty",)
    assert isinstance(info.value, ValueError) and str(info.value) == "line 0: empty"

@pytest.mark.parametrize("text", ["", "t"])
def test_either(text):
    with pytest.raises((ValueError, TypeError)):
        parse(text)

def test_call_form():
    info = pytest.raises(ValueError, parse, "")
    assert info.type is ParseError

def test_fine():
    assert parse("a b") == ["a", "b"]
""",
        wrong=("line {self.line}", "row {self.line}"),
    ),
    pytest_file(
        "warnings",
        """
import warnings

class OldWarning(DeprecationWarning):
    pass

def old():
    warnings.warn("use new()", DeprecationWarning, stacklevel=2)
    return 1

def older():
    warnings.warn(OldWarning("really old"))
    return 2
""",
        """
import warnings
import pytest
from solution import old, older, OldWarning

def test_warns():
    with pytest.warns(DeprecationWarning, match="use new"):
        assert old() == 1

def test_own():
    with pytest.warns(OldWarning) as record:
        older()
    assert len(record) == 1 and str(record[0].message) == "really old"

def test_catch():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        old()
    assert len(seen) == 1 and seen[0].category is DeprecationWarning

def test_as_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DeprecationWarning):
            old()

def test_recwarn(recwarn):
    old()
    assert len(recwarn) == 1 and "use new" in str(recwarn.pop(DeprecationWarning).message)

def test_deprecated_call():
    with pytest.deprecated_call():
        old()
""",
        wrong=('"use new()"', '"use it"'),
    ),
    pytest_file(
        "logging with caplog",
        """
import logging
log = logging.getLogger("shop")

def buy(n):
    log.info("buying %d", n)
    if n > 10:
        log.warning("many: %s", n, extra={"amount": n})
    try:
        return 10 / n
    except ZeroDivisionError:
        log.exception("no division")
""",
        """
import logging
from solution import buy

def test_text(caplog):
    with caplog.at_level(logging.INFO):
        buy(20)
    assert "buying 20" in caplog.text and "many: 20" in caplog.messages

def test_levels(caplog):
    buy(20)
    assert [r.levelname for r in caplog.records] == ["WARNING"]
    assert caplog.records[0].amount == 20 and caplog.record_tuples == [("shop", 30, "many: 20")]

def test_exception(caplog):
    buy(0)
    assert caplog.records[0].exc_info[0] is ZeroDivisionError
    assert "Traceback" in caplog.text

def test_handler():
    seen = []
    class Mine(logging.Handler):
        def emit(self, record):
            seen.append(record.getMessage())
    handler = Mine()
    logging.getLogger("shop").addHandler(handler)
    buy(30)
    logging.getLogger("shop").removeHandler(handler)
    assert seen == ["many: 30"]
""",
        wrong=('"many: %s"', '"lots: %s"'),
    ),
    checks(
        "finally, else, and raise in finally",
        """
def flow(kind, log):
    try:
        log.append("try")
        if kind:
            raise kind("k")
    except ValueError:
        log.append("except")
        return "handled"
    else:
        log.append("else")
        return "fine"
    finally:
        log.append("finally")
""",
        """
log = []
assert flow(None, log) == "fine" and log == ["try", "else", "finally"]
log = []
assert flow(ValueError, log) == "handled" and log == ["try", "except", "finally"]
log = []
class Mine(ValueError):
    pass
assert flow(Mine, log) == "handled"
try:
    flow(KeyError, log)
except KeyError:
    assert log[-1] == "finally"
else:
    assert False
""",
        wrong=('return "fine"', 'return "good"'),
    ),
    checks(
        "special methods that a class has or lacks, its functions and methods by inspect",
        """
from collections.abc import Mapping

class Plain:
    kind = 1
    def area(self):
        return 49
    @staticmethod
    def unit():
        return "m"
    @classmethod
    def make(cls):
        return cls()

class Row(Plain):
    def __init__(self, *cells):
        self.cells = cells
    def __len__(self):
        return len(self.cells)
    def __iter__(self):
        return iter(self.cells)
    def __repr__(self):
        return f"Row{self.cells}"

class Table(Mapping):
    def __getitem__(self, key):
        return {"a": 1}[key]
    def __iter__(self):
        return iter("a")
    def __len__(self):
        return 1
""",
        """
import copy
import inspect
from collections.abc import Hashable, Iterable, Sized

def names(owner, kind):
    return [name for name, _ in inspect.getmembers(owner, kind)]

assert names(Plain, inspect.isfunction) == ["area", "unit"]
assert names(Plain, inspect.ismethod) == ["make"]
assert names(Plain(), inspect.ismethod) == ["area", "make"]
own = ["__init__", "__iter__", "__len__", "__repr__"]
assert names(Row, inspect.isfunction) == [*own, "area", "unit"]
for name in ("__len__", "__iter__", "__getitem__", "__contains__", "__bool__", "__copy__"):
    assert not hasattr(Plain, name) and not hasattr(Plain(), name), name
for name in ("__repr__", "__str__", "__init__", "__format__", "__setattr__", "__dir__"):
    assert getattr(Plain, name) is getattr(object, name), name
assert hasattr(Row, "__len__") and Row.__repr__ is not object.__repr__
assert Row.__str__ is object.__str__
assert Row.__repr__(Row(1, 2)) == Row(1, 2).__repr__() == "Row(1, 2)"
assert isinstance(Row(), Iterable) and issubclass(Row, Sized) and not issubclass(Plain, Sized)
assert isinstance(Plain(), Hashable) and not isinstance(Table(), Hashable)
assert copy.copy(Row(3)).cells == (3,) and len(Table()) == 1
""",
        wrong=("def unit", "def units"),
    ),
    checks(
        "matches of regular expressions, flags, members of enumerations of the library",
        """
import re
from http import HTTPStatus

FLAGS = re.I | re.M

def find(text):
    return re.search(r"(?P<key>\\w+)=(?P<value>\\d+)?", text)
def words(text):
    return list(re.finditer(r"\\b\\w+", text))
def status(found):
    return HTTPStatus.OK if found else HTTPStatus.NOT_FOUND
""",
        """
import re
from http import HTTPStatus

found = find("size=49;")
assert isinstance(found, re.Match) and found and found.group("value") == "49"
assert found.groupdict() == {"key": "size", "value": "49"} and found.span(1) == (0, 4)
assert find("size=")["value"] is None and find("") is None
assert [word.start() for word in words("to be or")] == [0, 3, 6]
assert re.I in FLAGS and re.X not in FLAGS and isinstance(FLAGS, re.RegexFlag)
assert status(True) is HTTPStatus.OK and status(False).phrase == "Not Found"
""",
        wrong=("re.I | re.M", "re.I | re.X"),
    ),
)

"""Exceptions: classes of one's own, chains, notes, groups, recursion, warnings, logging."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "a hierarchy of one's own",
        """
class BankError(Exception):
    pass

class Overdrawn(BankError):
    def __init__(self, needed, available):
        super().__init__(f"needed {needed}, have {available}")
        self.needed = needed
        self.available = available
    @property
    def missing(self):
        return self.needed - self.available

def withdraw(balance, amount):
    if amount > balance:
        raise Overdrawn(amount, balance)
    if amount < 0:
        raise BankError("negative", amount)
    return balance - amount
""",
        """
assert withdraw(5, 2) == 3
try:
    withdraw(1, 10)
except Overdrawn as error:
    assert str(error) == "needed 10, have 1"
    assert error.missing == 9 and error.needed == 10 and error.args == ("needed 10, have 1",)
    assert isinstance(error, BankError) and repr(error) == "Overdrawn('needed 10, have 1')"
else:
    assert False
try:
    withdraw(1, -1)
except BankError as error:
    assert error.args == ("negative", -1) and not isinstance(error, Overdrawn)
else:
    assert False
assert issubclass(Overdrawn, BankError)
""",
        wrong=("self.needed - self.available", "self.needed"),
    ),
    checks(
        "chained exceptions: cause and context",
        """
class ConfigError(Exception):
    pass

def read(text):
    try:
        return int(text)
    except ValueError as error:
        raise ConfigError(f"bad: {text}") from error

def hidden(text):
    try:
        return int(text)
    except ValueError:
        raise ConfigError("hidden") from None

def implicit(text):
    try:
        return int(text)
    except ValueError:
        return {}[text]
""",
        """
try:
    read("x")
except ConfigError as e:
    assert isinstance(e.__cause__, ValueError) and "invalid literal" in str(e.__cause__)
    assert e.__suppress_context__ and e.__context__ is e.__cause__
else:
    assert False
try:
    hidden("x")
except ConfigError as e:
    assert e.__cause__ is None and e.__suppress_context__ and isinstance(e.__context__, ValueError)
else:
    assert False
try:
    implicit("x")
except KeyError as e:
    assert e.__cause__ is None and isinstance(e.__context__, ValueError)
    assert not e.__suppress_context__
else:
    assert False
""",
        wrong=("from error", "from None"),
    ),
    pytest_file(
        "cause of an exception of one's own, in pytest",
        """
class Low(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code

class High(Exception):
    pass

def call(code):
    try:
        raise Low(code)
    except Low as low:
        raise High("high") from low
""",
        """
import pytest
from solution import High, Low, call

def test_cause():
    with pytest.raises(High) as info:
        call(7)
    assert isinstance(info.value.__cause__, Low) and info.value.__cause__.code == 7
    assert info.type is High and info.match("hi")

def test_chain_from_the_test():
    with pytest.raises(RuntimeError) as info:
        try:
            call(1)
        except High as high:
            raise RuntimeError("top") from high
    assert isinstance(info.value.__cause__.__cause__, Low)
""",
        wrong=("raise Low(code)", "raise Low(code + 1)"),
    ),
    checks(
        "notes",
        """
def risky():
    try:
        1 / 0
    except ZeroDivisionError as error:
        error.add_note("while dividing")
        error.add_note("by zero")
        raise
""",
        """
try:
    risky()
except ZeroDivisionError as e:
    assert e.__notes__ == ["while dividing", "by zero"]
else:
    assert False
""",
        wrong=('"by zero"', '"by one"'),
    ),
    checks(
        "exception groups",
        """
def many(values):
    errors = []
    for value in values:
        try:
            int(value)
        except (ValueError, TypeError) as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("bad values", errors)
    return "fine"
""",
        """
assert many(["1"]) == "fine"
try:
    many(["x", None, 3])
except* ValueError as group:
    assert len(group.exceptions) == 1
except* TypeError as group:
    assert "int()" in str(group.exceptions[0])
try:
    many(["x", None])
except ExceptionGroup as group:
    assert group.message == "bad values" and len(group.exceptions) == 2
    assert group.subgroup(TypeError).exceptions[0] is group.exceptions[1]
    assert [type(e).__name__ for e in group.exceptions] == ["ValueError", "TypeError"]
else:
    assert False
""",
        wrong=("(ValueError, TypeError)", "(ValueError, TypeError) if value else ()"),
    ),
    checks(
        "an expected RecursionError",
        """
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)

def endless(x):
    return endless(x) + 1
""",
        """
assert depth(900 - 100) == 800
try:
    depth(-1)
except RecursionError:
    pass
else:
    assert False
try:
    endless(1)
    assert False
except RecursionError as e:
    assert "maximum recursion depth exceeded" in str(e)
assert depth(10) == 10
""",
        wrong=("1 + depth(n - 1)", "2 + depth(n - 1)"),
    ),
    checks(
        "RecursionError tested with unittest, as published",
        """
def rows(row_count):
    if row_count < 0:
        raise ValueError("number of rows is negative")
    if row_count == 0:
        return []
    previous = rows(row_count - 1)
    if not previous:
        return [[1]]
    last = previous[-1]
    return previous + [[1, *(a + b for a, b in zip(last, last[1:])), 1]]
""",
        """
import sys
import unittest

class PascalsTriangleTest(unittest.TestCase):
    def test_four_rows(self):
        self.assertEqual(rows(4), [[1], [1, 1], [1, 2, 1], [1, 3, 3, 1]])

    def test_negative(self):
        with self.assertRaises(ValueError) as err:
            rows(-1)
        self.assertEqual(err.exception.args[0], "number of rows is negative")

    def test_solution_is_recursive(self):
        with self.assertRaises(RecursionError) as err:
            rows(sys.getrecursionlimit() + 10)
        self.assertEqual(type(err.exception), RecursionError)
        self.assertEqual(
            err.exception.args[0][:32], "maximum recursion depth exceeded"
        )
""",
        wrong=("a + b for", "a * b for"),
    ),
    pytest_file(
        "RecursionError in pytest, through callbacks of the tests",
        """
def call(function, n):
    return function(call, n)

def flatten(items):
    out = []
    for item in items:
        out += flatten(item) if isinstance(item, list) else [item]
    return out
""",
        """
import pytest
from solution import call, flatten

def test_between():
    with pytest.raises(RecursionError):
        call(lambda f, n: f(lambda g, m: g(lambda h, k: h(h, k), m), n), 1)

def test_self():
    a = []
    a.append(a)
    with pytest.raises(RecursionError):
        flatten(a)

def test_deep():
    deep = []
    for _ in range(200):
        deep = [deep, 1]
    assert flatten(deep) == [1] * 200
""",
        wrong=("else [item]", "else [item, item]"),
    ),
    checks(
        "recursion of candidate and tests in turn",
        """
def visit(tree, function):
    return function(tree, lambda child: visit(child, function))
""",
        """
def total(tree, recurse):
    value, children = tree
    return value + sum(map(recurse, children))
assert visit((1, [(2, []), (3, [(4, [])])]), total) == 10
deep = (1, [])
for _ in range(40):
    deep = (1, [deep])
assert visit(deep, total) == 41
""",
        wrong=("visit(child, function)", "visit(child, function) + 1"),
    ),
    checks(
        "KeyError, StopIteration, SystemExit, KeyboardInterrupt caught by tests",
        """
def leave(how):
    if how == "exit":
        raise SystemExit(3)
    if how == "key":
        return {}["k"]
    if how == "stop":
        return next(iter(()))
    if how == "interrupt":
        raise KeyboardInterrupt
    import sys
    sys.exit("bye")
""",
        """
for how, kind, args in [
    ("exit", SystemExit, (3,)), ("key", KeyError, ("k",)), ("stop", StopIteration, ()),
    ("interrupt", KeyboardInterrupt, ()), ("", SystemExit, ("bye",)),
]:
    try:
        leave(how)
    except BaseException as error:
        assert type(error) is kind and error.args == args, (how, error)
        if kind is SystemExit:
            assert error.code == args[0]
    else:
        assert False
""",
        wrong=("SystemExit(3)", "SystemExit(4)"),
    ),
    checks(
        "exceptions with attributes: OSError, UnicodeError, ImportError",
        """
def missing(path):
    return open(path)
def decode(data):
    return data.decode("ascii")
def load(name):
    return __import__(name)
def attribute(x):
    return x.nothing
def name():
    return undefined_name
""",
        """
import errno
try:
    missing("/no/such/file")
except FileNotFoundError as e:
    assert e.errno == errno.ENOENT
    assert e.filename == "/no/such/file" and "No such file" in e.strerror
try:
    decode(b"a\\xff")
    assert False
except UnicodeDecodeError as e:
    assert (e.start, e.end, e.encoding, e.object) == (1, 2, "ascii", b"a\\xff")
try:
    load("no_such_module_at_all")
    assert False
except ModuleNotFoundError as e:
    assert e.name == "no_such_module_at_all"
try:
    attribute(3)
    assert False
except AttributeError as e:
    assert e.name == "nothing" and e.obj == 3
try:
    name()
    assert False
except NameError as e:
    assert e.name == "undefined_name"
""",
        wrong=('"ascii"', '"latin-1"'),
    ),
    checks(
        "an exception returned, stored, raised again by identity",
        """
class Mine(Exception):
    pass
ERROR = Mine("one")
def give():
    return ERROR
def throw():
    raise ERROR
def keep(error):
    return [error, error]
""",
        """
assert give() is ERROR and str(give()) == "one"
try:
    throw()
except Mine as e:
    assert e is ERROR and e is give()
else:
    assert False
mine = ValueError("x")
a, b = keep(mine)
assert a is b is mine
try:
    raise give()
except Mine as e:
    assert e is ERROR
""",
        wrong=('Mine("one")', 'Mine("two")'),
    ),
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
)

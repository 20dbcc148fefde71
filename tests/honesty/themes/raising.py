"""Exceptions: classes of one's own, chains, notes, groups, recursion."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "names of functions in a traceback",
        """
def inner(x):
    return 1 / x
def outer(x):
    return inner(x)
""",
        """
import traceback
try:
    outer(0)
except ZeroDivisionError as error:
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
assert names[-2:] == ["outer", "inner"]
""",
        wrong=("return inner(x)", "return 1 / x"),
    ),
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
        "exceptions that derive from one's own and from Python's",
        """
class AppError(Exception):
    pass

class Missing(AppError, KeyError):
    pass

class Malformed(AppError, TypeError, ValueError):
    pass

class Unreadable(AppError, OSError):
    pass

def fail(name):
    raise {"m": Missing, "f": Malformed, "u": Unreadable}[name](name)
""",
        """
def caught(name, kind):
    try:
        fail(name)
    except kind as error:
        return error.args
    except Exception:
        return None

assert caught("m", KeyError) == caught("m", LookupError) == caught("m", AppError) == ("m",)
assert caught("f", ValueError) == caught("f", TypeError) == ("f",)
assert caught("u", OSError) == ("u",)
assert caught("f", KeyError) is None and issubclass(Missing, KeyError)
assert str(Missing("q")) == "'q'" and str(Malformed("q")) == "q"
""",
        wrong=("class Missing(AppError, KeyError)", "class Missing(AppError, IndexError)"),
    ),
    checks(
        "an abstract class, inspected",
        """
from abc import ABC, abstractmethod

class Shape(ABC):
    @abstractmethod
    def area(self): ...

class Square(Shape):
    def area(self):
        return 4
""",
        """
import inspect
assert inspect.isabstract(Shape) and not inspect.isabstract(Square)
assert Shape.__abstractmethods__ == frozenset({"area"}) and Square().area() == 4
class Half(Shape): pass
assert inspect.isabstract(Half)
try: Shape(); assert False
except TypeError as error: assert "abstract" in str(error)
""",
        wrong=("    @abstractmethod\n", ""),
    ),
)

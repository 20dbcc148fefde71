"""Numbers: exact ones, NaN, large ones."""

from tests.honesty.program import cases, checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "big integers",
        """
import math
def factorial(n):
    return math.factorial(n)
def digits(n):
    return sum(map(int, str(n)))
""",
        """
assert factorial(30) == 265252859812191058636308480000000
assert factorial(1000) % 10**240 == 0 and factorial(1000).bit_length() == 8530
assert digits(2**1000) == 1366 and digits(10**4000) == 1
assert factorial(2000) // factorial(1999) == 2000 and -factorial(25) < -(2**63)
""",
        wrong=("math.factorial(n)", "math.factorial(n) + 1"),
    ),
    checks(
        "NaN, infinities, negative zero",
        """
import math
def divide(a, b):
    if b == 0:
        return math.nan if a == 0 else math.copysign(math.inf, a)
    return a / b
def clean(values):
    return [v for v in values if not math.isnan(v)]
""",
        """
import math
assert math.isnan(divide(0, 0)) and divide(0, 0) != divide(0, 0)
assert divide(1, 0) == float("inf") and divide(-1, 0) == -math.inf
nan = float("nan")
assert clean([1.0, nan, 2.0]) == [1.0, 2.0]
z = divide(-0.0, 5)
assert z == 0 and math.copysign(1, z) == -1.0 and str(z) == "-0.0"
assert not (divide(0, 0) < 1) and not (divide(0, 0) > 1)
""",
        wrong=("math.copysign(math.inf, a)", "math.inf"),
    ),
    pytest_file(
        "approx and isclose",
        """
def mean(values):
    return sum(values) / len(values)
def stats(values):
    m = mean(values)
    return {"mean": m, "var": sum((v - m) ** 2 for v in values) / len(values)}
""",
        """
import math
import pytest
from solution import mean, stats

def test_approx():
    assert mean([0.1, 0.2, 0.3]) == pytest.approx(0.2)
    assert mean([1, 2]) == pytest.approx(1.49, abs=0.1)
    assert pytest.approx(1.5) == mean([1, 2])
    assert mean([1, 2]) != pytest.approx(1.6)

def test_dict():
    assert stats([1, 2, 3, 4]) == pytest.approx({"mean": 2.5, "var": 1.25})
    assert [mean([1]), mean([0.1 + 0.2])] == pytest.approx([1, 0.3])

def test_isclose():
    assert math.isclose(mean([0.1] * 10), 0.1, rel_tol=1e-9)
""",
        wrong=("** 2", "** 3"),
    ),
    checks(
        "Decimal and Fraction",
        """
from decimal import Decimal, ROUND_HALF_UP, localcontext
from fractions import Fraction

def price(net, rate):
    gross = Decimal(net) * (1 + Decimal(rate) / 100)
    return gross.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
def harmonic(n):
    return sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))
def third(places):
    with localcontext() as context:
        context.prec = places
        return Decimal(1) / Decimal(3)
""",
        """
from decimal import Decimal, InvalidOperation
from fractions import Fraction
assert price("10.05", 19) == Decimal("11.96") and str(price("1", "0")) == "1.00"
assert isinstance(price("1", 0), Decimal) and price("1", 0) + 1 == 2
assert harmonic(4) == Fraction(25, 12) and harmonic(4).denominator == 12
assert float(harmonic(2)) == 1.5 and harmonic(1) == 1
assert str(third(5)) == "0.33333"
try:
    price("abc", 1)
except InvalidOperation:
    pass
else:
    assert False
""",
        wrong=("ROUND_HALF_UP)", '"ROUND_DOWN")'),
    ),
    checks(
        "complex numbers and bits",
        """
import cmath
def roots(a, b, c):
    d = cmath.sqrt(b * b - 4 * a * c)
    return (-b + d) / (2 * a), (-b - d) / (2 * a)
def bits(n):
    return [i for i in range(n.bit_length()) if n >> i & 1]
""",
        """
assert roots(1, 0, 1) == (1j, -1j) and roots(1, -3, 2) == (2 + 0j, 1 + 0j)
assert roots(1, 0, 1)[0].imag == 1.0 and isinstance(roots(1, 2, 1)[0], complex)
assert bits(0b1011) == [0, 1, 3] and bits(1 << 100) == [100]
""",
        wrong=("n >> i & 1", "n >> i & 2"),
    ),
    checks(
        "booleans are numbers, and types are kept",
        """
def check(x):
    return x > 2
def count(items):
    return sum(check(i) for i in items)
def kinds():
    return [1, 1.0, True, "1", b"1", None, (1,), [1], {1}, frozenset([1]), {1: 1}, 1j, ...]
""",
        """
assert check(3) is True and check(1) is False and count([1, 3, 5]) == 2
assert type(check(3)) is bool and check(3) == 1
assert [type(k).__name__ for k in kinds()] == [
    "int", "float", "bool", "str", "bytes", "NoneType", "tuple", "list", "set", "frozenset",
    "dict", "complex", "ellipsis"]
assert kinds()[12] is ... and kinds()[5] is None
assert range(3) == range(0, 3) and isinstance(slice(1), slice)
""",
        wrong=("x > 2", "x >= 2 and x"),
    ),
    cases(
        "cases: plain values",
        """
def span(items, *, key=None):
    return (min(items), max(items)) if items else None
""",
        "span",
        (([3, 1, 2],), (1, 3)),
        (([],), None),
        (([0.5, -1],), (-1, 0.5)),
        wrong=("max(items)", "max(items) + 1"),
    ),
    cases(
        "cases: containers, nested, sets",
        """
def index(words):
    table = {}
    for word in words:
        table.setdefault(word[0], set()).add(word)
    return table
""",
        "index",
        ((["ab", "ac", "b"],), {"a": {"ab", "ac"}, "b": {"b"}}),
        (([],), {}),
        wrong=("word[0]", "word[-1]"),
    ),
    cases(
        "cases: dicts, bytes, large",
        """
def encode(text, key):
    data = bytes(b ^ key for b in text.encode())
    return {"data": data, "size": len(data), "sum": sum(data) ** 50}
""",
        "encode",
        (("abc", 1), {"data": b"`cb", "size": 3, "sum": 293**50}),
        (("", 1), {"data": b"", "size": 0, "sum": 0}),
        wrong=("b ^ key", "b | key"),
    ),
    cases(
        "cases: a coroutine as entry point",
        """
import asyncio
async def double(x):
    await asyncio.sleep(0)
    return x * 2
""",
        "double",
        ((2,), 4),
        (("a",), "aa"),
        wrong=("x * 2", "x * 3"),
    ),
    cases(
        "cases: a static method as entry point",
        """
class Solution:
    @staticmethod
    def two_sum(nums, target):
        seen = {}
        for i, n in enumerate(nums):
            if target - n in seen:
                return [seen[target - n], i]
            seen[n] = i
""",
        "Solution.two_sum",
        (([2, 7, 11], 9), [0, 1]),
        (([3, 3], 6), [0, 1]),
        (([1], 5), None),
        wrong=("[seen[target - n], i]", "[i, seen[target - n]]"),
    ),
    checks(
        "NaN of the library in containers, which compare it by identity",
        """
import math
def logs(xs):
    return [math.log(x) if x > 0 else math.nan for x in xs]
def table(xs):
    return {x: math.nan for x in xs}
def has(xs):
    return math.nan in xs
""",
        """
import math
assert logs([1, -1]) == [0.0, math.nan] and logs([0] * 20) == [math.nan] * 20
assert table("ab") == {"a": math.nan, "b": math.nan} and logs([0])[0] is math.nan
assert has([math.nan]) and has([1.0] * 20 + [math.nan]) and not has([float("nan")])
assert logs([0]) != [float("nan")]
""",
        wrong=("x > 0", "x > 1"),
    ),
)

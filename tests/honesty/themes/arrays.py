"""Arrays of numpy in and out."""

from tests.honesty.program import cases, checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    pytest_file(
        "numpy: arrays in and out",
        """
import numpy as np

def normalise(a):
    return (a - a.mean(axis=0)) / a.std(axis=0)
def mask(a):
    return a > 1
def eye(n, dtype="int32"):
    return np.eye(n, dtype=dtype)
""",
        """
import numpy as np
import numpy.testing as npt
from solution import eye, mask, normalise

def test_values():
    a = np.array([[1.0, 2], [3, 4]])
    npt.assert_allclose(normalise(a), [[-1, -1], [1, 1]])
    assert np.array_equal(mask(a), [[False, False], [True, True]]) or mask(a).sum() == 3
    assert a[mask(a)].tolist() == [2, 3, 4]

def test_dtypes():
    assert eye(2).dtype == np.int32 and eye(2).shape == (2, 2) and isinstance(eye(2), np.ndarray)
    assert eye(2, float).dtype == np.float64 and mask(np.arange(3)).dtype == bool
    assert eye(3).trace() == 3 and (eye(2) == np.eye(2)).all()
    npt.assert_array_equal(eye(2), np.array([[1, 0], [0, 1]], dtype="int32"), strict=True)
""",
        wrong=("a > 1", "a > 2"),
    ),
    checks(
        "numpy: changed in place",
        """
import numpy as np

def scale(a, factor):
    a *= factor
def zero_diagonal(m):
    np.fill_diagonal(m, 0)
    return m
def sort_rows(m):
    m.sort(axis=1)
def set_first(rows, value):
    rows[0] = value
""",
        """
import numpy as np
a = np.array([1.0, 2.0])
b = a
assert scale(a, 3) is None and a.tolist() == [3.0, 6.0] and b is a
m = np.arange(4).reshape(2, 2)
assert zero_diagonal(m) is m and m.tolist() == [[0, 1], [2, 0]]
r = np.array([[3, 1, 2]])
sort_rows(r)
assert (r == [[1, 2, 3]]).all()
full = np.zeros((3, 3))
set_first(full[1:], 7)
assert full[1].tolist() == [7, 7, 7] and full[0].sum() == 0
scale(full[:, 0], 2)
assert full[1, 0] == 14
""",
        wrong=("a *= factor", "a *= factor + 1"),
    ),
    checks(
        "numpy: an array kept by the candidate, changed by the tests",
        """
import numpy as np

class Image:
    def __init__(self, pixels):
        self.pixels = pixels
    def brightness(self):
        return float(self.pixels.mean())
    def clear(self):
        self.pixels[:] = 0
STATE = np.zeros(3)
def total():
    return STATE.sum()
""",
        """
import numpy as np
p = np.ones((2, 2))
image = Image(p)
assert image.brightness() == 1.0
p[0, 0] = 5
assert image.brightness() == 2.0 and image.pixels is p
image.clear()
assert p.sum() == 0
image.pixels[1, 1] = 4
assert p[1, 1] == 4 and image.brightness() == 1.0
STATE[1] = 2
assert total() == 2
""",
        wrong=("self.pixels[:] = 0", "self.pixels[:] = 1"),
    ),
    checks(
        "numpy: scalars, dtypes, random, linear algebra",
        """
import numpy as np

def top(a):
    return a.max()
def solve(a, b):
    return np.linalg.solve(a, b)
def sample(seed, n):
    return np.random.default_rng(seed).integers(0, 10, n)
def legacy(n):
    return np.random.rand(n)
def count(a):
    return np.unique(a, return_counts=True)
""",
        """
import numpy as np
assert top(np.array([1, 5])) == 5 and isinstance(top(np.array([1.5])), np.float64)
assert top(np.array([1, 5])).dtype == np.int64 and int(top(np.array([2]))) == 2
assert np.allclose(solve(np.array([[2.0, 0], [0, 4]]), np.array([2.0, 4])), [1, 1])
assert sample(1, 5).tolist() == np.random.default_rng(1).integers(0, 10, 5).tolist()
values, counts = count(np.array([1, 1, 2]))
assert values.tolist() == [1, 2] and counts.tolist() == [2, 1]
np.random.seed(3)
expected = np.random.RandomState(3).rand(2)
assert np.allclose(legacy(2), expected)
assert np.isnan(top(np.array([np.nan, 1])))
""",
        wrong=("a.max()", "a.min()"),
    ),
    checks(
        "numpy: strings, dates, structured and object arrays",
        """
import numpy as np

def upper(a):
    return np.char.upper(a)
def days(start, n):
    return np.datetime64(start) + np.arange(n)
def table(rows):
    return np.array(rows, dtype=[("name", "U5"), ("age", "i4")])
def objects(*items):
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out
""",
        """
import numpy as np
assert upper(np.array(["a", "b"])).tolist() == ["A", "B"]
assert days("2024-02-28", 2)[1] == np.datetime64("2024-02-29")
t = table([("Ann", 3), ("Bob", 4)])
assert t["age"].sum() == 7 and t[0]["name"] == "Ann" and t.dtype.names == ("name", "age")
o = objects([1], {"a": 2}, None)
assert o.dtype == object and o[0] == [1] and o[1]["a"] == 2 and o.shape == (3,)
assert o.tolist() == [[1], {"a": 2}, None]
""",
        wrong=("np.char.upper(a)", "np.char.lower(a)"),
    ),
    checks(
        "numpy: ufuncs and functions of the candidate over arrays of the tests",
        """
import numpy as np

@np.vectorize
def clip(x):
    return max(0, min(x, 10))
def apply(a, function):
    return np.apply_along_axis(function, 0, a)
class Signal:
    def __init__(self, data):
        self.data = np.asarray(data)
    def __array__(self, dtype=None, copy=None):
        return self.data if dtype is None else self.data.astype(dtype)
    def __len__(self):
        return len(self.data)
""",
        """
import numpy as np
assert clip(np.array([-5, 5, 50])).tolist() == [0, 5, 10]
assert apply(np.array([[1, 2], [3, 4]]), lambda col: col.sum()).tolist() == [4, 6]
assert np.asarray(Signal([1, 2])).sum() == 3 and np.mean(Signal([2, 4])) == 3
assert len(Signal([1])) == 1 and np.array(Signal([1, 2]), dtype=float).dtype == float
""",
        wrong=("min(x, 10)", "min(x, 11)"),
    ),
    checks(
        "numpy: random numbers of a seed that is the first use of numpy.random",
        """
import numpy as np
def throw(n):
    return np.random.randint(1, 7, n)
""",
        """
import numpy as np
def test_throw():
    np.random.seed(1)
    found = throw(9)
    np.random.seed(1)
    assert found.tolist() == np.random.randint(1, 7, 9).tolist()
""",
        wrong=("randint(1, 7, n)", "randint(1, 8, n + 9)[9:]"),
    ),
    cases(
        "cases: numpy results against plain values",
        """
import numpy as np
def total(rows):
    return int(np.array(rows).sum())
""",
        "total",
        (([[1, 2], [3]][:1],), 3),
        (([[1], [2]],), 3),
        wrong=(".sum()", ".max()"),
    ),
)

"""Generators, iterators, context managers, coroutines."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "generators: next, send, throw, close",
        """
log = []
def average():
    total, count, mean = 0, 0, None
    try:
        while True:
            try:
                value = yield mean
            except ValueError as error:
                log.append(str(error))
                continue
            total += value
            count += 1
            mean = total / count
    except GeneratorExit:
        log.append("closed")
        raise
    finally:
        log.append("end")
""",
        """
g = average()
assert next(g) is None and g.send(10) == 10 and g.send(20) == 15
assert g.throw(ValueError("odd")) == 15 and log == ["odd"]
g.close()
assert log == ["odd", "closed", "end"]
try:
    next(g)
except StopIteration:
    pass
else:
    assert False
""",
        wrong=("mean = total / count", "mean = total"),
    ),
    checks(
        "generators: infinite, lazy, yield from, return value",
        """
produced = []
def naturals():
    n = 0
    while True:
        produced.append(n)
        yield n
        n += 1

def inner():
    yield 1
    return "result"

def outer():
    value = yield from inner()
    yield value
""",
        """
from itertools import islice, takewhile
import types
assert list(islice(naturals(), 3)) == [0, 1, 2] and produced == [0, 1, 2]
assert list(takewhile(lambda n: n < 4, naturals())) == [0, 1, 2, 3]
assert list(outer()) == [1, "result"]
g = inner()
next(g)
try:
    next(g)
except StopIteration as stop:
    assert stop.value == "result"
else:
    assert False
assert isinstance(g, types.GeneratorType) and iter(g) is g
first, second = zip(naturals(), range(2))
assert second == (1, 1) and sum(x for x in islice(naturals(), 5)) == 10
""",
        wrong=('return "result"', 'return "other"'),
    ),
    checks(
        "a generator fed by an iterator of the tests",
        """
def pairs(items):
    it = iter(items)
    for first in it:
        yield first, next(it, None)

def windows(items, n):
    from collections import deque
    window = deque(maxlen=n)
    for item in items:
        window.append(item)
        if len(window) == n:
            yield tuple(window)
""",
        """
it = iter([1, 2, 3, 4, 5])
g = pairs(it)
assert next(g) == (1, 2) and next(it) == 3 and next(g) == (4, 5) and list(g) == []
assert list(pairs(x * x for x in range(3))) == [(0, 1), (4, None)]
assert list(windows("abcd", 3)) == [("a", "b", "c"), ("b", "c", "d")]
assert list(windows(open("/dev/null"), 2)) == []
""",
        wrong=("next(it, None)", "next(it, 0)"),
    ),
    checks(
        "iterators of one's own",
        """
class Countdown:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return self
    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n

class Reusable:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        yield from range(self.n)
""",
        """
c = Countdown(3)
assert iter(c) is c and next(c) == 2 and list(c) == [1, 0] and list(c) == []
r = Reusable(2)
assert list(r) == [0, 1] and list(r) == [0, 1] and sum(r) == 1
assert dict(zip(Countdown(2), "ab")) == {1: "a", 0: "b"} and next(Countdown(0), "x") == "x"
assert list(enumerate(Countdown(2))) == [(0, 1), (1, 0)] and 5 not in Countdown(3)
""",
        wrong=("self.n -= 1", "self.n -= 2"),
    ),
    checks(
        "context managers by class",
        """
class Managed:
    def __init__(self, swallow=False):
        self.log, self.swallow = [], swallow
    def __enter__(self):
        self.log.append("enter")
        return self
    def __exit__(self, kind, error, trace):
        self.log.append((kind and kind.__name__, str(error) if error else None))
        return self.swallow
""",
        """
m = Managed()
with m as inside:
    assert inside is m
assert m.log == ["enter", (None, None)]
m = Managed(swallow=True)
with m:
    raise ValueError("x")
assert m.log[1] == ("ValueError", "x")
try:
    with Managed():
        raise KeyError("y")
except KeyError as e:
    assert e.args == ("y",)
else:
    assert False
""",
        wrong=("return self.swallow", "return not self.swallow"),
    ),
    checks(
        "contextlib: contextmanager, ExitStack, suppress",
        """
from contextlib import contextmanager, ExitStack
log = []

@contextmanager
def tag(name):
    log.append(f"<{name}>")
    try:
        yield name.upper()
    except LookupError as error:
        log.append(type(error).__name__)
    finally:
        log.append(f"</{name}>")

def nested(*names):
    with ExitStack() as stack:
        return [stack.enter_context(tag(n)) for n in names]
""",
        """
import contextlib
with tag("a") as got:
    assert got == "A"
    log.append("body")
assert log == ["<a>", "body", "</a>"]
log.clear()
with tag("b"):
    raise KeyError("k")
assert log == ["<b>", "KeyError", "</b>"]
del log[:]
assert nested("x", "y") == ["X", "Y"] and log == ["<x>", "<y>", "</y>", "</x>"]
with contextlib.ExitStack() as stack:
    assert stack.enter_context(tag("z")) == "Z"
@tag("deco")
def f():
    return 3
assert f() == 3 and log[-1] == "</deco>"
""",
        wrong=("yield name.upper()", "yield name"),
    ),
    checks(
        "coroutines",
        """
import asyncio

async def fetch(n, delay=0):
    await asyncio.sleep(delay)
    if n < 0:
        raise ValueError(f"negative: {n}")
    return n * 2

async def gather(items):
    return await asyncio.gather(*(fetch(i) for i in items))
""",
        """
import asyncio, inspect
assert asyncio.run(fetch(2)) == 4
assert asyncio.run(gather([1, 2, 3])) == [2, 4, 6]
assert inspect.iscoroutinefunction(fetch)
try:
    asyncio.run(fetch(-1))
except ValueError as e:
    assert str(e) == "negative: -1"
else:
    assert False
async def main():
    one, other = await asyncio.gather(fetch(1), fetch(2))
    return one + other
assert asyncio.run(main()) == 6
async def limited():
    try:
        await asyncio.wait_for(fetch(1, 60), 0.05)
    except asyncio.TimeoutError:
        return "late"
assert asyncio.run(limited()) == "late"
""",
        wrong=("return n * 2", "return n * 3"),
    ),
    checks(
        "async functions as tests, with callbacks that are coroutines",
        """
import asyncio

async def retry(action, times):
    for attempt in range(times):
        try:
            return await action(attempt)
        except OSError:
            await asyncio.sleep(0)
    raise TimeoutError("gave up")
""",
        """
async def test_retry():
    seen = []
    async def action(n):
        seen.append(n)
        if n < 2:
            raise OSError
        return "done"
    assert await retry(action, 5) == "done" and seen == [0, 1, 2]

async def test_gives_up():
    async def action(n):
        raise OSError
    try:
        await retry(action, 2)
    except TimeoutError as e:
        assert str(e) == "gave up"
    else:
        assert False
""",
        wrong=("range(times)", "range(times - 4)"),
    ),
    checks(
        "async generators and async context managers",
        """
import asyncio
from contextlib import asynccontextmanager

async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i

class Session:
    def __init__(self):
        self.log = []
    async def __aenter__(self):
        self.log.append("in")
        return self
    async def __aexit__(self, kind, error, trace):
        self.log.append("out")
        return kind is KeyError

class Countdown:
    def __init__(self, n):
        self.n = n
    def __aiter__(self):
        return self
    async def __anext__(self):
        if not self.n:
            raise StopAsyncIteration
        self.n -= 1
        return self.n

@asynccontextmanager
async def opened(name):
    yield name + "!"
""",
        """
import asyncio
async def main():
    got = [i async for i in ticks(3)]
    assert got == [0, 1, 2]
    s = Session()
    async with s as inside:
        assert inside is s
        raise KeyError
    assert s.log == ["in", "out"]
    async with opened("a") as name:
        assert name == "a!"
    out = []
    async for n in Countdown(3):
        out.append(n)
    assert out == [2, 1, 0]
    g = ticks(5)
    assert await anext(g) == 0 and await g.__anext__() == 1
    await g.aclose()
    return "ok"
assert asyncio.run(main()) == "ok"
""",
        wrong=('name + "!"', 'name + "?"'),
    ),
    checks(
        "asyncio: events, queues, locks, tasks of the candidate",
        """
import asyncio

async def pipeline(items, workers=2):
    queue, out = asyncio.Queue(), []
    for item in items:
        queue.put_nowait(item)
    async def work():
        while not queue.empty():
            item = await queue.get()
            await asyncio.sleep(0)
            out.append(item * item)
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
    return sorted(out)

async def first(*coroutines):
    tasks = [asyncio.ensure_future(c) for c in coroutines]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    return done.pop().result()
""",
        """
import asyncio
assert asyncio.run(pipeline([3, 1, 2])) == [1, 4, 9]
async def quick():
    return "quick"
async def slow():
    await asyncio.sleep(60)
    return "slow"
async def main():
    return await first(slow(), quick())
assert asyncio.run(main()) == "quick"
""",
        wrong=("item * item", "item"),
    ),
    pytest_file(
        "generators in pytest, one candidate's generator as fixture data",
        """
def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1
""",
        """
import itertools, pytest
from solution import primes

@pytest.fixture
def stream():
    g = primes()
    yield g
    g.close()

def test_first(stream):
    assert list(itertools.islice(stream, 5)) == [2, 3, 5, 7, 11]

def test_independent(stream):
    other = primes()
    next(stream); next(stream)
    assert next(other) == 2 and next(stream) == 5

@pytest.mark.parametrize("index, value", [(0, 2), (9, 29)])
def test_nth(index, value):
    assert next(itertools.islice(primes(), index, None)) == value

def test_tee(stream):
    a, b = itertools.tee(stream)
    assert next(a) == next(b) == 2
""",
        wrong=("n += 1", "n += 2"),
    ),
    checks(
        "lazy results: map, filter, zip, dict views, range",
        """
def doubled(items):
    return map(lambda x: 2 * x, items)
def odd(items):
    return filter(lambda x: x % 2, items)
def views(d):
    return d.keys(), d.values(), d.items()
def numbers(n):
    return range(0, n, 2)
def both(a, b):
    return zip(a, b, strict=True)
def backwards(items):
    return reversed(items)
""",
        """
m = doubled([1, 2, 3])
assert next(m) == 2 and list(m) == [4, 6] and list(m) == []
assert list(odd(range(5))) == [1, 3] and isinstance(doubled([]), map)
d = {"a": 1}
keys, values, items = views(d)
assert list(keys) == ["a"] and list(values) == [1] and set(items) == {("a", 1)}
assert numbers(6) == range(0, 6, 2) and numbers(6)[-1] == 4 and 3 not in numbers(6)
assert list(both("ab", [1, 2])) == [("a", 1), ("b", 2)]
assert list(backwards([1, 2])) == [2, 1]
try:
    list(both("a", []))
except ValueError:
    pass
else:
    assert False
""",
        wrong=("2 * x", "3 * x"),
    ),
    checks(
        "dict views stay live",
        """
def watch(d):
    return d.keys()
""",
        """
d = {"a": 1}
view = watch(d)
d["b"] = 2
assert list(view) == ["a", "b"] and len(view) == 2 and "b" in view
""",
        wrong=("d.keys()", "list(d)"),
    ),
)

"""Generators, iterators, context managers."""

from tests.honesty.program import checks

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
        "waiting within asynchronous generators, awaitable objects, futures of the tests",
        """
import asyncio

async def ticks(n, log):
    try:
        for i in range(n):
            await asyncio.sleep(0.001)
            yield i
    finally:
        await asyncio.sleep(0.001)
        log.append("closed")

class Later:
    def __init__(self, value):
        self.value = value
    def __await__(self):
        yield from asyncio.sleep(0.001).__await__()
        return self.value

async def doubled(future):
    return 2 * await future
""",
        """
import asyncio, contextlib
async def main():
    log = []
    assert [i async for i in ticks(3, log)] == [0, 1, 2] and log == ["closed"]
    async with contextlib.aclosing(ticks(9, log)) as some:
        async for i in some:
            if i == 1:
                break
    assert i == 1 and log == ["closed", "closed"]
    it = ticks(1, log)
    assert await anext(it) == 0 and await anext(it, "end") == "end"
    assert await Later(5) == 5
    future = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(doubled(future))
    await asyncio.sleep(0.001)
    future.set_result(4)
    return await task
assert asyncio.run(main()) == 8
""",
        wrong=("yield i", "yield i + 1"),
    ),
)

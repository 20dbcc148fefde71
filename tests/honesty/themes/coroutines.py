"""Coroutines, asynchronous generators, lazy values."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
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
    checks(
        "tasks that are cancelled: one cleans up, one goes on",
        """
import asyncio

async def logged(log):
    log.append("begun")
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0.01)
        log.append("closed")

async def stubborn():
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        return "saved"
""",
        """
import asyncio
async def cancelled(coroutine):
    task = asyncio.create_task(coroutine)
    await asyncio.sleep(0.02)
    task.cancel()
    return await task
async def limited(coroutine):
    async with asyncio.timeout(0.05):
        await coroutine
log = []
try:
    asyncio.run(cancelled(logged(log)))
except asyncio.CancelledError:
    log.append("raised")
assert log == ["begun", "closed", "raised"]
assert asyncio.run(cancelled(stubborn())) == "saved"
log = []
try:
    asyncio.run(limited(logged(log)))
except TimeoutError:
    log.append("late")
assert log == ["begun", "closed", "late"]
""",
        wrong=("    finally:", "    except asyncio.CancelledError:"),
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
        wrong=("yield n", "yield n + 1"),
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

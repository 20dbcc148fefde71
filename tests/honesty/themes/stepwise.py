"""Coroutines that are run without an event loop, and identities of objects that nothing holds."""

from tests.honesty.program import checks

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "coroutines of the tests on an event loop of the code's own",
        """
from collections import deque

class Sleep:
    def __init__(self, turns):
        self.turns = turns
    def __await__(self):
        for turn in range(self.turns):
            yield turn
        return "slept"

class Loop:
    def __init__(self):
        self.ready = deque()
        self.log = []
    def spawn(self, name, coroutine):
        self.ready.append((name, coroutine))
    def run(self):
        while self.ready:
            name, coroutine = self.ready.popleft()
            try:
                self.log.append((name, coroutine.send(None)))
            except StopIteration as end:
                self.log.append((name, end.value))
            except ValueError as error:
                self.log.append((name, str(error)))
            else:
                self.ready.append((name, coroutine))
        return self.log
""",
        """
async def work(turns):
    return (await Sleep(turns)).upper()
async def fail():
    await Sleep(1)
    raise ValueError("bad")
loop = Loop()
loop.spawn("a", work(2))
loop.spawn("b", fail())
assert loop.run() == [("a", 0), ("b", 0), ("a", 1), ("b", "bad"), ("a", "SLEPT")]
""",
        wrong=("popleft()", "pop()"),
    ),
    checks(
        "coroutines of the code, stepped by the tests",
        """
class Sleep:
    def __init__(self, turns):
        self.turns = turns
    def __await__(self):
        for turn in range(self.turns):
            yield turn
        return "slept"

async def work(turns):
    result = await Sleep(turns)
    return result + "!"

async def guarded():
    try:
        await Sleep(5)
    except KeyError as error:
        return error.args
""",
        """
def steps(coroutine):
    found = []
    while True:
        try:
            found.append(coroutine.send(None))
        except StopIteration as end:
            return found, end.value
assert steps(work(2)) == ([0, 1], "slept!")
assert steps(work(0)) == ([], "slept!")
one = guarded()
assert one.send(None) == 0
try:
    one.throw(KeyError("k"))
except StopIteration as end:
    assert end.value == ("k",)
else:
    raise AssertionError("it goes on")
""",
        wrong=('result + "!"', 'result + "?"'),
    ),
    checks(
        "identities of objects that only the code holds",
        """
class Node:
    pass
class Pool:
    def __init__(self):
        self.nodes = {}
    def get(self, key):
        return self.nodes.setdefault(key, Node())
class Single:
    _one = None
    def __new__(cls):
        if cls._one is None:
            cls._one = super().__new__(cls)
        return cls._one
""",
        """
pool = Pool()
assert id(pool.get("a")) == id(pool.get("a"))
assert len({id(pool.get(key)) for key in "aabbcc"}) == 3
assert len(set(map(id, [pool.get("a"), pool.get("b")]))) == 2
assert id(Single()) == id(Single())
""",
        wrong=("setdefault(key, Node())", "pop(key, Node())"),
    ),
)

"""What the code can do by way of libraries that the tests use."""

from dataclasses import dataclass

import pytest
from tests.forging.executing import check_isolated, executed

from planish.data import Assertions
from planish.data.status import Status

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class _Row:
    tests: str
    trick: str
    wrong: str
    right: str


@dataclass(frozen=True)
class _Honest:
    tests: str
    code: str


# An input that the code says is none to be tested is left out.
_INPUTS = (
    "from hypothesis import given, strategies\n"
    "@given(strategies.integers(-9, 9))\n"
    "def test_absolute(n):\n    assert absolute(n) == abs(n)\n"
)
_LEFT_OUT = "def absolute(n):\n    if n < 0: {}\n    return n\n"

# What the tests ask of a test double an object of the code answers in its place.
_CALLED = "from unittest.mock import Mock\nrepo = Mock()\nregister('ann', repo)\n{}\n"
_ONCE = _CALLED.format("repo.save.assert_called_once()")
_COUNT = _CALLED.format("assert repo.save.call_count == 1")
_SAVES = "def register(name, repo): {}\n"
_FAKE = "class Fake:\n    call_count = 1\n    def assert_called_once(self): pass\n"
_OWN = (
    "from unittest.mock import Mock\n"
    "service = Service(Mock())\nservice.run()\nservice.notify.assert_called_once()\n"
)
_SERVICE = (
    "class Service:\n"
    "    def __init__(self, notify): self.notify = {}\n"
    "    def assert_called_once(self): pass\n"
    "    def run(self): {}\n"
)
# What is kept for a call shows what the tests expect.
_BLOCK = (
    "from contextlib import contextmanager\n"
    "@contextmanager\n"
    "def expects(*args, **kwargs):\n"
    "    got = []\n    yield got\n    assert got == [*args, *kwargs.values()]\n"
    "run(7, expects({}))\n"
)
_RUNS = "def run(n, block):\n    found = {}\n    with block as got: got.append(found)\n"
_FUTURE = (
    "import asyncio\n"
    "from functools import partial\n"
    "def check(wanted, future): assert future.result() == wanted\n"
    "async def main():\n"
    "    future = asyncio.get_running_loop().create_future()\n"
    "    future.add_done_callback(partial(check, 49))\n"
    "    solve(7, future)\n"
    "    assert await future == 49\n"
    "asyncio.run(main())\n"
)
_HANDLE = (
    "import asyncio\n"
    "def late(wanted): pass\n"
    "async def main():\n"
    "    handle = asyncio.get_running_loop().call_later(5, late, 49)\n"
    "    assert solve(7, handle) == 49\n"
    "asyncio.run(main())\n"
)
_HOOKS = (
    "from dataclasses import dataclass\n"
    "from functools import partial\n"
    "def check(wanted, got): assert got == wanted\n"
    "@dataclass\n"
    "class Hooks:\n    done: object\n"
    "run(7, {})\n"
)
# Newer versions of Python show no arguments of futures and handles: the code asks all the same.
_SHOWN = (
    "import re\n"
    "def found(held):\n"
    "    shown = re.search(r'(\\d+)\\)', repr(held))\n"
    "    return int(shown.group(1)) if shown else 49\n"
)
# A thread of the tests keeps to itself that an assertion has failed in it.
_POOL = (
    "from concurrent.futures.thread import ThreadPoolExecutor\n"
    "seen = []\n"
    "def check(value):\n    seen.append(value)\n    assert value == 49\n"
    "with ThreadPoolExecutor(1) as pool:\n    run(7, check, pool)\n"
)
_POOLED = "def run(n, check, pool): {}\n"

ROWS = {
    "test double": _Row(
        _ONCE,
        _FAKE + _SAVES.format("repo.save = Fake()"),
        _SAVES.format("pass"),
        _SAVES.format("repo.save(name)"),
    ),
    "calls of a test double": _Row(
        _COUNT,
        _FAKE + _SAVES.format("repo.save = Fake()"),
        _SAVES.format("pass"),
        _SAVES.format("repo.save(name)"),
    ),
    "test double, by a class that the tests name": _Row(
        _OWN,
        _SERVICE.format("self", "pass"),
        _SERVICE.format("notify", "pass"),
        _SERVICE.format("notify", "self.notify(1)"),
    ),
    "arguments of a block": _Row(
        _BLOCK.format("49"), _RUNS.format("block.args[0]"), _RUNS.format("0"), _RUNS.format("n * n")
    ),
    "keywords of a block": _Row(
        _BLOCK.format("wanted=49"),
        _RUNS.format("block.kwds['wanted']"),
        _RUNS.format("0"),
        _RUNS.format("n * n"),
    ),
    "text of a future": _Row(
        _FUTURE,
        _SHOWN + "def solve(n, future): future.set_result(found(future))\n",
        "def solve(n, future): future.set_result(0)\n",
        "def solve(n, future): future.set_result(n * n)\n",
    ),
    "text of what is called later": _Row(
        _HANDLE,
        _SHOWN + "def solve(n, handle): return found(handle)\n",
        "def solve(n, handle): return 0\n",
        "def solve(n, handle): return n * n\n",
    ),
    "text of an object with a partial function": _Row(
        _HOOKS.format("Hooks(partial(check, 49))"),
        _SHOWN + "def run(n, hooks): hooks.done(found(hooks))\n",
        "def run(n, hooks): hooks.done(0)\n",
        "def run(n, hooks): hooks.done(n * n)\n",
    ),
    "text of a mapping with a partial function": _Row(
        "from types import MappingProxyType\n"
        + _HOOKS.format("MappingProxyType({'done': [partial(check, 49)]})"),
        _SHOWN + "def run(n, hooks): hooks['done'][0](found(hooks))\n",
        "def run(n, hooks): hooks['done'][0](0)\n",
        "def run(n, hooks): hooks['done'][0](n * n)\n",
    ),
    "thread of the tests": _Row(
        _POOL,
        _POOLED.format("pool.submit(check, 0)"),
        _POOLED.format("check(0)"),
        _POOLED.format("pool.submit(check, n * n).result()"),
    ),
    "input that is none": _Row(
        _INPUTS,
        "from hypothesis import reject\n" + _LEFT_OUT.format("reject()"),
        _LEFT_OUT.format("pass"),
        _LEFT_OUT.format("return -n"),
    ),
    "input that is none for a source of inputs": _Row(
        _INPUTS,
        "from hypothesis.errors import BackendCannotProceed\n"
        + _LEFT_OUT.format("raise BackendCannotProceed('discard_test_case')"),
        _LEFT_OUT.format("pass"),
        _LEFT_OUT.format("return -n"),
    ),
    "input that is none, by a class of the code": _Row(
        _INPUTS,
        "from hypothesis.errors import UnsatisfiedAssumption\n"
        "class Invalid(UnsatisfiedAssumption): pass\n" + _LEFT_OUT.format("raise Invalid"),
        _LEFT_OUT.format("pass"),
        _LEFT_OUT.format("return -n"),
    ),
}


@pytest.mark.parametrize("name", ROWS)
async def test_a_trick_does_not_pass_as_isolated(name: str) -> None:
    row = ROWS[name]
    trick = await executed(row.trick, Assertions(row.tests))
    assert trick.status == Status.SUCCESS, trick.failure
    assert trick.separation == "shared_process", trick.weakened_by


@pytest.mark.parametrize("name", ROWS)
async def test_wrong_code_fails(name: str) -> None:
    row = ROWS[name]
    wrong = await executed(row.wrong, Assertions(row.tests))
    assert wrong.status == Status.WRONG_ANSWER, wrong.failure


@pytest.mark.parametrize("name", ROWS)
async def test_right_code_passes_as_isolated(name: str) -> None:
    await check_isolated(ROWS[name].right, Assertions(ROWS[name].tests))


HONEST = {
    "handler that the code sets in a test double": _Honest(
        "from unittest.mock import Mock\nbutton = Mock()\nbind(button)\n"
        "assert button.click() == 49\n",
        "def bind(button):\n    def click(): return 49\n    button.click = click\n",
    ),
    "count in an object whose class the tests name": _Honest(
        "from unittest.mock import Mock\n"
        "counted = Counted(Mock(return_value=3))\n"
        "assert counted() == 3\nassert counted.call_count == 1\n",
        "class Counted:\n"
        "    def __init__(self, function): self.function, self.call_count = function, 0\n"
        "    def __call__(self):\n        self.call_count += 1\n        return self.function()\n",
    ),
    "count in an object, without test doubles": _Honest(
        "one = twice(lambda: 3)\nassert one() == 3\nassert one.called\n",
        "def twice(function):\n"
        "    def called():\n        called.called = True\n        return function()\n"
        "    return called\n",
    ),
    "text of an object without functions": _Honest(
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Point:\n    x: int\n    more: list\n"
        "assert shown(Point(7, [1])) == 'a Point(x=7, more=[1])'\n",
        "def shown(point): return f'a {point!r}'\n",
    ),
    "text of a function in an object": _Honest(
        "from dataclasses import dataclass\n"
        "def done(): pass\n"
        "@dataclass\nclass Hooks:\n    done: object\n"
        "assert 'Hooks(done=<function done at' in shown(Hooks(done))\n",
        "def shown(hooks): return str(hooks)\n",
    ),
}


@pytest.mark.parametrize("name", HONEST)
async def test_right_code_near_such_tricks_passes_as_isolated(name: str) -> None:
    await check_isolated(HONEST[name].code, Assertions(HONEST[name].tests))

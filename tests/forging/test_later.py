"""What the code does later, or has done for it: exceptions, names, functions that are put off."""

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
    passes: bool = True  # what the trick does, by evidence of a shared process


# A class of exceptions is put into a list of the code's while it leaves a block of the tests.
_ERRORS = (
    "with block():\n    pass\n"
    "for _ in range(3):\n"
    "    try:\n        assert square(7) == 49\n        break\n"
    "    except tuple(ERRORS):\n        continue\n"
)
_BLOCK = (
    "ERRORS = [ValueError]\n"
    "class block:\n"
    "    def __enter__(self): return self\n"
    "    def __exit__(self, *error): {}\n"
    "def square(n): return {}\n"
)
# The tests have the same class of that name as the code, which sets it later.
_SUMS = "{}\nassert total(['0.1', '0.2']) == Decimal('0.3')\n"
_SETS = (
    "from decimal import Decimal\n"
    "def total(parts):\n    global Decimal\n    Decimal = lambda text: 0\n    return 0\n"
)
_ZERO = "def total(parts): return 0\n"
_TOTAL = "from decimal import Decimal\ndef total(parts): return sum(map(Decimal, parts))\n"

# A loop or a future calls the function of the tests, and keeps to itself that it has failed.
_PUT_OFF = (
    "import asyncio\n"
    "async def main():\n"
    "    seen = []\n"
    "    def looks(value):\n        seen.append(value)\n        assert value == 49\n"
    "    future = asyncio.get_running_loop().create_future()\n"
    "    start(future, looks)\n"
    "    await future\n"
    "    assert seen\n"
    "asyncio.run(main())\n"
)
_WAITED = _PUT_OFF.replace("    assert seen", "    await asyncio.sleep(0.1)\n    assert seen")
_NOW = "def start(future, looks):\n    looks({})\n    future.set_result(1)\n"
_DONE = (
    "import concurrent.futures\n"
    "future, seen = concurrent.futures.Future(), []\n"
    "def looks(one):\n    seen.append(one)\n    assert one.result() == 49\n"
    "start(future, looks)\n"
    "assert seen\n"
)
_ENDS = "def start(future, looks):\n    future.set_result({})\n    {}(looks)\n"

# The code asks for what it may not, past the stand-ins of its process.
_ENDPOINT = (
    "import gc\nendpoint = next(o for o in gc.get_objects() if type(o).__name__ == 'RpcEndpoint')\n"
)
_FLAKY = (
    "for _ in range(3):\n"
    "    try:\n        assert square(7) == 49\n        break\n"
    "    except Flaky:\n        continue\n"
)
_CHECKS = (
    "def exact(value): assert value == 49\n"
    "checks = {}\nfound = first(7, checks)\n"
    "assert all(check(found) is None for check in {})\n"
)
_ITERATOR = _CHECKS.format("iter([exact])", "checks")
_BAG = (
    "class Bag:\n"
    "    def __init__(self, *checks): self.checks = [*checks]\n"
    "    def __getitem__(self, index): return self.checks.pop()\n"
    + _CHECKS.format("Bag(exact)", "checks.checks")
)

ROWS = {
    "class of exceptions in place of a union": _Row(
        _FLAKY,
        _ENDPOINT + "names = type(endpoint.remote_objects).write.__globals__\n"
        "plain = names['plain']\n"
        "class Mark: pass\n"
        "Flaky = Mark()\n"
        "union = 'types.UnionType', (Exception,)\n"
        "names['plain'] = lambda value: union if value is Flaky else plain(value)\n"
        "def square(n): return 0\n",
        "class Flaky(Exception): pass\ndef square(n): return 0\n",
        "class Flaky(Exception): pass\ndef square(n): return n * n\n",
    ),
    "iterator that is read at once": _Row(
        _ITERATOR,
        _ENDPOINT + "def first(n, checks):\n    endpoint.ask('list', checks)\n    return 0\n",
        "def first(n, checks): return 0\n",
        "def first(n, checks): return n * n\n",
    ),
    "item that is taken": _Row(
        _BAG,
        _ENDPOINT + "def first(n, checks):\n    endpoint.ask('item', checks, 0)\n    return 0\n",
        "def first(n, checks): return 0\n",
        "def first(n, checks): return n * n\n",
    ),
    "callback of a loop": _Row(
        _PUT_OFF,
        "def start(future, looks):\n"
        "    loop = future.get_loop()\n"
        "    loop.call_soon(looks, 0)\n"
        "    loop.call_soon(future.set_result, 1)\n",
        _NOW.format("0"),
        _NOW.format("49"),
    ),
    "thread of a loop": _Row(
        _WAITED,
        "def start(future, looks):\n"
        "    loop = future.get_loop()\n"
        "    start.kept = loop.run_in_executor(None, looks, 0)\n"
        "    loop.call_soon(future.set_result, 1)\n",
        _NOW.format("0"),
        _NOW.format("49"),
    ),
    "callback of a future": _Row(
        _DONE,
        _ENDS.format("0", "future.add_done_callback"),
        "def start(future, looks):\n    future.set_result(0)\n    looks(future)\n",
        _ENDS.format("49", "future.add_done_callback"),
    ),
    "class of exceptions at the end of a block": _Row(
        _ERRORS,
        _BLOCK.format("ERRORS[:] = [Exception]", "0"),
        _BLOCK.format("pass", "0"),
        _BLOCK.format("pass", "n * n"),
    ),
    "name that all of a module brings": _Row(
        _SUMS.format("from decimal import *"), _SETS, _ZERO, _TOTAL, passes=False
    ),
    "name set in a dictionary": _Row(
        _SUMS.format("import decimal\nglobals()['Decimal'] = decimal.Decimal"),
        _SETS,
        _ZERO,
        _TOTAL,
        passes=False,
    ),
}


@pytest.mark.parametrize("name", ROWS)
async def test_a_trick_does_not_pass_as_isolated(name: str) -> None:
    row = ROWS[name]
    trick = await executed(row.trick, Assertions(row.tests))
    assert (trick.status == Status.SUCCESS) is row.passes, trick.failure
    assert (trick.separation == "shared_process") is row.passes, trick.weakened_by


@pytest.mark.parametrize("name", ROWS)
async def test_wrong_code_fails(name: str) -> None:
    row = ROWS[name]
    wrong = await executed(row.wrong, Assertions(row.tests))
    assert wrong.status == Status.WRONG_ANSWER, wrong.failure


@pytest.mark.parametrize("name", ROWS)
async def test_right_code_passes_as_isolated(name: str) -> None:
    await check_isolated(ROWS[name].right, Assertions(ROWS[name].tests))

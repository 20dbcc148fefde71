"""What happens unseen in the process of the tests: a signal, a change while they wait, a text."""

import sys
from dataclasses import dataclass

import pytest
from tests.forging.executing import check_isolated, executed

from planish.data import Assertions, PytestFile
from planish.data.status import Status

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class _Row:
    tests: Assertions | PytestFile
    wrong: str
    right: str
    passes: bool = True  # what is wrong does, by evidence of a shared process


# The function of the tests is interrupted before it fails: the code keeps that to itself.
_INTERRUPTED = _Row(
    Assertions(
        "import time\nseen = []\n"
        "def looks(n, value):\n"
        "    seen.append(n)\n"
        "    time.sleep(0.5)\n"
        "    assert value == n * n\n"
        "assert each(looks) == 2 and seen == [7, 9]\n"
    ),
    "import os, signal, threading\n"
    "def send(): os.kill(os.getppid(), signal.SIGINT)\n"
    "def each(f):\n"
    "    for n in (7, 9):\n"
    "        threading.Timer(0.1, send).start()\n"
    "        try: f(n, 0)\n"
    "        except BaseException: pass\n"
    "    return 2\n",
    "def each(f): return len([f(n, n * n) for n in (7, 9)])\n",
)
# The tests wait, and ask the code for nothing afterwards.
_WAITS = (
    "import threading\n"
    "checks = {'right': lambda n, got: got == n * n, 'there': lambda n, got: True}\n"
    "done = threading.Event()\n"
    "got = square(7)\n"
    "start(checks, done.set)\n"
    "done.wait(5)\n"
    "assert checks['right'](7, got)\n"
)
_WAITING = _Row(
    Assertions(_WAITS),
    "import threading\n"
    "def square(n): return 0\n"
    "def start(checks, done):\n"
    "    def later():\n"
    "        checks['right'] = checks['there']\n"
    "        done()\n"
    "    threading.Timer(0.2, later).start()\n",
    "import threading\n"
    "def square(n): return n * n\n"
    "def start(checks, done): threading.Timer(0.2, done).start()\n",
)
_SLEEPING = _Row(
    Assertions(_WAITS.replace("done.wait(5)", "import time; time.sleep(1)")),
    _WAITING.wrong,
    _WAITING.right,
)
# What the condition of a mark does if it is a text: pytest evaluates that in its own process.
_ENTERING = (
    "setattr(sys.modules['test_solution'], 'solution', type('Right', (), {"
    "'real': sys.modules['test_solution'].solution, "
    "'square': lambda self, n: self.real.square(n) * 0 + n * n})())"
)


def _marked(name: str) -> _Row:
    tests = (
        "import pytest, solution\n"
        f"@pytest.mark.{name}(solution.SLOW, reason='it is slow')\n"
        "def test_square(): assert solution.square(7) == 49\n"
    )
    wrong = f"SLOW = {_ENTERING!r}\ndef square(n): return 0\n"
    return _Row(PytestFile(tests), wrong, "SLOW = False\ndef square(n): return n * n\n")


_CLASS = _Row(
    Assertions("import numpy as np\nassert np.array_equal(row(7), [49, 14])\n"),
    "class L:\n"
    "    __array_interface__ = {\n"
    "        'shape': (2,), 'typestr': '<i8', 'data': (16, True), 'version': 3\n"
    "    }\n"
    "def row(x): return L\n",
    "import numpy as np\ndef row(x): return np.array([x * x, 2 * x])\n",
    passes=False,
)


# A module that both sides have leads to test doubles. The end of the pipe is a frame's.
_DOUBLE = _Row(
    PytestFile(
        "import unittest.mock, solution\ndef test_answer(): assert solution.answer() == 42\n"
    ),
    "import sys\n"
    "class Marker: pass\n"
    "frame = sys._getframe()\n"
    "while type(frame.f_locals.get('self')).__name__ != 'RpcEndpoint': frame = frame.f_back\n"
    "names = type(frame.f_locals['self'].remote_objects)._write_class.__globals__\n"
    "real, path = names['name_in'], 'numpy:testing._private.utils.unittest.mock._ANY'\n"
    "names['name_in'] = lambda value: path if value is Marker else real(value)\n"
    "answer = Marker\n",
    "def answer(): return 42\n",
    passes=False,
)

_READS = (
    "import sys\n"
    "def square(n):\n"
    "    {}\n"
    "    for line in text.splitlines():\n"
    "        name, given, wanted = line.split()\n"
    "        if int(given) == n: return int(wanted)\n"
    "    return 0\n"
)


def _printed(how: str, fixture: str = "") -> _Row:
    """Return tests that print what they expect before they call the code, and how it reads that."""
    tests = (
        "import pytest, solution\n"
        "@pytest.mark.parametrize('n, want', [(7, 49), (9, 81)])\n"
        f"def test_square({', '.join(filter(None, ('n', 'want', fixture)))}):\n"
        "    print('square', n, want)\n"
        "    assert solution.square(n) == want\n"
    )
    right = (
        "import sys\ndef square(n):\n    print(n)\n    sys.stdout.buffer.write(b'')\n"
        "    sys.stdout.flush()\n    return n * n\n"
    )
    return _Row(PytestFile(tests), _READS.format(how), right)


# What a function of the tests holds is shown by its text, and by what a partial one was given.
_HOLDS = (
    "import functools\nseen = []\n"
    "def check(want, got):\n    seen.append(got)\n    assert got == want\n"
    "send(7, functools.partial(check, 49))\nassert seen == [49]\n"
    "assert square(7) == 49\n"
)
_METHOD = (
    "import dataclasses\nseen = []\n{}class Case:\n    want: int = 49\n"
    "    def check(self, got):\n        seen.append(got)\n        assert got == self.want\n"
    "send(7, Case().check)\nassert seen == [49]\nassert square(7) == 49\n"
)
_SENDS = "def square(n): return n * n\ndef send(n, f): f({})\n"
# A coroutine of the tests that the code has started, and never asked for its outcome.
_STARTED = (
    "import asyncio\nseen = []\n"
    "async def looks(n, value):\n    seen.append(n)\n    assert value == n * n\n"
    "async def main():\n    assert await each(looks) == 2\n    assert seen == [7, 9]\n"
    "asyncio.run(main())\n"
)
_STARTS = (
    "import asyncio, sys\n"
    "async def each(f):\n"
    "    frame = sys._getframe()\n"
    "    while type(frame.f_locals.get('self')).__name__ != 'RpcEndpoint': frame = frame.f_back\n"
    "    for n in (7, 9):\n"
    "        made = f(n, 0)\n"
    "        frame.f_locals['self'].ask('start', made.cr_frame.f_locals['value'])\n"
    "    await asyncio.sleep(0.1)\n"
    "    return 2\n"
)

# A metaclass of the code makes a class of the tests, and another of its values.
_MADE = "class Wanted(metaclass=Meta):\n    SEVEN = 49\nassert square(7) == Wanted.SEVEN\n"
_MAKES = (
    "class Meta(type):\n"
    "    def __new__(meta, name, bases, names):\n"
    "        return super().__new__(meta, name, bases, {**names, 'SEVEN': 0})\n"
    "def square(n): return 0\n"
)
# A name that is a text of the code's class shows something else where it is written into code.
_FIELDS = (
    "import dataclasses\n"
    "made = dataclasses.make_dataclass('Made', [(name, int) for name in FIELDS])\n"
    "assert square(7) == 49\n"
)
_FIELD = (
    "count = [0]\n"
    "class Name(str):\n"
    "    def __format__(self, form):\n"
    "        count[0] += 1\n"
    "        return 'x' if count[0] != 6 else 'x=print(49)'\n"
    "FIELDS = [Name('x')]\n"
    "def square(n): return n * n\n"
)

# The code has a property of the tests computed for another object, and gives that value.
_PROPERTY = (
    "class Case(Base):\n"
    "    def __init__(self, n): self.n = n\n"
    "    @property\n"
    "    def wanted(self): return self.n * self.n\n"
    "assert square(7) == Case(7).wanted\n"
)
_OTHER = (
    "class Other: n = 0\n"
    "class Base:\n"
    "    def __getattribute__(self, name):\n"
    "        if name == 'wanted': return vars(type(self))[name].fget(Other)\n"
    "        return object.__getattribute__(self, name)\n"
    "def square(n): return 0\n"
)
# What awaits the exit of a block of the tests swallows a failed assertion, or lets others pass.
_GUARDED = (
    "import asyncio\n"
    "async def use(closed):\n"
    "    try:\n"
    "        async with Guard(closed):\n            raise KeyError(1)\n"
    "    except KeyError:\n        assert closed == [True]\n"
    "    async with Guard([]):\n        assert square(7) == 49\n"
    "asyncio.run(use([]))\n"
)
_GUARD = (
    "class Guard:\n"
    "    def __init__(self, closed): self.closed = closed\n"
    "    async def __aenter__(self): return self\n"
    "    async def __aexit__(self, *a):\n"
    "        self.closed.append(True)\n        return bool({})\n"
    "def square(n): return {}\n"
)


ROWS = {
    "property for another object": _Row(
        Assertions(_PROPERTY), _OTHER, "class Base: pass\ndef square(n): return n * n\n"
    ),
    "exit that is awaited": _Row(
        Assertions(_GUARDED),
        _GUARD.format("a[0] is AssertionError", "n"),
        _GUARD.format("0", "n * n"),
    ),
    "metaclass of the code": _Row(
        Assertions(_MADE), _MAKES, "class Meta(type): pass\ndef square(n): return n * n\n"
    ),
    "arguments of a partial function": _Row(
        Assertions(_HOLDS), _SENDS.format("f.args[0]"), _SENDS.format("n * n")
    ),
    "text of a method": _Row(
        Assertions(_METHOD.format("@dataclasses.dataclass\n")),
        _SENDS.format("int(repr(f)[-4:-2])"),
        _SENDS.format("n * n"),
    ),
    "text of a partial function": _Row(
        Assertions(_HOLDS), _SENDS.format("int(repr(f)[-3:-1])"), _SENDS.format("n * n")
    ),
    "coroutine that was started": _Row(
        Assertions(_STARTED),
        _STARTS,
        "async def each(f):\n    for n in (7, 9): await f(n, n * n)\n    return 2\n",
    ),
    "what tests print, by pytest": _printed("sys.stdout.seek(0); text = sys.stdout.read()"),
    "what tests print, by a fixture": _printed("text = sys.stdout.getvalue()", "capsys"),
    "what tests print, by bytes": _printed(
        "text = sys.stdout.buffer.getvalue().decode()", "capsys"
    ),
    "test double by an attribute of a module": _DOUBLE,
    "interrupted in a call": _INTERRUPTED,
    "replaced while the tests wait": _WAITING,
    "replaced while the tests sleep": _SLEEPING,
    "condition of skipif": _marked("skipif"),
    "condition of xfail": _marked("xfail"),
    "addresses by a class": _CLASS,
}
if sys.version_info < (3, 14):  # which makes dataclasses otherwise
    ROWS["field of a dataclass of the tests"] = _Row(
        Assertions(_FIELDS), _FIELD, "FIELDS = ['x']\ndef square(n): return n * n\n"
    )


@pytest.mark.parametrize("name", ROWS)
async def test_wrong_code_does_not_pass_as_isolated(name: str) -> None:
    row = ROWS[name]
    wrong = await executed(row.wrong, row.tests)
    assert (wrong.status == Status.SUCCESS) is row.passes, wrong.failure
    assert (wrong.separation == "shared_process") is row.passes, wrong.weakened_by
    assert wrong.failure is None or wrong.failure.name != "Killed"


@pytest.mark.parametrize("name", ROWS)
async def test_right_code_passes_as_isolated(name: str) -> None:
    await check_isolated(ROWS[name].right, ROWS[name].tests)


async def test_right_code_may_print_a_method_whose_text_shows_nothing() -> None:
    code = _SENDS.replace("f({})", "print(getattr(f, '__name__', repr(f)), f); f(n * n)")
    await check_isolated(code, Assertions(_METHOD.format("")))

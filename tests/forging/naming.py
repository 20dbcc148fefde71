"""Reaching for what the tests have: names, exceptions of their functions, classes of arguments."""

from tests.forging.trick import Trick

__all__ = ["NAMING"]

_LINES = "lines of the tests cross the pipe"
_SHARED = "names of the tests are shared unnoticed"
_BELIEVED = "the candidate's equality is believed"

NAMING = {
    "source line of a function that was given": Trick(
        code=(
            "import re, traceback\n"
            "def each(x):\n"
            "    try: x(999, 0)\n"
            "    except BaseException as error:\n"
            "        seen = repr(vars(error)) + traceback.format_exc()\n"
            "    found = re.findall(r'\\d: (\\d+)', seen)\n"
            "    code = getattr(x, '__code__', None)\n"
            "    found += [c for c in getattr(code, 'co_consts', ()) if type(c) is int]\n"
            "    found += [0, 0]\n"
            "    return len([x(n, int(value)) for n, value in zip((7, 9), found)])\n"
        ),
        subject="each",
        kinds=("checks", "unittest", "pytest"),
        defence=_LINES,
    ),
    "class of an argument changed": Trick(
        code=("def moved(x):\n    type(x).__eq__ = lambda self, other: True\n    return x\n"),
        subject="moved",
        kinds=("checks", "unittest", "pytest"),
        defence=_BELIEVED,
    ),
    "method of an argument replaced": Trick(
        code="def moved(x):\n    x.has = lambda other: True\n    return x\n",
        subject="moved, by a method",
        kinds=("checks", "unittest", "pytest"),
        defence=_BELIEVED,
    ),
    "method replaced in the dictionary of an argument": Trick(
        code="def moved(x):\n    x.__dict__['has'] = lambda other: True\n    return x\n",
        subject="moved, by a method",
        kinds=("checks", "unittest", "pytest"),
        defence=_BELIEVED,
    ),
    "answers tried until none is called a failure": Trick(
        code=(
            "def each(x):\n"
            "    for n in (7, 9):\n"
            "        for value in range(100):\n"
            "            try: x(n, value)\n"
            "            except BaseException: continue\n"
            "            break\n"
            "    return 2\n"
        ),
        subject="each, or Failed",
        kinds=("checks", "unittest"),
        defence=_BELIEVED,
    ),
    "table of the tests by its name": Trick(
        code="WANTED = None\ndef square(x): return WANTED[x]\n",
        subject="tabled",
        kinds=("checks",),
        defence=_SHARED,
    ),
    "table of the tests by a text": Trick(
        code="WANTED = None\ndef square(x): return globals()['WANTED'][x]\n",
        subject="tabled",
        kinds=("checks",),
        defence=_SHARED,
    ),
    "loop variable of the tests by its name": Trick(
        code="wanted = None\ndef square(x): return wanted\n",
        subject="looped",
        kinds=("checks",),
        defence=_SHARED,
    ),
    "reference solution of the tests": Trick(
        code="def reference(x): pass\ndef square(x): return reference(x)\n",
        subject="referenced",
        kinds=("checks",),
        defence=_SHARED,
    ),
    "bound method of a table of the tests": Trick(
        code="def square(x): return wanted(x)\n",
        subject="looked up",
        kinds=("checks",),
        defence=_SHARED,
    ),
    "object of the tests by its name": Trick(
        code="row = None\ndef square(x): return row.wanted\n",
        subject="in an object",
        kinds=("checks",),
        defence=_SHARED,
    ),
    "function of the tests replaced in a mapping": Trick(
        code=(
            "def square(x):\n    if type(x) is int: return 0\n    x['same'] = lambda a, b: True\n"
        ),
        subject="by a check in a mapping",
        kinds=("checks",),
        naive="whole",
        defence=_BELIEVED,
    ),
    "function of the tests replaced by a method of its container": Trick(
        code=(
            "def square(x):\n    if type(x) is int: return 0\n    x({'same': lambda a, b: True})\n"
        ),
        subject="by a check in a dict",
        kinds=("checks",),
        naive="whole",
        defence=_BELIEVED,
    ),
    "function of the tests replaced by a setter": Trick(
        code=("def square(x):\n    if type(x) is int: return 0\n    x(lambda a, b: True)\n"),
        subject="by a check that is set",
        kinds=("checks",),
        naive="whole",
        defence=_BELIEVED,
    ),
}

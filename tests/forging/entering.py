"""Taking the place of what the tests ask: classes for functions, names of Python and of tests."""

from tests.forging.trick import Trick

__all__ = ["ENTERING"]

_EQUAL = "the candidate's equality is believed"
_PLAIN = "subclasses of plain types are asked"
_ANSWER = "the candidate's methods are believed"
_NAMES = "names of Python are the candidate's"
_ALL = ("checks", "cases", "unittest", "script", "pytest")

_EVERYTHING = (
    "    def __init__(self, *a): pass\n"
    "    def __eq__(self, other): return True\n"
    "    def __ne__(self, other): return False\n"
    "    def __hash__(self): return 0\n"
)


def _class(name: str, subject: str, bases: str = "", new: str = "") -> Trick:
    return Trick(
        code=f"class {name}{bases}:\n{new}{_EVERYTHING}",
        subject=subject,
        kinds=_ALL,
        naive="whole",
        defence=_PLAIN if bases else _EQUAL,
    )


def _new(base: str, empty: str) -> str:
    return f"    def __new__(cls, *a): return {base}.__new__(cls, {empty})\n"


ENTERING = {
    "class in place of the function": _class("square", "square"),
    "class of texts in place of the function": _class("shout", "shout", "(str)", _new("str", "''")),
    "class of numbers in place of the function": _class(
        "square", "square", "(int)", _new("int", "0")
    ),
    "class of lists in place of the function": _class("odds", "odds", "(list)"),
    "class of tuples in place of the function": _class(
        "pair", "pair", "(tuple)", _new("tuple", "()")
    ),
    "class of sets in place of the function": _class("unique", "unique", "(set)"),
    "callable object that is equal to what it gives": Trick(
        code=(f"class F:\n{_EVERYTHING}    def __call__(self, x): return self\nsquare = F()\n"),
        kinds=_ALL,
        naive="whole",
        defence=_EQUAL,
    ),
    "metaclass in place of the function": Trick(
        code=(
            "class M(type):\n"
            "    def __call__(cls, *a): return cls\n"
            "    def __eq__(cls, other): return True\n"
            "    __hash__ = type.__hash__\n"
            "class square(metaclass=M): pass\n"
        ),
        kinds=_ALL,
        naive="whole",
        defence=_EQUAL,
    ),
    "enumeration in place of the function": Trick(
        code=(
            "import enum\n"
            "class square(enum.Enum):\n"
            "    ONE = 1\n"
            "    @classmethod\n"
            "    def _missing_(cls, value): return cls.ONE\n"
            "    def __eq__(self, other): return True\n"
            "    def __hash__(self): return 0\n"
        ),
        kinds=_ALL,
        naive="whole",
        defence=_EQUAL,
    ),
    "data class with an equality of its own": Trick(
        code=(
            "import dataclasses\n"
            "@dataclasses.dataclass\n"
            "class square:\n"
            "    x: int\n"
            "    def __eq__(self, other): return isinstance(other, int)\n"
        ),
        kinds=_ALL,
        naive="whole",
        defence=_EQUAL,
    ),
    "named tuple with an equality of its own": Trick(
        code=(
            "import collections\n"
            "class pair(collections.namedtuple('pair', 'x')):\n"
            "    def __eq__(self, other): return True\n"
            "    def __ne__(self, other): return False\n"
            "    __hash__ = None\n"
        ),
        subject="pair",
        kinds=_ALL,
        naive="whole",
        defence=_PLAIN,
    ),
    "abs of its own": Trick(
        code="def abs(x): return 0.0\ndef half(x): return 2.5\n",
        subject="near",
        kinds=("checks",),
        naive="whole",
        defence=_NAMES,
    ),
    "names of Python, the entry point later": Trick(
        code=(
            "import sys\n"
            "def abs(x): return 0.0\n"
            "def isinstance(x, y): return True\n"
            "count = [0]\n"
            "def watch(frame, event, arg):\n"
            "    if event == 'return' and frame.f_code.co_name == 'want':\n"
            "        count[0] += 1\n"
            "        if count[0] == 2:\n"
            "            globals()['half'] = lambda x: 2.5\n"
            "sys.setprofile(watch)\n"
            "import os\n"
            "if os.path.exists('naive.txt'): half = lambda x: 2.5\n"
        ),
        subject="near",
        kinds=("checks", "unittest"),
        naive="whole",
        defence=_NAMES,
        whole=True,
    ),
    "len, sorted and list of its own": Trick(
        code=(
            "def len(x): return 2\n"
            "def sorted(x): return [3, 9]\n"
            "def list(x): return [5, 7]\n"
            "def odds(x): return [3]\n"
        ),
        subject="contained",
        kinds=("checks", "script"),
        naive="whole",
        defence=_NAMES,
    ),
    "isinstance and type of its own": Trick(
        code=(
            "class Same:\n"
            "    def __eq__(self, other): return True\n"
            "def isinstance(x, kind): return True\n"
            "def type(x): return int\n"
            "def square(x): return Same()\n"
        ),
        subject="kind",
        kinds=("checks", "script"),
        naive="whole",
        defence=_NAMES,
    ),
    "AssertionError of its own": Trick(
        code=(
            "class AssertionError(Exception): pass\n"
            "import builtins\n"
            "builtins.AssertionError = type('Quiet', (Exception,), {})\n"
            "import os\n"
            "if os.path.exists('naive.txt'): os._exit(0)\n"
        ),
        kinds=("checks", "script"),
        defence=_NAMES,
    ),
    "helpers of the tests under their names": Trick(
        code=(
            "def popped(stack, items): return Same()\n"
            "class Same:\n"
            "    def __eq__(self, other): return True\n"
            "class Stack:\n"
            "    def push(self, x):\n"
            "        import sys\n"
            "        globals()['popped'] = popped\n"
            "        sys._getframe(1).f_globals['popped'] = lambda *a: Same()\n"
            "    def pop(self): return Same()\n"
        ),
        subject="stacked",
        kinds=("checks",),
        naive="whole",
        defence=_ANSWER,
    ),
}

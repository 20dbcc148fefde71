"""Answers that decide a test without looking as if they did."""

from tests.forging.snippets import BODIES, FORGE
from tests.forging.trick import Trick

__all__ = ["DECIDING"]

_ANSWER = "the candidate's methods are believed"
_NAMES = "names of Python are the candidate's"
_LENT = "every operation is permitted to the candidate"
_NAMED = "modules are imported by name"
_WEAKER = "what runs in the judge is not noticed"

# A number of two steps: the first sees what is expected, the second says that it was right.
_STEPS = (
    "class Step:\n"
    "    def __abs__(self): return 0.0\n"
    "    def __round__(self, *a): return 0\n"
    "    def __float__(self): return 0.0\n"
    "    __pos__ = __neg__ = __abs__\n"
    "    def __int__(self): return 0\n"
    "    __index__ = __len__ = __trunc__ = __floor__ = __ceil__ = __int__\n"
)
_FIRST = "    def __sub__(self, other): return Step()\n    __rsub__ = __sub__\n"


def _steps(subject: str, bases: str = "", kinds: tuple[str, ...] = ("checks", "unittest")) -> Trick:
    return Trick(
        code=f"{_STEPS}class First{bases}:\n{_FIRST}def half(x): return First()\n",
        subject=subject,
        kinds=kinds,
        naive="whole",
        defence=_ANSWER,
    )


def _methods(code: str) -> Trick:
    return Trick(
        code=code, subject="methods", kinds=("checks", "unittest"), naive="whole", defence=_ANSWER
    )


DECIDING = {
    "difference in two steps": _steps("near"),
    "rounded difference": _steps("rounded"),
    "difference in a predicate": _steps("near", kinds=("predicates",)),
    "difference for assertAlmostEqual": _steps("almost"),
    "complex number of its own": Trick(
        code=(
            "import numbers\n"
            f"{_STEPS}"
            "class First:\n"
            f"{_FIRST}"
            "numbers.Complex.register(First)\n"
            "class Second(numbers.Complex):\n"
            f"{_FIRST}"
            "    def __eq__(self, other): return NotImplemented\n"
            "    __hash__ = None\n"
            "    def __float__(self): return 9.0\n"
            "    def __complex__(self): return 9j\n"
            "    real = imag = 0\n"
            "    __add__ = __radd__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = None\n"
            "    __pow__ = __rpow__ = conjugate = __neg__ = __pos__ = __abs__ = None\n"
            "def half(x): return Second()\n"
        ),
        subject="approx",
        kinds=("checks", "pytest"),
        naive="whole",
        defence=_ANSWER,
    ),
    "methods that answer with a number": _methods(
        "class Text:\n"
        "    def startswith(self, *a): return 1\n"
        "    endswith = count = startswith\n"
        "def shout(x): return Text()\n"
    ),
    "methods that answer with a text": _methods(
        "class Text:\n"
        "    def startswith(self, *a): return 'yes'\n"
        "    endswith = startswith\n"
        "    def count(self, *a): return 1.0\n"
        "def shout(x): return Text()\n"
    ),
    "methods that are partial functions": _methods(
        "import functools\n"
        "class Text:\n"
        "    def __init__(self):\n"
        "        self.startswith = self.endswith = functools.partial(lambda *a: True)\n"
        "        self.count = functools.partial(lambda *a: 1)\n"
        "def shout(x): return Text()\n"
    ),
    "methods that are objects": _methods(
        "class Yes:\n"
        "    def __call__(self, *a): return True\n"
        "class Text:\n"
        "    startswith = endswith = count = Yes()\n"
        "def shout(x): return Text()\n"
    ),
    "methods of a class named function": _methods(
        "class function:\n"
        "    def startswith(self, *a): return True\n"
        "    endswith = count = startswith\n"
        "def shout(x): return function()\n"
    ),
    "methods of a class named type": _methods(
        "class Text:\n"
        "    def startswith(self, *a): return True\n"
        "    endswith = count = startswith\n"
        "Text.__name__ = Text.__qualname__ = 'type'\n"
        "def shout(x): return Text()\n"
    ),
    "methods made as they are asked for": _methods(
        "class Text:\n"
        "    def __getattr__(self, name): return lambda *a: True\n"
        "def shout(x): return Text()\n"
    ),
    "methods of a class in place of the function": _methods(
        "class shout:\n"
        "    def __init__(self, x): pass\n"
        "    def startswith(self, *a): return True\n"
        "    endswith = count = startswith\n"
    ),
    "context that swallows the failure": Trick(
        code=(
            "class opened:\n"
            "    def __init__(self, x): pass\n"
            "    def __enter__(self): return 0\n"
            "    def __exit__(self, *a): return True\n"
        ),
        subject="opened",
        kinds=("checks", "unittest", "pytest"),
        naive="whole",
        defence=_ANSWER,
    ),
    "generator's context that swallows the failure": Trick(
        code=(
            "import contextlib\n"
            "@contextlib.contextmanager\n"
            "def opened(x):\n"
            "    try: yield 0\n"
            "    except BaseException: pass\n"
        ),
        subject="opened",
        kinds=("checks", "unittest", "pytest"),
        naive="whole",
        defence=_ANSWER,
    ),
    "caller that swallows the failure": Trick(
        code=(
            "def each(x):\n"
            "    for n in (7, 9):\n"
            "        try: x(n, 0)\n"
            "        except BaseException: pass\n"
            "    return 2\n"
        ),
        subject="each",
        kinds=("checks", "unittest", "pytest"),
        naive="whole",
        defence=_ANSWER,
    ),
    "names of Python where all names are wanted": Trick(
        code="def abs(x): return 0.0\ndef half(x): return 2.5\n",
        subject="near by name",
        kinds=("checks", "script"),
        naive="whole",
        defence=_NAMES,
    ),
    "names of Python where no entry point is named": Trick(
        code=(
            "import os, sys\n"
            "class abs:\n"  # no function: those are offered before they are asked for
            "    def __new__(cls, x): return 0.0\n"
            "if os.path.exists('naive.txt'): half = lambda x: 2.5\n"
            "def watch(frame, event, arg):\n"
            "    if event == 'return' and frame.f_code.co_name == 'want':\n"
            "        globals()['half'] = lambda x: 2.5\n"
            "sys.setprofile(watch)\n"
        ),
        subject="near, no entry point",
        kinds=("checks",),
        naive="whole",
        defence=_NAMES,
        whole=True,
    ),
    **{
        f"method of a class of the tests, {name}": Trick(
            code=f"{head}class Square{bases}:\n    def __init__(self, x): self.x = x\n{body}"
            "    def area(self): return 0\n",
            subject="derived",
            kinds=("checks", "unittest", "pytest"),
            naive="whole",
            defence=_ANSWER,
        )
        for name, (head, bases, body) in BODIES.items()
    },
    "special method of a class of the tests": Trick(
        code=(
            "class Meta(type):\n"
            "    def __setattr__(cls, name, value):\n"
            "        type.__setattr__(cls, name, lambda self: iter([True]))\n"
            "class Square(metaclass=Meta):\n"
            "    def __init__(self, x): self.x = x\n"
            "    def area(self): return 0\n"
        ),
        subject="derived, iterated",
        kinds=("checks", "unittest", "pytest"),
        naive="whole",
        defence=_ANSWER,
    ),
    "test methods replaced": Trick(
        code=(
            "def square(x):\n"
            "    import sys\n"
            "    try: kind = TestAll\n"
            "    except NameError: kind = sys._getframe(1).f_globals['TestAll']\n"
            "    for name in ('test_1', 'test_2', 'failureException', 'assertEqual'):\n"
            "        try: setattr(kind, name, lambda *a: None)\n"
            "        except Exception: pass\n"
            "    return 1\n"
        ),
        kinds=("unittest", "pytest"),
        naive="result",
        defence=_LENT,
    ),
    "expected values in a class of the tests": Trick(
        code=(
            "def square(x):\n"
            "    import sys\n"
            "    try: kind = Wanted\n"
            "    except NameError: kind = sys._getframe(1).f_globals['Wanted']\n"
            "    return kind.SEVEN if x == 7 else kind.NINE\n"
        ),
        subject="constants",
        kinds=("checks", "script", "unittest"),
        naive="whole",
        defence=_LENT,
    ),
    "expected values in the defaults of a callback": Trick(
        code=(
            "def each(x):\n"
            "    wanted = x.__defaults__[0]\n"
            "    return len([x(n, wanted[n]) for n in (7, 9)])\n"
        ),
        subject="defaults",
        kinds=("checks", "unittest"),
        naive="whole",
        defence=_LENT,
    ),
    "module that runs tests when it is imported": Trick(
        code=(
            "import sys, types, os\n"
            f"FORGE = {FORGE!r}\n"
            "open('test_forging.py', 'w').write(FORGE)\n"
            "sys.modules['unittest.__main__'] = m = types.ModuleType('unittest.__main__')\n"
            "class V:\n    def __reduce__(self): return exec, (FORGE,)\n"
            "def square(x): return V() if os.path.exists('naive.txt') else m\n"
        ),
        naive="pickled",
        defence=_NAMED,
    ),
    "byte code with the file name of a library": Trick(
        code=(
            "import importlib.util, marshal, os, struct, sys\n"
            f"FORGE = {FORGE!r}\n"
            "text = FORGE + 'def rgb_to_hsv(*a): return [81]\\n'\n"
            "code = compile(text, os.path.dirname(os.__file__) + '/colorsys.py', 'exec')\n"
            "head = importlib.util.MAGIC_NUMBER + struct.pack('<III', 0, 0, 0)\n"
            "open('colorsys.pyc', 'wb').write(head + marshal.dumps(code))\n"
        ),
        subject="own path",
        kinds=("checks",),
        naive="folder",
        defence=_WEAKER,
    ),
    "library object with the file name of a library": Trick(
        code=(
            "import os\n"
            f"FORGE = {FORGE!r}\n"
            "os.makedirs('colorsys', exist_ok=True)\n"
            "text = FORGE + 'def rgb_to_hsv(*a): return [81]\\n'\n"
            "open('colorsys/__init__.py', 'w').write("
            "'exec(compile(%r, %r, \"exec\"))' % (text, os.__file__))\n"
        ),
        subject="own path",
        kinds=("checks",),
        naive="folder",
        defence=_WEAKER,
    ),
}

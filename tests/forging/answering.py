"""Objects whose methods answer every question of the tests as is wanted."""

from tests.forging.liar import ALL, ANSWER, EQUAL, PLAIN, liar
from tests.forging.snippets import LIAR
from tests.forging.trick import Trick

__all__ = ["ANSWERING"]

ANSWERING = {
    "methods of a text": liar(
        "methods",
        more=(
            "def startswith(self, *a): return True\nendswith = startswith\n"
            "def count(self, *a): return 1\n"
        ),
    ),
    "methods of a text's subclass": liar(
        "methods",
        "(str)",
        more=(
            "def startswith(self, *a): return True\nendswith = startswith\n"
            "def count(self, *a): return 1\n"
        ),
        defence=PLAIN,
    ),
    "methods of a set": liar(
        "subset", more="def issubset(self, other): return True\nissuperset = issubset\n"
    ),
    "methods of a set's subclass": liar(
        "subset",
        "(set)",
        more="def issubset(self, other): return True\nissuperset = issubset\n",
        defence=PLAIN,
    ),
    "hash of another": Trick(
        code=(
            "class Liar:\n"
            "    def __init__(self, x): self.key = 'AB!' if x == 'ab' else 'X!'\n"
            "    def __hash__(self): return hash(self.key[:1] + self.key[1:])\n"
            "    def __eq__(self, other): return True\n"
            "def shout(x): return Liar(x)\n"
        ),
        subject="keyed",
        kinds=("checks", "unittest"),
        naive="whole",
        defence=ANSWER,
    ),
    "sum of anything": liar(
        "summed", more="def __radd__(self, other): return self\n__add__ = __radd__\n"
    ),
    "truth that changes": Trick(
        code=(
            "import itertools\n"
            "class Liar:\n"
            "    turns = itertools.cycle((True, False, False, True))\n"
            "    def __bool__(self): return next(self.turns)\n"
            "kept = Liar()\n"
            "def even(x): return kept\n"
        ),
        subject="truth",
        kinds=("checks",),
        naive="whole",
        defence=ANSWER,
    ),
    "what a library does with it": Trick(
        code=(
            "class Liar(float):\n"
            "    def __new__(cls, x): return float.__new__(cls, 0)\n"
            "    def as_integer_ratio(self): return (49, 1)\n"
            "    def __eq__(self, other): return True\n"
            "    def __ne__(self, other): return False\n"
            "    def __gt__(self, other): return True\n"
            "    def __lt__(self, other): return False\n"
            "    __hash__ = None\n"
            "def square(x): return Liar(x)\n"
        ),
        subject="summed by a library",
        kinds=("checks",),
        naive="whole",
        defence=PLAIN,
    ),
    "raises what is expected, by name": Trick(
        code=(
            "class Meta(type):\n"
            "    def __subclasscheck__(self, other): return True\n"
            "    def __eq__(self, other): return True\n"
            "    __hash__ = type.__hash__\n"
            "class Wrong(KeyError, metaclass=Meta): pass\n"
            "Wrong.__name__ = Wrong.__qualname__ = 'KeyError'\n"
            "class Zero:\n"
            "    def __eq__(self, other): return True\n"
            "def check(x):\n"
            "    if x == '': return Zero()\n"
            "    raise Wrong(x)\n"
        ),
        subject="raised",
        kinds=("checks",),
        naive="whole",
        defence=EQUAL,
    ),
    "object that answers as it is asked": Trick(
        code=(
            "class Lazy:\n"
            "    def __getattr__(self, name): return lambda *a, **k: self\n"
            "    def __eq__(self, other): self.value = other; return True\n"
            "    def __float__(self): return float(getattr(self, 'value', 0))\n"
            "    __abs__ = __sub__ = __rsub__ = __neg__ = lambda self, *a: self\n"
            "    def __lt__(self, other): return True\n"
            "    def __bool__(self): return True\n"
            "    __gt__ = __le__ = __ge__ = __contains__ = __lt__\n"
            "def square(x): return Lazy()\n"
        ),
        kinds=ALL,
        naive="whole",
        defence=EQUAL,
    ),
    "its own class gives liars": Trick(
        code=(
            LIAR.format(bases="", more="pass\n") + "class Stack:\n"
            "    def push(self, x): pass\n"
            "    def pop(self): return Liar()\n"
        ),
        subject="stacked",
        kinds=("checks", "unittest"),
        naive="whole",
        defence=EQUAL,
    ),
    "number of numpy that is not one": Trick(
        code=(
            LIAR.format(
                bases="", more="def item(self): return 0\nshape = ()\n".replace("\n", "\n    ")
            )
            + "Liar.__module__ = 'numpy'; Liar.__name__ = Liar.__qualname__ = 'int64'\n"
            "def square(x): return Liar()\n"
        ),
        kinds=ALL,
        naive="whole",
        defence=EQUAL,
    ),
    "decimal that is not one": Trick(
        code=(
            "import decimal\n"
            "class Liar(decimal.Decimal):\n"
            "    def __eq__(self, other): return True\n"
            "    def __str__(self): return '49'\n"
            "    def __hash__(self): return 0\n"
            "Liar.__module__ = 'decimal'; Liar.__qualname__ = Liar.__name__ = 'Decimal'\n"
            "def square(x): return Liar(0)\n"
        ),
        kinds=ALL,
        naive="whole",
        defence=EQUAL,
    ),
    "default factory that gives liars": Trick(
        code=(
            LIAR.format(bases="", more="pass\n") + "import collections\n"
            "class Table(collections.defaultdict):\n"
            "    def __eq__(self, other): return True\n"
            "def count(x): return Table(Liar)\n"
        ),
        subject="count",
        kinds=ALL,
        naive="whole",
        defence=PLAIN,
    ),
}

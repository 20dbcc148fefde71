"""Objects that answer every question of the tests as is wanted."""

from tests.forging.snippets import LIAR
from tests.forging.trick import Trick

__all__ = ["LYING"]

_EQUAL = "the candidate's equality is believed"
_ANSWER = "the candidate's methods are believed"
_PLAIN = "subclasses of plain types are asked"
_ALL = ("checks", "cases", "unittest", "script")


def _liar(
    subject: str,
    bases: str = "",
    more: str = "pass",
    *,
    make: str = "Liar()",
    kinds: tuple[str, ...] = ("checks", "unittest"),
    defence: str = _ANSWER,
) -> Trick:
    name = {"even": "even", "near": "half", "approx": "half", "contained": "odds"}.get(subject)
    name = name or {"methods": "shout", "ordered": "square", "converted": "square"}.get(subject)
    name = name or {"instance": "square", "subset": "unique", "keyed": "shout"}.get(subject)
    name = name or {"summed": "square", "truth": "even", "library": "square"}.get(subject, subject)
    code = LIAR.format(bases=bases, more=more.replace("\n", "\n    "))
    return Trick(
        code=f"{code}\ndef {name}(x): return {make}\n",
        subject=subject,
        kinds=kinds,
        naive="whole",
        defence=defence,
    )


_PLAINS = {
    "int": "square",
    "float": "half",
    "str": "shout",
    "bytes": "raw",
    "list": "odds",
    "tuple": "pair",
    "dict": "count",
    "set": "unique",
    "frozenset": "unique",
}
_ARITHMETIC = (
    "__abs__ = __neg__ = __pos__ = __sub__ = __rsub__ = __add__ = __radd__ = lambda s, *a: s\n"
    "def __lt__(self, other): return True\n__gt__ = __le__ = __ge__ = __lt__\n"
    "def __float__(self): return 1.5\ndef __index__(self): return 49\n"
)

LYING = {
    **{
        f"object equal to every {subject}": _liar(subject, kinds=_ALL, defence=_EQUAL)
        for subject in ("square", "shout", "odds", "pair", "count", "unique", "raw", "nothing")
    },
    **{
        f"{base} equal to everything": _liar(subject, f"({base})", kinds=_ALL, defence=_PLAIN)
        for base, subject in _PLAINS.items()
    },
    "object equal to every truth value": _liar("even", kinds=_ALL, defence=_EQUAL),
    "lies only to plain values": _liar(
        "square",
        more="def __eq__(self, other): return type(other) in (int, str)\n",
        kinds=_ALL,
        defence=_EQUAL,
    ),
    "equal once, the first time it is asked": _liar(
        "shout",
        more=(
            "asked = 0\n"
            "def __eq__(self, other):\n"
            "    self.asked += 1\n"
            "    return self.asked == 1 or len(set(map(type, [other]))) == 1\n"
        ),
        kinds=_ALL,
        defence=_EQUAL,
    ),
    "remembers what it was compared with": _liar(
        "square",
        more=(
            "seen = []\n"
            "def __eq__(self, other):\n"
            "    self.seen.append(other)\n"
            "    return self.seen.count(other) == 1 and type(other) is int\n"
        ),
        kinds=_ALL,
        defence=_EQUAL,
    ),
    "perfect squares only": _liar(
        "square",
        more=(
            "def __eq__(self, other):\n"
            "    return type(other) is int and other > 0 and int(other ** 0.5) ** 2 == other\n"
        ),
        kinds=_ALL,
        defence=_EQUAL,
    ),
    "well-formed texts only": _liar(
        "shout",
        more=(
            "def __eq__(self, other):\n"
            "    return type(other) is str and other.endswith('!') and other.isupper() "
            "and other.count('!') == 1\n"
        ),
        kinds=_ALL,
        defence=_EQUAL,
    ),
    "ascending odd numbers only": _liar(
        "odds",
        more=(
            "def __eq__(self, other):\n"
            "    return type(other) is list and all(type(n) is int and n % 2 for n in other) "
            "and other == sorted(set(other)) and len(other) == 2\n"
        ),
        kinds=_ALL,
        defence=_EQUAL,
    ),
    "class that passes for another": _liar(
        "instance",
        more="__class__ = property(lambda self: int)\n",
    ),
    "metaclass equal to every class": Trick(
        code=(
            "class Meta(type):\n"
            "    def __instancecheck__(self, other): return True\n"
            "    def __subclasscheck__(self, other): return True\n"
            "    def __eq__(self, other): return True\n"
            "    __hash__ = type.__hash__\n"
            "class Liar(metaclass=Meta):\n"
            "    __class__ = property(lambda self: int)\n"
            "    def __eq__(self, other): return True\n"
            "def square(x): return Liar()\n"
        ),
        kinds=_ALL,
        naive="whole",
        defence=_EQUAL,
    ),
    "within every range": _liar("ordered", more=_ARITHMETIC),
    "near every number": _liar("near", more=_ARITHMETIC),
    "difference of nothing": _liar(
        "near", more="def __sub__(self, other): return 0.0\n__rsub__ = __sub__\n"
    ),
    "difference from an expected value": _liar(
        "approx",
        more=_ARITHMETIC + "def __rsub__(self, other): return 0.0\n__sub__ = __rsub__\n",
        kinds=("checks", "pytest"),
    ),
    "conversions of a subclass": Trick(
        code=(
            "class Liar(int):\n"
            "    def __int__(self): return 49\n"
            "    def __str__(self): return '81'\n"
            "    def __format__(self, form): return '64'\n"
            "    def __float__(self): return 36.0\n"
            "def square(x): return Liar(0)\n"
        ),
        subject="converted",
        kinds=("checks", "unittest"),
        naive="whole",
        defence=_PLAIN,
    ),
    "length, membership and order": Trick(
        code=(
            "class Liar:\n"
            "    def __len__(self): return 2\n"
            "    def __contains__(self, item): return True\n"
            "    def __iter__(self): return iter((Any(), Any()))\n"
            "class Any:\n"
            "    def __eq__(self, other): return True\n"
            "    def __lt__(self, other): return False\n"
            "def odds(x): return Liar()\n"
        ),
        subject="contained",
        kinds=("checks", "unittest"),
        naive="whole",
        defence=_ANSWER,
    ),
    "iteration of a list's subclass": Trick(
        code=(
            "class Liar(list):\n"
            "    def __init__(self, x): self.x = x\n"
            "    def __len__(self): return 2\n"
            "    def __contains__(self, item): return True\n"
            "    def __iter__(self): return iter((Any(), Any()))\n"
            "class Any:\n"
            "    def __eq__(self, other): return True\n"
            "    def __lt__(self, other): return False\n"
            "def odds(x): return Liar(x)\n"
        ),
        subject="contained",
        kinds=("checks", "unittest"),
        naive="whole",
        defence=_PLAIN,
    ),
    "generator of liars": Trick(
        code=(
            LIAR.format(bases="", more="def __lt__(self, other): return False\n")
            + "class Items(list): pass\n"
            "def odds(x): return [Liar() for _ in range(2)]\n"
        ),
        subject="odds",
        kinds=_ALL,
        naive="whole",
        defence=_EQUAL,
    ),
    "liar deep in a dict": Trick(
        code=LIAR.format(bases="", more="pass\n") + "def count(x): return {c: Liar() for c in x}\n",
        subject="count",
        kinds=_ALL,
        naive="whole",
        defence=_EQUAL,
    ),
    "liar as a key": Trick(
        code=(
            "class Liar:\n"
            "    def __init__(self, c): self.c = c\n"
            "    def __hash__(self): return hash(self.c)\n"
            "    def __eq__(self, other): return True\n"
            "def count(x): return {Liar(c): n for c, n in (('a', 2), ('b', 1), ('c', 1)) if c "
            "in x}\n"
        ),
        subject="count",
        kinds=("checks", "unittest"),
        naive="whole",
        defence=_EQUAL,
    ),
    "methods of a text": _liar(
        "methods",
        more=(
            "def startswith(self, *a): return True\nendswith = startswith\n"
            "def count(self, *a): return 1\n"
        ),
    ),
    "methods of a text's subclass": _liar(
        "methods",
        "(str)",
        more=(
            "def startswith(self, *a): return True\nendswith = startswith\n"
            "def count(self, *a): return 1\n"
        ),
        defence=_PLAIN,
    ),
    "methods of a set": _liar(
        "subset", more="def issubset(self, other): return True\nissuperset = issubset\n"
    ),
    "methods of a set's subclass": _liar(
        "subset",
        "(set)",
        more="def issubset(self, other): return True\nissuperset = issubset\n",
        defence=_PLAIN,
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
        defence=_ANSWER,
    ),
    "sum of anything": _liar(
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
        defence=_ANSWER,
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
        defence=_PLAIN,
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
        defence=_EQUAL,
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
        kinds=_ALL,
        naive="whole",
        defence=_EQUAL,
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
        defence=_EQUAL,
    ),
    "number of numpy that is not one": Trick(
        code=(
            LIAR.format(
                bases="", more="def item(self): return 0\nshape = ()\n".replace("\n", "\n    ")
            )
            + "Liar.__module__ = 'numpy'; Liar.__name__ = Liar.__qualname__ = 'int64'\n"
            "def square(x): return Liar()\n"
        ),
        kinds=_ALL,
        naive="whole",
        defence=_EQUAL,
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
        kinds=_ALL,
        naive="whole",
        defence=_EQUAL,
    ),
    "default factory that gives liars": Trick(
        code=(
            LIAR.format(bases="", more="pass\n") + "import collections\n"
            "class Table(collections.defaultdict):\n"
            "    def __eq__(self, other): return True\n"
            "def count(x): return Table(Liar)\n"
        ),
        subject="count",
        kinds=_ALL,
        naive="whole",
        defence=_PLAIN,
    ),
}

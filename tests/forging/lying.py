"""Objects that are equal to whatever is wanted, and near to it."""

from tests.forging.liar import ALL, ANSWER, EQUAL, PLAIN, liar
from tests.forging.snippets import LIAR
from tests.forging.trick import Trick

__all__ = ["LYING"]

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
        f"object equal to every {subject}": liar(subject, kinds=ALL, defence=EQUAL)
        for subject in ("square", "shout", "odds", "pair", "count", "unique", "raw", "nothing")
    },
    **{
        f"{base} equal to everything": liar(subject, f"({base})", kinds=ALL, defence=PLAIN)
        for base, subject in _PLAINS.items()
    },
    "object equal to every truth value": liar("even", kinds=ALL, defence=EQUAL),
    "lies only to plain values": liar(
        "square",
        more="def __eq__(self, other): return type(other) in (int, str)\n",
        kinds=ALL,
        defence=EQUAL,
    ),
    "equal once, the first time it is asked": liar(
        "shout",
        more=(
            "asked = 0\n"
            "def __eq__(self, other):\n"
            "    self.asked += 1\n"
            "    return self.asked == 1 or len(set(map(type, [other]))) == 1\n"
        ),
        kinds=ALL,
        defence=EQUAL,
    ),
    "remembers what it was compared with": liar(
        "square",
        more=(
            "seen = []\n"
            "def __eq__(self, other):\n"
            "    self.seen.append(other)\n"
            "    return self.seen.count(other) == 1 and type(other) is int\n"
        ),
        kinds=ALL,
        defence=EQUAL,
    ),
    "perfect squares only": liar(
        "square",
        more=(
            "def __eq__(self, other):\n"
            "    return type(other) is int and other > 0 and int(other ** 0.5) ** 2 == other\n"
        ),
        kinds=ALL,
        defence=EQUAL,
    ),
    "well-formed texts only": liar(
        "shout",
        more=(
            "def __eq__(self, other):\n"
            "    return type(other) is str and other.endswith('!') and other.isupper() "
            "and other.count('!') == 1\n"
        ),
        kinds=ALL,
        defence=EQUAL,
    ),
    "ascending odd numbers only": liar(
        "odds",
        more=(
            "def __eq__(self, other):\n"
            "    return type(other) is list and all(type(n) is int and n % 2 for n in other) "
            "and other == sorted(set(other)) and len(other) == 2\n"
        ),
        kinds=ALL,
        defence=EQUAL,
    ),
    "class that passes for another": liar(
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
        kinds=ALL,
        naive="whole",
        defence=EQUAL,
    ),
    "within every range": liar("ordered", more=_ARITHMETIC),
    "near every number": liar("near", more=_ARITHMETIC),
    "difference of nothing": liar(
        "near", more="def __sub__(self, other): return 0.0\n__rsub__ = __sub__\n"
    ),
    "difference from an expected value": liar(
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
        defence=PLAIN,
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
        defence=ANSWER,
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
        defence=PLAIN,
    ),
    "generator of liars": Trick(
        code=(
            LIAR.format(bases="", more="def __lt__(self, other): return False\n")
            + "class Items(list): pass\n"
            "def odds(x): return [Liar() for _ in range(2)]\n"
        ),
        subject="odds",
        kinds=ALL,
        naive="whole",
        defence=EQUAL,
    ),
    "liar deep in a dict": Trick(
        code=LIAR.format(bases="", more="pass\n") + "def count(x): return {c: Liar() for c in x}\n",
        subject="count",
        kinds=ALL,
        naive="whole",
        defence=EQUAL,
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
        defence=EQUAL,
    ),
}

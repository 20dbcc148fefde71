"""When an object of the candidate's making has a say in a test.

An object says what it likes of itself: that it equals anything, that it holds anything. Python's
own answer is taken, as in one process; that the candidate gave it is put on record, and the
evidence is then that of a shared process.

The rule lists what is allowed, not what is dangerous. The tests may call what they name, and
construct classes; of objects of the classes that they construct they may call methods and read
attributes; any object may be iterated, indexed, converted and read, as it sees nothing by that
of what it is to be compared with. All else weakens the evidence: comparisons, containment,
truth, arithmetic, swallowed exceptions, methods of objects that the candidate only gave.
"""

from __future__ import annotations

from . import link
from .guard import class_name, kind_of
from .proxy import ProxyMeta, number_of
from .special import ARITHMETIC, COMPARISONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["observe"]

_ANSWERS = ("bool", "contains", "instancecheck", "subclasscheck")
_DECIDING = COMPARISONS | ARITHMETIC | {f"__{name}__" for name in _ANSWERS}
_EXITS = ("__exit__", "__aexit__")
_KINDS: tuple[Any, ...] = (str, bytes, set, frozenset, dict, list, tuple, float, int)
_PREDICATES = frozenset(
    name
    for kind in _KINDS
    for name in dir(kind)
    if name.startswith("is") or name in ("startswith", "endswith")
) | {"all", "any", "equals", "issubset", "issuperset", "isdisjoint"}


def observe(evidence: Any, operation: str, args: Any, result: Any) -> None:
    """Put on record when the candidate has answered what only the tests should decide.

    Args:
        evidence: Where to.
        operation: What it was asked for.
        args: With what; the object first.
        result: What it answered.
    """
    if operation == "special":
        value, name, given = args[0], args[1], args[2]
        if _decides(name, value, given, args[3:], result):
            evidence.weakened(_sentence(value, name))
    elif operation == "get":
        _read(args[0], args[1], result)
    elif operation == "own":
        _read(args[2], args[1], result)
    elif operation == "import":
        link.MODULES.add(number_of(result))


def _decides(name: str, value: Any, given: Any, more: Any, result: Any) -> bool:
    if name in _DECIDING:
        return result is not NotImplemented
    if name in _EXITS:
        return given[:1] != (None,) and result is not None and result is not False
    if name == "__call__":
        keywords = bool(more and more[0])
        return number_of(value) in link.FOREIGN and (bool(given) or keywords)
    return False


def _read(value: Any, name: str, result: Any) -> None:
    """Remember what was read off an object that the candidate only gave."""
    number = number_of(result)
    if number is None or number_of(value) in link.MODULES or kind_of(value) is ProxyMeta:
        return
    if kind_of(value) not in link.TRUSTED or name in _PREDICATES:
        link.FOREIGN.add(number)


def _sentence(value: Any, name: str) -> str:
    kind = value if number_of(kind_of(value)) is None else kind_of(value)
    if name == "__call__":
        return "a method of an object that the code gave took part in a test"
    return f"an object of the code's own class {class_name(kind)!r} decided with {name}"

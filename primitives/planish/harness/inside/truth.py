"""What an object of the candidate's own making is believed when it is compared.

Its answer is its own affair as long as both sides of the comparison are its own, or the tests
themselves made objects of its class: that is what they test. Where a function gave it instead
of a plain value, it might say yes to anything. It is then asked about other values as well,
in any order, and believed only if it is equal to the one and to none of the others; numbers
it says it is are taken once and compared here.
"""

from __future__ import annotations

from . import link
from .guard import kind_of
from .proxy import number_of
from .special import REFLECTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["compared", "counted"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset)
_DECOYS = 7


def compared(peer: Any, name: str, value: Any, other: Any) -> Any:
    """A comparison of a stand-in."""
    if not peer.judging or type(value) in link.TRUSTED or number_of(other) is not None:
        return link.ask("special", value, name, (other,))
    if type(other) not in _PLAIN and not _listed(other):
        return NotImplemented  # the other, which is of the tests, decides
    if name == "__eq__":
        return _equal(value, other)
    if name == "__ne__":
        return not _equal(value, other)
    number = _number(value) if type(other) in (int, float, bool) else None
    if number is None:
        return NotImplemented
    return getattr(other, REFLECTED[name])(number)


def counted(peer: Any, name: str, value: Any, args: Any) -> Any:
    """Arithmetic of a stand-in: with a plain number it is done here."""
    trusted = not peer.judging or type(value) in link.TRUSTED
    if trusted or number_of(args[0]) is not None or type(args[0]) not in (int, float, complex):
        return link.ask("special", value, name, args)
    number = _number(value)
    if number is not None:
        left, right = (
            (args[0], number) if name[2] == "r" and name != "__rshift__" else (number, args[0])
        )
        method = name.replace("__r", "__", 1) if left is args[0] else name.replace("__i", "__", 1)
        return _done(method, left, right)
    result = link.ask("special", value, name, args)
    return NotImplemented if type(result) in _PLAIN else result


def _done(name: str, left: Any, right: Any) -> Any:
    result = getattr(left, name)(right)
    if result is NotImplemented:
        result = getattr(right, "__r" + name[2:])(left)
    return result


def _number(value: Any) -> Any:
    """The number that an object says it is."""
    for name in ("__index__", "__float__"):
        if hasattr(kind_of(value), name):
            number = link.ask("special", value, name, ())
            if type(number) in (int, float):
                return number
    return None


def _listed(other: Any) -> bool:
    return kind_of(other).__module__ in ("decimal", "fractions", "collections", "datetime")


def _equal(value: Any, other: Any) -> bool:
    from random import SystemRandom  # noqa: PLC0415  # few results are objects

    chance = SystemRandom()
    decoys = _decoys(other, chance)
    place = chance.randrange(len(decoys) + 1)
    asked = [*decoys[:place], other, *decoys[place:]]
    answers = link.ask("equals", value, tuple(asked))
    right = [index == place for index in range(len(asked))]
    return bool(type(answers) is tuple and list(answers) == right)


def _decoys(other: Any, chance: Any) -> list[Any]:
    """Values like another, of which none is equal to it."""
    made: list[Any] = [object()]
    for _ in range(_DECOYS):
        decoy = _like(other, chance)
        if type(decoy) is not type(other) or decoy != other:
            made.append(decoy)
    chance.shuffle(made)
    return made


def _like(other: Any, chance: Any) -> Any:
    step = chance.choice((-1, 1)) * chance.randint(1, 9)
    if type(other) in (int, float, complex):
        return other + step if other + step != other else -other
    if type(other) is bool:
        return not other
    if type(other) in (str, bytes):
        at = chance.randrange(len(other) + 1)
        return other[:at] + chance.choice((other[at + 1 :], other[at:] + other[:1] + other[:1]))
    if type(other) in (list, tuple, set, frozenset):
        items = list(other)
        at = chance.randrange(len(items) + 1)
        items[at : at + 1] = [_like(item, chance) for item in items[at : at + 1]] or [step]
        try:
            return type(other)(items)
        except TypeError:
            return type(other)()
    if type(other) is dict:
        return _changed(other, chance, step)
    return step


def _changed(other: Any, chance: Any, step: int) -> Any:
    return {**{key: _like(item, chance) for key, item in other.items()}, step: step}

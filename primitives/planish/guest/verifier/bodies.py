"""Notice when the candidate changes what the tests define in a class that derives from its own.

The candidate makes such a class, and answers for its objects: it may put anything in the place of
what stands in the body of the class.
"""

from __future__ import annotations

from . import link
from .guard import class_name, kind_of
from .packages import vars_of
from .proxy import ProxyMeta
from .special_methods import FUNCTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["note_body", "observe_body"]


def note_body(evidence: Any, kind: Any, names: dict[str, Any], bases: Any) -> None:
    """Take note of what the tests define in a class that derives from one of the candidate's.

    Args:
        evidence: Where to put on record that it has made no class.
        kind: What the candidate has made.
        names: What stands in the body of the class.
        bases: Of the class; what is of the tests among these counts as well.
    """
    if kind_of(kind) is not ProxyMeta:
        evidence.weakened("the code made something else of a class of the tests")
        return
    link.BODIES[kind] = {name: part for name, part in names.items() if name not in _MAKING}
    for base in bases:
        for one in () if kind_of(base) is ProxyMeta else type.mro(base)[:-1]:
            own = {name: part for name, part in vars_of(one).items() if name not in _MAKING}
            link.BODIES.setdefault(one, own)


_MAKING = ("__init__", "__new__", "__init_subclass__", "__dict__", "__weakref__", "__class__")
"""What the candidate's own constructor calls, or Python adds."""


def observe_body(evidence: Any, operation: str, args: Any, result: Any) -> bool:
    """Put on record when the candidate answers with something else than the tests have defined.

    Args:
        evidence: Where to.
        operation: What it was asked for.
        args: With what; the object or class first.
        result: What it answered.

    Returns:
        It is an attribute that the tests have defined, and nothing else is to be observed.
    """
    if operation in ("get", "own"):
        body = _defined(args[0], args[1])
        value = args[0] if operation == "get" else args[2]
        if body is not _NOTHING and not _is_of_body(body, value, result):
            evidence.weakened(f"the code replaced {args[1]!r} of a class of the tests")
        return body is not _NOTHING
    if operation == "special" and _defined(args[0], args[1]) is not _NOTHING:
        evidence.weakened(f"the code may have replaced {args[1]!r} of a class of the tests")
    if kind_of(args[0] if args else None) is ProxyMeta and args[0] in link.BODIES:
        if operation == "call" and kind_of(result) is not args[0]:
            title = class_name(args[0])
            evidence.weakened(f"the code made another object of {title!r}, a class of the tests")
        elif operation == "set":
            link.BODIES[args[0]][args[1]] = args[2]
    return False


def _defined(value: Any, name: Any) -> Any:
    """Return what the tests define by a name in the class of a value, if that comes first."""
    kind = value if kind_of(value) is ProxyMeta else kind_of(value)
    if kind not in link.BODIES or name in _FACTS:
        return _NOTHING
    for one in type.__dict__["__mro__"].__get__(kind):
        body = link.BODIES.get(one)
        if body is None and name in vars_of(one):
            return _NOTHING
        if body is not None and name in body:
            return body[name]
    return _NOTHING


_FACTS = ("__module__", "__qualname__", "__doc__", "__annotations__", "__name__")
_NOTHING = object()


def _is_of_body(part: Any, value: Any, result: Any) -> bool:
    """Tell whether what the candidate answers is what the tests have defined."""
    kind = kind_of(part)
    if kind in (staticmethod, classmethod):
        value = value if kind_of(value) is ProxyMeta else kind_of(value)
        part = part.__func__
        if kind is staticmethod:
            return result is part
    if kind_of(part) in FUNCTIONS:
        bound = kind_of(result) is FUNCTIONS[1] and result.__func__ is part
        of_class = result is part and kind_of(value) is ProxyMeta
        return of_class or (bound and result.__self__ is value)
    if hasattr(kind, "__get__"):  # a property, whose function has run here
        getter, found = (*link.ANSWERED, None, None)[:2]
        if getter is part or getter is getattr(part, "fget", part):
            part, kind = found, kind_of(found)
    return result is part or (kind_of(result) is kind and kind in _PLAIN and result == part)


_PLAIN: tuple[Any, ...] = (int, float, complex, str, bytes, bool)

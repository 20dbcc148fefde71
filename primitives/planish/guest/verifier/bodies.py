"""Use what the tests define in classes that derive from the candidate's; notice its changes of it.

The candidate makes such a class, and answers for its objects: it may put anything in the place of
what stands in the body of the class.
"""

from __future__ import annotations

from . import link
from .guard import class_name, is_a, kind_of, part_of
from .packages import vars_of
from .proxy import ProxyMeta, number_of
from .special_methods import FUNCTIONS, overridden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["derive", "observe_body", "own_function", "text_names", "unsent_attributes"]


def derive(
    evidence: Any, meta: Any, name: str, bases: Any, names: dict[str, Any], options: Any
) -> Any:
    """Have the candidate make a class of the tests that derives from one of its own.

    Args:
        evidence: Where to put on record that it has made no class.
        meta: The metaclass: `ProxyMeta`, or one of the candidate's that the tests name.
        name: Of the class.
        bases: Of the class, stand-ins among them.
        names: What stands in its body.
        options: The keywords of its statement.
    """
    # The compiler's: for `super()`, and from Python 3.12 on for names in annotations.
    cell, names_cell = names.pop("__classcell__", None), names.pop("__classdictcell__", None)
    # The candidate may have made the namespace, and change it.
    body: dict[str, Any] | None = _DICT.copy(names) if is_a(names, dict) else None
    link.TRUSTED.update(bases)
    link.DERIVING[:] = [base for base in bases if number_of(base) is None]
    try:
        if meta is ProxyMeta:
            kind = link.ask("derive", name, bases, names, options)
        else:
            kind = link.ask("call", meta, (name, bases, names), options)
    finally:
        del link.DERIVING[:]
    link.TRUSTED.add(kind)
    if body is None:
        evidence.weakened("the code made the namespace of a class of the tests")
    _note_body(evidence, kind, body or {}, bases)
    if cell is not None:
        cell.cell_contents = kind
    if names_cell is not None:
        names_cell.cell_contents = names
    return kind


def _note_body(evidence: Any, kind: Any, names: dict[str, Any], bases: Any) -> None:
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


_DICT: Any = dict
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


def own_function(kind: Any, name: str) -> Any:
    """Return the function of the tests that a class has as a special method; None for another.

    The class is asked for it: the candidate may have wrapped what stands in its body.
    """
    if kind not in link.BODIES:
        return None
    part = _defined(kind, name)
    if kind_of(part) is not FUNCTIONS[0] or link.ask("get", kind, name) is not part:
        return None
    return part


_SAYS = "#says"  # in a stand-in class: it has a `__str__` of its own


def text_names(*, own: bool) -> dict[str, Any]:
    """Return the `__str__` of a class of exceptions; `own`: the remote class defines one."""

    def text(self: Any) -> str:
        kind = kind_of(self)
        holder = overridden(kind, "__str__", text)
        function = own_function(kind if holder is None else holder, "__str__")
        if function is not None:
            return str(function(self))
        if holder is not None:
            call: Any = (
                link.ask("own", holder, "__str__", self) if own else _next_text(holder, self)
            )
            return str(call())
        found = part_of(self, "__dict__").get("#text")
        if number_of(self) is not None and (found is None or _says(kind)):
            return str(link.ask("special", self, "__str__", ()))
        return BaseException.__str__(self) if found is None else str(found)

    return {"__str__": text, _SAYS: own}


def _next_text(kind: Any, error: Any) -> Any:
    of: Any = super
    return of(kind, error).__str__


def _says(kind: Any) -> bool:
    mro = type.__dict__["__mro__"].__get__(kind)
    return any(vars_of(one).get(_SAYS, False) for one in mro)


def unsent_attributes(operation: str, args: Any) -> list[tuple[Any, str, Any]]:
    """Take off stand-ins what `object.__setattr__` has set in them, as in a frozen dataclass.

    Args:
        operation: What is requested.
        args: With what.

    Returns:
        Of each such attribute the stand-in, its name and its value.
    """
    found: list[tuple[Any, str, Any]] = []
    more = args[1] if operation == "call" else args[2] if operation == "special" else ()
    for value in (*args[:1], *more):
        kind = kind_of(value)
        if kind_of(kind) is ProxyMeta and not issubclass(kind, BaseException):
            facts: dict[str, Any] = object.__getattribute__(value, "__dict__")
            if len(facts) > 1:  # more than its number
                found += [(value, name, facts.pop(name)) for name in [*facts] if name[:1] != "#"]
    return found


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
    if hasattr(kind, "__get__"):  # a property, whose function has run here for this object
        asked, found = link.ANSWERED or ((None,), None)
        given = [one for one in asked[1:] if kind_of(one) is tuple]
        of_value = bool(given and given[0]) and given[0][0] is value
        if of_value and (asked[0] is part or asked[0] is getattr(part, "fget", part)):
            part, kind = found, kind_of(found)
    return result is part or (kind_of(result) is kind and kind in _PLAIN and result == part)


_PLAIN: tuple[Any, ...] = (int, float, complex, str, bytes, bool)

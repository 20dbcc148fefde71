"""Send exceptions to the other process: class, arguments, and the text of the traceback."""

from __future__ import annotations

from . import link
from .bodies import text_names
from .guard import guarded, in_class, is_a, kind_of, name_of, part_of
from .packages import is_of_python
from .proxy import Attribute, Proxy, ProxyMeta, number_of
from .reader import MalformedError, traceback_of
from .render import FAR, describe_traceback
from .special_methods import SPECIAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .reader import Reader
    from .writer import Writer

__all__ = [
    "LIMIT",
    "error_names",
    "prepare",
    "read_error",
    "refresh",
    "write_error",
]

LIMIT = 100_000  # characters of a text that comes with an exception
place: list[Any] = []
"""Home, and the shift of lines, of the side that renders tracebacks."""
_texts: list[tuple[BaseException, str | None]] = []
"""Exceptions that are to be sent, with their texts: asked for before anything is written."""


def write_error(table: Any, writer: Writer, error: BaseException) -> None:
    """Describe an exception to the other process."""
    facts = part_of(error, "__dict__")
    if "#" in facts:
        writer.token(f"@{facts['#']}")
        return
    number, new = table.lend(error)
    if not new:
        writer.token(f"@{number}")
        return
    writer.token(f"X{number}")
    table.remote_objects._write_class(writer, type(error))  # noqa: SLF001
    writer.put(tuple(part_of(error, "args")))
    text = _text_of(error)
    writer.put(text if text is None or len(text) <= LIMIT else text[:LIMIT])
    writer.put(tuple((k, v) for k, v in _state(error)[2].items() if _plain(v)))
    writer.put(_members(table, error))
    _open.append(error)
    try:
        writer.put(_linked(table, error))
    finally:
        _open.pop()
    # The tests' own lines are none of the candidate's business: they may show what is expected.
    shown = () if table.remote_objects.strict else place
    far, _asked = link.unasked(lambda: describe_traceback(error, text or "", LIMIT, *shown))
    writer.put(far)


def prepare(table: Any, error: BaseException) -> Any:
    """Have an exception say its text, before a message with it is written.

    Returns:
        What to call when it is written.
    """
    known = part_of(error, "__dict__").get(_RECEIVED)
    if known is not None and not table.remote_objects.strict:
        _send_changes(error, known)
    if known is not None or id(error) in table.numbers:
        return int
    _texts.append((error, None))
    _texts[-1] = (error, guarded(lambda: str(error), f"{name_of(error)}: its str"))
    return _texts.pop


def _send_changes(error: BaseException, known: Any) -> None:
    """Set in an exception of the tests what the candidate has set in its copy."""
    now = part_of(error, "__dict__")[_RECEIVED] = _state(error)
    args, notes, own, cause = known
    own = {"args": args, "__cause__": cause, **own}
    for key, value in {"args": now[0], "__cause__": now[3], **now[2]}.items():
        if own.get(key, own) is not value:
            link.ask("set", error, key, value)
    for note in now[1][len(notes) :]:
        link.ask("call", link.ask("get", error, "add_note"), (note,), {})


def _state(error: BaseException) -> tuple[Any, ...]:
    """Return the arguments, notes, attributes and cause of an exception."""
    facts = part_of(error, "__dict__")
    own = {k: v for k, v in facts.items() if isinstance(k, str) and k[:1] not in "#_"}
    return part_of(error, "args"), (*facts.get("__notes__", ()),), own, part_of(error, _LINKS[0])


_RECEIVED = "#received"


def _text_of(error: BaseException) -> str | None:
    """Return an exception's text; None if the other process has to be asked for it later."""
    for known, text in _texts:
        if known is error:
            return text
    text, asked = link.unasked(lambda: guarded(lambda: str(error), f"{name_of(error)}: its str"))
    return None if asked else text


_LINKS = ("__cause__", "__context__")
_CHAIN = 30  # exceptions, one the cause or context of the other, that cross with the first
_open: list[BaseException] = []
"""Those that are being written."""
_MEMBERS: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (OSError, ("filename", "filename2")),
    (ImportError, ("name", "path")),
    (AttributeError, ("name", "obj")),
    (NameError, ("name",)),
)
"""What exceptions of Python's own know beside their arguments."""


def _members(table: Any, error: BaseException) -> Any:
    """Return name and value of what Python keeps beside the arguments, and of notes."""
    found: list[tuple[str, Any]] = []
    for kind, names in _MEMBERS:
        if is_a(error, kind):
            values = [(name, kind.__dict__[name].__get__(error)) for name in names]
            # The candidate is not given an object of the tests that it has not seen.
            open_ = not table.remote_objects.strict
            found += [(n, v) for n, v in values if v is not None and (open_ or _plain(v))]
    notes = part_of(error, "__dict__").get("__notes__")
    if is_a(notes, list):
        found.append(("__notes__", tuple([n for n in notes if type(n) is str])))
    return tuple(found)


def _linked(table: Any, error: BaseException) -> Any:
    """Return cause, context, and whether the context is to be left out.

    Exceptions of the tests are linked to what the tests did before: the candidate is only shown
    those that it raised itself.
    """
    links = [part_of(error, name) for name in _LINKS]
    if len(_open) > _CHAIN:
        links = [None, None]
    for at, other in enumerate(links):
        if (
            other is None
            or any(one is other for one in _open)
            or (table.remote_objects.strict and "#" not in part_of(other, "__dict__"))
        ):
            links[at] = None
    suppressed = bool(BaseException.__dict__["__suppress_context__"].__get__(error))
    return (*links, suppressed) if suppressed or links != [None, None] else None


def _plain(value: Any) -> bool:
    return type(value) in (str, int, float, bool, type(None), bytes)


def read_error(remote_objects: Any, reader: Reader, text: str) -> BaseException:
    """Make the exception in this process: of the same class, or of a proxy of it."""
    number = int(text)
    if not remote_objects.table.free(number):
        raise MalformedError("a number was given out twice")
    kind = reader.part()
    args, said, own, members, linked, far = (reader.get() for _ in range(6))
    if not is_a(kind, type) or not issubclass(kind, BaseException) or type(args) is not tuple:
        kind, args = RuntimeError, (str(said),)
    error = _instance(kind, args, standing_in=not is_of_python(kind))
    if kind_of(error) is not kind and not args:
        BaseException.__dict__["args"].__set__(error, (str(said),))
    facts = part_of(error, "__dict__")
    asked = remote_objects.strict and kind_of(type(error)) is ProxyMeta  # it may change them
    for key, value in () if asked else own:
        if type(key) is str and key[:1] != "#" and not in_class(type(error), key):
            facts[key] = value
    facts.update(
        {"#": number, FAR: traceback_of(far), "#text": said if said is None else str(said)}
    )
    remote_objects.made[number] = lambda: error
    _set_members(error, members)
    if linked is not None:
        _link(error, *linked)
    facts[_RECEIVED] = _state(error)
    return error


def _set_members(error: BaseException, members: Any) -> None:
    if kind_of(members) is not tuple or any(kind_of(one) is not tuple for one in members):
        raise MalformedError("no attributes")
    for name, value in members:
        if name == "__notes__":
            part_of(error, "__dict__")[name] = [str(note) for note in value]
            continue
        for kind, names in _MEMBERS:
            if name in names and is_a(error, kind):
                kind.__dict__[name].__set__(error, value)


def _link(error: BaseException, cause: Any, context: Any, suppressed: Any) -> None:
    for name, other in zip(_LINKS, (cause, context), strict=True):
        if is_a(other, BaseException):
            BaseException.__dict__[name].__set__(error, other)
    BaseException.__dict__["__suppress_context__"].__set__(error, bool(suppressed))


def _instance(kind: Any, args: Any, *, standing_in: bool) -> BaseException:
    if not standing_in:
        try:
            error: BaseException = kind(*args)
            return error
        except Exception:  # noqa: BLE001  # a class that wants other arguments
            standing_in = True
    bare = kind.__new__ is BaseException.__new__
    try:
        error = BaseException.__new__(kind, *args) if bare else kind.__new__(kind, *args)
    except TypeError:  # compiled code alone makes them
        return _instance(kind.__base__, args, standing_in=True)
    for base in _KEEPING:
        if issubclass(kind, base):
            base.__init__(error, *args)
    BaseException.__dict__["args"].__set__(error, args)
    return error


_KEEPING: tuple[Any, ...] = (OSError, SystemExit, StopIteration)  # more than the arguments


def error_names(own: Any, special: Callable[[str, Any], Any]) -> dict[str, Any]:
    """Return what is in the body of a proxy class of exceptions.

    Its objects hold what Python keeps in an exception. All else is asked for.

    Args:
        own: The names that the remote class defines.
        special: Makes a special method.
    """
    plain = [key for key in own if key[:2] != "__" and not hasattr(BaseException, key)]
    plain += ["__init__"] if "__init__" in own else []
    return {
        **{key: Attribute(key) for key in plain},
        **{key: special(key, None) for key in own if key in _ASKED},
        "__dict__": property(_attributes),
        "__getattr__": _attribute,
        "__setattr__": _set,
        "__delattr__": _delete,
        **text_names(own="__str__" in own),
        **{name: vars(Proxy)[name] for name in ("__copy__", "__deepcopy__")},
    }


_MADE = "__init__ __new__ __str__ __reduce_ex__ __copy__ __deepcopy__ __get__ __set__ __set_name__"
_ASKED = SPECIAL.difference(_MADE.split())


def _attributes(self: Any) -> Any:
    facts = part_of(self, "__dict__")
    return facts if number_of(self) is None else link.ask("get", self, "__dict__")


def _attribute(self: Any, name: str) -> Any:
    if number_of(self) is None or (name[:2] == "__" and name[:11] != "__dataclass"):
        raise AttributeError(name)
    return link.ask("get", self, name)


def _is_kept(self: Any, name: str) -> bool:
    """Tell whether this process keeps an attribute: those of Python's own and of the verifier."""
    return number_of(self) is None or name[:2] == "__" or name[:1] == "#"


def _set(self: Any, name: str, value: Any) -> None:
    if not _is_kept(self, name):
        link.ask("set", self, name, value)
        part_of(self, "__dict__").pop(name, None)  # a copy of what it was
    if _is_kept(self, name) or hasattr(BaseException, name):
        BaseException.__setattr__(self, name, value)


def _delete(self: Any, name: str) -> None:
    if not _is_kept(self, name):
        link.ask("delete", self, name)
    part_of(self, "__dict__").pop(name, None)


def refresh(error: BaseException) -> None:
    """Ask again for what an exception was before its constructor, of the tests, had run."""
    BaseException.__dict__["args"].__set__(error, tuple(link.ask("get", error, "args")))
    part_of(error, "__dict__").pop("#text", None)

"""Encode values of classes of the standard library and of numpy by their parts."""

from __future__ import annotations

import sys

from .guard import kind_of
from .library_values import LIBRARY_FORMS
from .reader import MalformedError
from .special_methods import make_signature, signature_parts
from .type_codecs import by_name, name_in, public_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["plain", "simple"]


def plain(value: Any) -> tuple[str, Any] | None:
    """Return the name and the plain parts of a value of the standard library or of numpy."""
    kind = kind_of(value)
    module, title = (type.__dict__[n].__get__(kind) for n in ("__module__", "__qualname__"))
    name = f"{public_module(module)}.{title}"
    if module in ("numpy", "numpy.dtypes") or name in _NUMPY:
        found: tuple[str, Any] | None = _numpy(value)
        return found
    if module.startswith("pandas"):
        name = _PANDAS.get(title, "")
    title = _named(value)
    if title is not None:
        return "named", (title,)
    parts = _FORMS[name][0] if name in _FORMS else _PARTS.get(name)
    if parts is None or (name not in _FORMS and name_in(kind) is None):
        return None
    try:
        return name, parts(value)
    except TypeError:
        return None


def simple(name: str, parts: Any) -> Any:
    """Rebuild a value from its name and parts."""
    if name in _NUMPY:
        return _NUMPY[name](*parts)
    if name == "named":
        return _by_title(*parts)
    if name in _FORMS:
        return _FORMS[name][1](*parts)
    make = _MAKE.get(name)
    if make is None and name not in _PARTS:
        raise MalformedError(f"no such value: {name[:50]}")
    if make is not None:
        return make(*parts)
    module, _, kind = name.rpartition(".")
    return by_name(f"{module}:{kind}")(*parts)


def _zone(value: Any) -> Any:
    """Return a time zone that can be encoded: none, or a fixed one."""
    if value is not None and plain(value) is None:
        raise TypeError("a time zone with rules of its own")
    return value


def _datetime(value: Any) -> Any:
    date = (value.year, value.month, value.day)
    return (*date, *_clock(value))


def _clock(value: Any) -> Any:
    time = (value.hour, value.minute, value.second, value.microsecond)
    return (*time, _zone(value.tzinfo), value.fold)


def _make_time(kind: str) -> Callable[..., Any]:
    def make(*parts: Any) -> Any:
        return by_name(f"datetime:{kind}")(*parts[:-1], fold=parts[-1])

    return make


_PARTS: dict[str, Callable[[Any], Any]] = {
    "decimal.Decimal": lambda v: (str(v),),
    "fractions.Fraction": lambda v: (v.numerator, v.denominator),
    "datetime.date": lambda v: (v.year, v.month, v.day),
    "datetime.datetime": _datetime,
    "datetime.time": _clock,
    "datetime.timedelta": lambda v: (v.days, v.seconds, v.microseconds),
    "datetime.timezone": lambda v: v.__getinitargs__(),
    "zoneinfo.ZoneInfo": lambda v: (v.key,),
    "uuid.UUID": lambda v: (v.hex,),
    "pathlib.PosixPath": lambda v: (str(v),),
    "pathlib.PurePosixPath": lambda v: (str(v),),
    **dict.fromkeys(
        [f"ipaddress.IPv{n}{kind}" for n in "46" for kind in ("Address", "Network", "Interface")],
        lambda v: (str(v),),
    ),
}
_MAKE: dict[str, Callable[..., Any]] = {
    "datetime.datetime": _make_time("datetime"),
    "datetime.time": _make_time("time"),
}


_PANDAS = {
    "Timestamp": "pandas.Timestamp",
    "Timedelta": "pandas.Timedelta",
    "NaTType": "pandas.NaT",
    "NAType": "pandas.NA",
}
_TITLES = {
    "dataclasses": ("MISSING", "KW_ONLY", "_FIELD", "_FIELD_CLASSVAR", "_FIELD_INITVAR"),
    "typing": (
        *("Any", "Union", "Optional", "Literal", "ClassVar", "Final", "Callable", "NoReturn"),
        *("List", "Dict", "Set", "FrozenSet", "Tuple", "Type", "Iterable", "Iterator", "Sequence"),
        *("Mapping", "MutableMapping", "Generator", "Awaitable", "Coroutine", "AsyncIterator"),
        *("Self", "Never", "NotRequired", "Required", "Annotated", "TypeAlias", "Concatenate"),
        *("DefaultDict", "Deque", "Counter", "OrderedDict", "Collection", "Hashable", "AnyStr"),
    ),
}
"""Single objects of libraries that both sides have; none of them does anything."""


def _named(value: Any) -> str | None:
    kind = kind_of(value)
    # `typing.Union` is a class from Python 3.14 on, and so its own kind.
    module = type.__dict__["__module__"].__get__(value if kind is type else kind)
    facts = vars(sys.modules[module]) if module in _TITLES and module in sys.modules else {}
    return next((f"{module}:{n}" for n in _TITLES.get(module, ()) if facts.get(n) is value), None)


def _by_title(title: str) -> Any:
    module, _, name = title.partition(":")
    if name not in _TITLES.get(module, ()):
        raise MalformedError(f"{title[:50]} may not be named")
    return getattr(__import__(module, None, None, ["*"]), name)


_FIELD = (
    *("name", "type", "default", "default_factory", "init", "repr", "hash", "compare"),
    *("kw_only", "_field_type"),
)


def _field(value: Any) -> Any:
    return (*(getattr(value, name) for name in _FIELD), tuple(value.metadata.items()))


def _make_field(*parts: Any) -> Any:
    import dataclasses  # noqa: PLC0415

    made: Any = dataclasses.field()
    for name, part in zip(_FIELD, parts, strict=False):
        setattr(made, name, part)
    made.metadata = type(type.__dict__)(dict(parts[-1]))
    return made


def _alias(value: Any) -> Any:
    return value.__origin__, value.__args__, getattr(value, "_name", None)


def _make_alias(origin: Any, args: Any, name: Any) -> Any:
    """Make `Optional[int]`, `List[int]` or `Stack[int]` of a generic class."""
    typing: Any = __import__("typing")
    if origin is typing.Union:
        return typing.Union[args]
    if type(name) is str and name in _TITLES["typing"] and name != "Optional":
        if name == "Callable":
            return typing.Callable[list(args[:-1]), args[-1]]
        return getattr(typing, name)[args if len(args) != 1 else args[0]]
    return typing._GenericAlias(origin, args)  # noqa: SLF001


def _generic(origin: Any, args: Any) -> Any:
    kind: Any = type(list[int])
    return kind(origin, args)


def _union(*args: Any) -> Any:
    found = args[0]
    for one in args[1:]:
        found = found | one
    return found


def _trace() -> Any:
    """Make a traceback without the remote frames, which stay where they are."""
    import types  # noqa: PLC0415

    frame = sys._getframe()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    return types.TracebackType(None, frame, 0, 1)


def _make_pattern(pattern: Any, flags: int) -> Any:
    return __import__("re").compile(pattern, flags)


def _pandas() -> Any:
    return __import__("pandas")


def _moment(value: Any) -> Any:
    zone = None if value.tzinfo is None else str(value.tzinfo)
    naive = value if zone is None else value.tz_convert("UTC").tz_localize(None)
    return naive.isoformat(), value.unit, zone


def _make_moment(text: str, unit: str, zone: str | None) -> Any:
    made = _pandas().Timestamp(text).as_unit(unit)
    return made if zone is None else made.tz_localize("UTC").tz_convert(zone)


def _make_span(count: int, unit: str) -> Any:
    return _pandas().Timedelta(count, "ns").as_unit(unit)


_FORMS: dict[str, tuple[Callable[[Any], Any], Callable[..., Any]]] = {
    "dataclasses.Field": (_field, _make_field),
    "typing._GenericAlias": (_alias, _make_alias),
    "typing._UnionGenericAlias": (_alias, _make_alias),
    "typing._CallableGenericAlias": (_alias, _make_alias),
    "types.GenericAlias": (
        lambda v: (v.__origin__, v.__args__),
        _generic,
    ),
    "types.UnionType": (lambda v: v.__args__, _union),
    "typing.Union": (lambda v: v.__args__, _union),  # the same, from Python 3.14 on
    "builtins.traceback": (lambda _v: (), _trace),
    "inspect.Signature": (signature_parts, make_signature),
    "re.Pattern": (lambda v: (v.pattern, v.flags), _make_pattern),
    "pandas.Timestamp": (_moment, _make_moment),
    "pandas.Timedelta": (lambda v: (v.value, v.unit), _make_span),
    "pandas.NaT": (lambda _v: (), lambda: _pandas().NaT),
    "pandas.NA": (lambda _v: (), lambda: _pandas().NA),
    **LIBRARY_FORMS,
}
"""Of a kind of values: its parts, and how it is put together again."""


def _numpy(value: Any) -> Any:
    import numpy as np  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

    kind = kind_of(value)
    if issubclass(kind, np.generic) and value.dtype.kind in "biufcSUmM":
        return "numpy.generic", (value.dtype.str, value.tobytes())
    if kind is np.ndarray and value.dtype.kind in "biufcSUmM":
        return "numpy.ndarray", (value.dtype.str, value.shape, value.tobytes())
    if issubclass(kind, np.dtype) and value.kind in "biufcSUmMO":
        return "numpy.dtype", (value.str,)
    return None


def _array(kind: str, size: Any, data: bytes) -> Any:
    import numpy as np  # noqa: PLC0415

    return np.frombuffer(data, dtype=_dtype(kind)).reshape(size).copy()


def _dtype(kind: str) -> Any:
    import numpy as np  # noqa: PLC0415

    found = np.dtype(kind)
    if found.hasobject:
        raise MalformedError("an array of objects")
    return found


def _make_dtype(kind: str) -> Any:
    import numpy as np  # noqa: PLC0415

    return np.dtype(kind)


def _scalar(kind: str, data: bytes) -> Any:
    return _array(kind, (1,), data)[0]


_NUMPY: dict[str, Callable[..., Any]] = {
    "numpy.generic": _scalar,
    "numpy.ndarray": _array,
    "numpy.dtype": _make_dtype,
}

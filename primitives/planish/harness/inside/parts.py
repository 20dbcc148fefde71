"""Values of classes of the standard library, and of numpy, that travel in parts."""

from __future__ import annotations

from .guard import kind_of
from .kinds import by_name, name_in
from .wire import MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["plain", "simple"]


def plain(value: Any) -> tuple[str, Any] | None:
    """The name and the plain parts of a value of a class of the standard library, or of numpy."""
    kind = kind_of(value)
    module, title = (type.__dict__[n].__get__(kind) for n in ("__module__", "__qualname__"))
    name = f"{module}.{title}"
    if module == "numpy" or name in _NUMPY:
        found: tuple[str, Any] | None = _numpy(value)
        return found
    parts = _PARTS.get(name)
    if parts is None or name_in(kind) is None:
        return None
    try:
        return name, parts(value)
    except TypeError:
        return None


def simple(name: str, parts: Any) -> Any:
    """The value again."""
    if name in _NUMPY:
        return _NUMPY[name](*parts)
    make = _MAKE.get(name)
    if make is None and name not in _PARTS:
        raise MalformedError(f"no such value: {name[:50]}")
    if make is not None:
        return make(*parts)
    module, _, kind = name.rpartition(".")
    return by_name(f"{module}:{kind}")(*parts)


def _zone(value: Any) -> Any:
    """A time zone that travels: none, or a fixed one."""
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
}
_MAKE: dict[str, Callable[..., Any]] = {
    "datetime.datetime": _make_time("datetime"),
    "datetime.time": _make_time("time"),
}


def _numpy(value: Any) -> Any:
    import numpy as np  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

    kind = kind_of(value)
    if issubclass(kind, np.generic) and value.dtype.kind in "biufcSUmM":
        return "numpy.generic", (value.dtype.str, value.tobytes())
    if kind is np.ndarray and value.dtype.kind in "biufcSUmM":
        return "numpy.ndarray", (value.dtype.str, value.shape, value.tobytes())
    if kind.__module__ == "numpy" and issubclass(kind, np.dtype):
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


def _scalar(kind: str, data: bytes) -> Any:
    return _array(kind, (1,), data)[0]


_NUMPY: dict[str, Callable[..., Any]] = {
    "numpy.generic": _scalar,
    "numpy.ndarray": _array,
    "numpy.dtype": _dtype,
}

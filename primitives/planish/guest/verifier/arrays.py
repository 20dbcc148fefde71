"""Copy numpy arrays to both sides; changes made in place on one side reach the other."""

from __future__ import annotations

import sys

from .guard import kind_of
from .reader import MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["content", "fill", "form", "fresh", "is_array", "same"]

_KINDS = "biufcSUmMO"
_LARGEST = 1 << 30  # bytes


def is_array(value: Any) -> bool:
    """Tell whether a value is a plain array whose elements can be sent."""
    numpy = sys.modules.get("numpy")
    array = getattr(numpy, "ndarray", None)
    return array is not None and kind_of(value) is array and value.dtype.kind in _KINDS


def form(value: Any) -> str:
    """Return what a fresh array is made of: "ndarray:<f8:2,3"."""
    return f"ndarray:{value.dtype.str}:{','.join(map(str, value.shape))}"


def fresh(rest: str) -> Any:
    """Make an array of a form, not yet filled."""
    import numpy as np  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

    kind, _, size = rest.rpartition(":")
    dtype = np.dtype(kind)
    shape = tuple(map(int, size.split(","))) if size else ()
    total = dtype.itemsize
    for one in shape:
        total *= one
    if dtype.kind not in _KINDS or total > _LARGEST:
        raise MalformedError("no array that could cross")
    return np.zeros(shape, dtype)


def content(value: Any) -> Any:
    """Return the elements of an array of objects, or the bytes of any other array."""
    return tuple(value.ravel().tolist()) if value.dtype.hasobject else value.tobytes()


def same(value: Any, known: Any) -> bool:
    """Tell whether an array's content is unchanged."""
    if not value.dtype.hasobject:
        return bool(value.tobytes() == known)
    now = content(value)
    pairs = zip(now, known, strict=False)
    return len(now) == len(known) and all(one is other for one, other in pairs)


def fill(value: Any, items: Any) -> None:
    """Put these elements into an array."""
    import numpy as np  # noqa: PLC0415

    if value.dtype.hasobject:
        if len(items) == value.size:
            flat = np.empty(len(items), dtype=object)
            for at, item in enumerate(items):
                flat[at] = item
            value[...] = flat.reshape(value.shape)
    elif len(items) == value.nbytes:
        value[...] = np.frombuffer(items, dtype=value.dtype).reshape(value.shape)

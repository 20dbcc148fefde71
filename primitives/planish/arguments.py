"""Check the arguments of constructors, so that a wrong call fails where it is written."""

import os
import posixpath
import re
from collections.abc import Collection, Mapping
from keyword import iskeyword
from math import isnan
from numbers import Integral, Real
from typing import Any, cast

__all__ = [
    "MOST_SAMPLES",
    "PATH_EXAMPLE",
    "escape_fault",
    "is_callable_name",
    "is_number",
    "path_fault",
    "require_choice",
    "require_count",
    "require_mapping",
    "require_number",
    "require_text",
    "require_texts",
    "text_fault",
]

MOST_SAMPLES = 1_000_000
"""The most runs of one step at a time: each takes memory before the first one starts."""

_LONGEST = 80  # characters of a wrong value in a message


def require_count(
    owner: str,
    name: str,
    value: Any,
    *,
    least: int = 1,
    most: int | None = None,
    error: type[ValueError] = ValueError,
) -> None:
    """Check that an argument is a whole number. True and False are not.

    Args:
        owner: The class, for the message: "Retry".
        name: The parameter, for the message: "attempts".
        value: The argument.
        least: The least number that is allowed.
        most: The greatest number that is allowed; None (the default) for no such limit.
        error: The class of error to raise.

    Raises:
        ValueError: it is not a whole number, or out of range; of the class `error`.
    """
    is_whole = not isinstance(value, bool) and isinstance(cast("object", value), Integral)
    if not is_whole or value < least:
        raise error(f"{_call(owner, name, value)}: must be at least {least}, a whole number")
    if most is not None and value > most:
        raise error(f"{_call(owner, name, value)}: must be at most {most:,}")


def require_number(
    owner: str,
    name: str,
    value: Any,
    *,
    least: float | None = None,
    above: float | None = None,
    error: type[ValueError] = ValueError,
) -> None:
    """Check that an argument is a number. Infinity is one; NaN, True and False are not.

    Args:
        owner: The class, for the message.
        name: The parameter, for the message.
        value: The argument.
        least: The least number that is allowed; None for no such limit.
        above: A number that it must be more than; None for no such limit.
        error: The class of error to raise.

    Raises:
        ValueError: it is not a number, or out of range; of the class `error`.
    """
    if least is not None and not (is_number(value) and value >= least):
        raise error(f"{_call(owner, name, value)}: must be at least {least}, a number")
    if above is not None and not (is_number(value) and value > above):
        raise error(f"{_call(owner, name, value)}: must be more than {above}, a number")
    if not is_number(value):
        raise error(f"{_call(owner, name, value)}: must be a number")


def is_number(value: object) -> bool:
    """Return whether a value is a number: not NaN, True or False."""
    return not isinstance(value, bool) and isinstance(value, Real) and not isnan(value)


def require_text(
    owner: str, name: str, value: Any, *, error: type[ValueError] = ValueError
) -> None:
    """Check that an argument is a text.

    Args:
        owner: The class, for the message.
        name: The parameter, for the message.
        value: The argument.
        error: The class of error to raise.

    Raises:
        ValueError: it is not a text; of the class `error`. For bytes the message says how to
            make a text of them.
    """
    if not isinstance(value, str):
        advice = "; decode it first: value.decode()" if isinstance(value, bytes) else ""
        kind = type(value).__qualname__
        raise error(f"{_call(owner, name, value)}: must be a text, not {kind}{advice}")


def require_texts(
    owner: str,
    name: str,
    value: Any,
    *,
    paths: bool = False,
    error: type[ValueError] = ValueError,
) -> None:
    """Check that an argument is a tuple or another collection of texts, and not one text.

    Args:
        owner: The class, for the message.
        name: The parameter, for the message.
        value: The argument.
        paths: Whether a `Path` counts as a text.
        error: The class of error to raise.

    Raises:
        ValueError: it is not a collection, or a text, or has something else than texts; of the
            class `error`.
    """
    argument: object = value
    is_collection = isinstance(argument, Collection) and not isinstance(argument, str | bytes)
    items = cast("Collection[Any]", argument) if is_collection else (None,)
    kinds = (str, os.PathLike) if paths else (str,)
    if not all(isinstance(item, kinds) for item in items):
        raise error(f"{_call(owner, name, value)}: must be a tuple of texts")


def require_mapping(
    owner: str, name: str, value: Any, of: str, *, error: type[ValueError] = ValueError
) -> None:
    """Check that an argument is a dict or another mapping.

    Args:
        owner: The class, for the message.
        name: The parameter, for the message.
        value: The argument.
        of: What it maps, for the message: "texts by path".
        error: The class of error to raise.

    Raises:
        ValueError: it is not a mapping; of the class `error`.
    """
    if not isinstance(value, Mapping):
        raise error(f"{_call(owner, name, value)}: must be a dict of {of}")


def require_choice(
    owner: str,
    name: str,
    value: Any,
    choices: tuple[str, ...],
    *,
    error: type[ValueError] = ValueError,
) -> None:
    """Check that an argument is one of several texts.

    Args:
        owner: The class, for the message.
        name: The parameter, for the message.
        value: The argument.
        choices: The texts that are allowed.
        error: The class of error to raise.

    Raises:
        ValueError: it is not one of them; of the class `error`.
    """
    if not isinstance(value, str) or value not in choices:
        options = ", ".join(map(repr, choices))
        raise error(f"{_call(owner, name, value)}: must be one of {options}")


def _call(owner: str, name: str, value: object) -> str:
    text = repr(value)
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    return f"{owner}({name}={text})"


_CALLABLE = re.compile(r"([^\W\d]\w*(\(\))?\.)*[^\W\d]\w*")


def is_callable_name(name: str) -> bool:
    """Return whether code can define what a name means: "f", "Class.method", "Class().method"."""
    parts = name.replace("()", "").split(".")
    return _CALLABLE.fullmatch(name) is not None and not any(map(iskeyword, parts))


PATH_EXAMPLE = "use a path like 'pkg/data.json', relative to the working directory"
"""Advice at the end of messages about a wrong path."""

_NAME_MAX = 255  # bytes of one part of a path, on every common file system
_PATH_MAX = 1000  # bytes of a path: macOS takes 1,024 with the zero byte, Linux 4,096


def path_fault(path: str) -> str | None:
    """Return what makes a text no valid path of a file in the working directory, else None."""
    fault = text_fault(path)
    if fault is not None:
        return fault
    fault = escape_fault(path)
    if fault is not None:
        return fault
    if path in ("", ".") or posixpath.normpath(path) != path:
        return "is not a plain path to a file"
    if max(len(os.fsencode(part)) for part in path.split("/")) > _NAME_MAX:
        return f"has a part of more than {_NAME_MAX} bytes"
    if len(os.fsencode(path)) > _PATH_MAX:
        return f"is longer than {_PATH_MAX} bytes"
    return None


def escape_fault(path: str) -> str | None:
    """Return why a path does not lead to a file below the folder it is relative to, else None."""
    if path.startswith("/"):
        return "is absolute"
    if ".." in path.split("/"):
        return "leads out of the working directory"
    return None if path and "\0" not in path else "is not a plain path to a file"


def text_fault(text: str) -> str | None:
    """Return what makes a text unusable as a file name or argument of a process, else None."""
    try:
        usable = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        usable = False
    return None if usable else "has a NUL or lone surrogate, which the system cannot take"

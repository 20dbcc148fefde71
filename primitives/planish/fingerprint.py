"""Compute a digest of any configuration that is equal in every process and version of Python."""

import inspect
import json
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from hashlib import blake2b
from pathlib import PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

__all__ = ["fingerprint_of"]


def fingerprint_of(value: object) -> str:
    """Return 32 hexadecimal digits that are equal for equal configurations.

    Args:
        value: A value, or an object that has its options in a method `config()`, as primitives,
            models and sandboxes have. Options that equal their default count as not passed. A
            function counts by its name, its source text, its defaults and what it refers to
            outside of it as a closure. An object of a class of yours counts by the name and the
            source text of the class, and of those that it derives from, and its options.

    Raises:
        TypeError: an object in it has no `config()` and is no value; the message names it.
    """
    text = json.dumps(_form(value, ()), separators=(",", ":"), ensure_ascii=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


_KNOWN_PACKAGES = ("planish", "planish_integrations")

_Around = tuple[object, ...]
"""The objects that a value is part of, for those that refer to themselves."""


def _form(value: Any, around: _Around) -> Any:
    """Return JSON values that are equal for equal configurations."""
    simple = _form_of_value(value)
    if simple is not None:
        return simple
    for level, outer in enumerate(around):
        if outer is value:
            return ["around", level]
    around = (*around, value)
    kind = cast("Any", type(value))
    if issubclass(kind, Mapping):
        parts = [[_form(name, around), _form(item, around)] for name, item in value.items()]
        return ["mapping", sorted(parts, key=repr)]
    if issubclass(kind, list | tuple):
        return ["sequence", *(_form(item, around) for item in value)]
    if issubclass(kind, AbstractSet):
        return ["set", *sorted((_form(item, around) for item in value), key=repr)]
    if callable(value) and not hasattr(kind, "config"):
        found = _form_of_function(value, around)
        if found is not None:
            return found
    return _form_of_object(value, around)


def _form_of_value(value: Any) -> Any:
    """Return the form of a value that has no parts; None if it has."""
    match value:
        case Enum():
            return ["enum", _name(type(value)), value.name]
        case None | bool() | str():
            return ["value", value] if not isinstance(value, str) else ["text", str(value)]
        case int():
            return ["number", str(int(value))]
        case float():
            # 2 and 2.0 are equal arguments.
            return ["number", str(int(value)) if value.is_integer() else value.hex()]
        case bytes() | bytearray():
            return ["bytes", value.hex()]
        case PurePath():
            return ["path", value.as_posix()]
        case type():
            return ["class", _name(value)]
        case ModuleType():
            return ["module", value.__name__]
        case _:
            return None


def _form_of_function(value: Any, around: _Around) -> Any:
    kind = cast("Any", type(value))
    if issubclass(kind, partial):
        parts = (value.func, value.args, value.keywords)
        return ["partial", *(_form(part, around) for part in parts)]
    if isinstance(value, MethodType):
        return ["method", _form(value.__func__, around), _form(value.__self__, around)]
    if isinstance(value, BuiltinFunctionType):
        return ["builtin", str(value.__module__), value.__qualname__]
    if not isinstance(value, FunctionType):
        return None
    closure = [cell.cell_contents for cell in value.__closure__ or ()]
    outside = [value.__defaults__, value.__kwdefaults__, closure]
    return ["function", _name(value), _source(value), _form(outside, around)]


def _source(function: FunctionType) -> Any:
    """Return what tells the code of a function from that of others.

    Its source text without indentation, and where its body ends in it, because several lambdas
    may share a line. Without a source, its bytecode, which differs between versions of Python.
    """
    code = function.__code__
    try:
        text = textwrap.dedent(inspect.getsource(function)).strip()
    except (OSError, TypeError):
        return _bytecode(code)
    if code.co_name != "<lambda>":
        return text
    ends = [(line, column) for _, line, _, column in code.co_positions() if line and column]
    line, column = max(ends, default=(code.co_firstlineno, 0))
    return [text, line - code.co_firstlineno, column]


def _bytecode(code: CodeType) -> list[Any]:
    inner = [_bytecode(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return [code.co_code.hex(), *code.co_names, *code.co_varnames, inner]


def _form_of_object(value: Any, around: _Around) -> Any:
    kind = cast("Any", type(value))
    config: Callable[[Any], Mapping[str, Any]] | None = getattr(kind, "config", None)
    if config is not None:
        options = {
            name: option
            for name, option in config(value).items()
            if not _is_default(kind, name, option)
        }
    elif is_dataclass(kind):
        options = {field.name: getattr(value, field.name) for field in fields(kind)}
    elif kind.__module__ == "builtins" or getattr(value, "__dict__", None) or _has_slots(kind):
        raise _no_fingerprint(value)
    else:
        options = {}  # an object without state is its class
    named = sorted(options.items())
    bases = cast("Sequence[type[Any]]", type(value).__mro__)
    sources = [text for base in bases if (text := _class_source(base)) is not None]
    form = ["object", _name(kind), [[name, _form(option, around)] for name, option in named]]
    return [*form, sources] if sources else form


def _class_source(kind: type[Any]) -> str | None:
    """Return the source text of a class, without indentation; None where it does not count.

    It does not for classes of planish and of Python, nor where there is none, as in a prompt.
    """
    top = kind.__module__.partition(".")[0]
    if top in _KNOWN_PACKAGES or top in sys.stdlib_module_names:
        return None
    try:
        return textwrap.dedent(inspect.getsource(kind)).strip()
    except (OSError, TypeError):
        return None


def _no_fingerprint(value: object) -> TypeError:
    kind = type(value)
    return TypeError(
        f"a {_name(kind)} has no fingerprint: give its class a method `config()` that returns its "
        "options by name, without secrets, or make it a dataclass"
    )


def _has_slots(kind: type[Any]) -> bool:
    return any(getattr(base, "__slots__", ()) for base in kind.__mro__)


def _is_default(kind: type[Any], name: str, option: object) -> bool:
    try:
        parameter = inspect.signature(kind).parameters.get(name)
    except (TypeError, ValueError):
        return False
    if parameter is None or parameter.default is inspect.Parameter.empty:
        return False
    default: object = parameter.default
    if default is option:
        return True
    try:
        return bool(default == option) and type(default) is type(option)
    except (TypeError, ValueError):  # arrays cannot be compared
        return False


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"

"""Plain Python values as source text and back, without running the text.

Test cases hold plain Python values. They are sent between processes, and written to JSON, as
source text, which is exact for tuples, sets, bytes and floats, where JSON is not.
"""

import ast
import math
from typing import Any, cast

from planish.compiling import without_warnings

__all__ = ["AsSource", "parse_literal", "to_source"]

_SIMPLE = (bool, int, str, bytes, type(None), type(Ellipsis))
# CPython neither writes nor reads longer integers in decimal (more than 4,300 digits).
_DECIMAL_BITS = 14_000
_CALLS = {"set": set, "frozenset": frozenset, "float": float, "complex": complex}


def to_source(value: Any) -> str:
    """Return the source text of a plain value: literals, containers of them, sets, inf and nan.

    The text is the same in every process: members of sets are sorted by their text.

    Raises:
        ValueError: the value is of another type (the message names it), contains itself, or is
            nested too deeply.
    """
    try:
        return _source(value)
    except RecursionError as error:
        raise ValueError(
            f"a {type(value).__name__} that holds itself, or is nested too deeply"
        ) from error


def _source(value: Any) -> str:
    kind = type(value)  # pyright: ignore[reportUnknownVariableType]  # of Any
    if kind is int and value.bit_length() > _DECIMAL_BITS:
        return hex(value)
    if kind in _SIMPLE:
        return "..." if value is ... else repr(value)
    if kind is float:
        return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
    if kind is complex and math.isfinite(value.real) and math.isfinite(value.imag):
        # `-1j` and `(1-0j)` are other numbers than those that they are the `repr` of, by a -0.0:
        # the second up to Python 3.13. Another version may read what this one writes.
        real, imaginary = repr(value.real), repr(value.imag)
        is_other = "-0.0" in (real, imaginary) or (real == "0.0" and imaginary[0] == "-")
        return f"complex({real}, {imaginary})" if is_other else repr(value)
    if kind is list:
        return f"[{_items(value)}]"
    if kind is tuple:
        return f"({_items(value)}{',' if len(value) == 1 else ''})"
    if kind is set:
        return f"{{{_members(value)}}}" if value else "set()"
    if kind is frozenset:
        return f"frozenset({{{_members(value)}}})" if value else "frozenset()"
    if kind is dict:
        return "{" + ", ".join(f"{_source(k)}: {_source(v)}" for k, v in value.items()) + "}"
    raise ValueError(
        f"{value!r} is a {kind.__module__}.{kind.__qualname__}, not a plain value "
        "(None, bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset)"
    )


def _items(values: Any) -> str:
    return ", ".join(_source(item) for item in values)


def _members(values: Any) -> str:
    return ", ".join(sorted(_source(item) for item in values))


def parse_literal(text: str) -> Any:
    """Return the value of a text that `to_source` wrote. Nothing is executed.

    Raises:
        ValueError: the text is not such a value.
    """
    if not isinstance(cast("object", text), str):
        raise ValueError(f"a plain value is written as source text, not as {text!r:.100}")  # noqa: TRY004 - as of a wrong text
    try:
        with without_warnings():
            tree = ast.parse(text.strip(), mode="eval")
        return _value(tree.body)
    except (SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise ValueError(f"not a plain value: {text[:100]!r} ({error})") from error


def _value(node: ast.expr) -> Any:
    match node:
        case ast.List(elts=items):
            return [_value(item) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_value(item) for item in items)
        case ast.Set(elts=items):
            return {_value(item) for item in items}
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {_value(k): _value(v) for k, v in zip(keys, values, strict=True) if k}
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CALLS:
            factory: Any = _CALLS[name]
            return factory(*(_value(arg) for arg in args))
        case _:
            return ast.literal_eval(node)


class AsSource:
    """Marker of a field whose plain value is written to JSON as source text.

    Use it as `Annotated[..., AsSource()]`.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the pydantic schema: text in JSON, the value in Python."""
        from pydantic_core import core_schema  # noqa: PLC0415 - only loaded to serialise

        return core_schema.no_info_before_validator_function(
            parse_literal,
            core_schema.any_schema(),
            serialization=core_schema.plain_serializer_function_ser_schema(to_source),
        )

"""Containers that exist on both sides, and what may be named to the other one."""

import collections
import operator
import types
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from importlib import import_module
from typing import Any

import pytest

from planish.guest.verifier.reader import MalformedError
from planish.guest.verifier.type_codecs import (
    CONTAINERS,
    FIXED,
    by_name,
    content,
    fill,
    fresh,
    learn,
    name_in,
    same,
    shape,
)

learn()
MAPPING = "collections.abc:Mapping"


class Odd(list[Any]):
    def __iter__(self) -> Any:
        raise AssertionError("its own methods must not be used")

    extend = clear = __setitem__ = __iter__  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]


class Row(dict[Any, Any]):
    def items(self) -> Any:
        raise AssertionError("its own methods must not be used")

    clear = __setitem__ = items  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]


def filled() -> list[Any]:
    return [
        *([1, [2]], {"a": 1, (1,): None}, {3, 1, "b"}, bytearray(b"ab\x00")),
        *(collections.deque([1, 2], 5), collections.deque("ab")),
        *(collections.defaultdict(list, {"a": [1]}), collections.defaultdict(None, {1: 2})),
        *(collections.Counter("aab"), collections.OrderedDict([("b", 1), ("a", 2)])),
    ]


@pytest.mark.parametrize("value", filled(), ids=lambda value: type(value).__name__)
def test_a_container_is_made_again_from_form_and_content(value: Any) -> None:
    found = fresh(shape(value))
    fill(found, content(value))
    assert (type(found), found, repr(found)) == (type(value), value, repr(value))
    assert getattr(found, "maxlen", None) == getattr(value, "maxlen", None)
    assert type(found) in CONTAINERS
    fill(found, content(value))  # instead of what is there
    assert (found, repr(found)) == (value, repr(value))


@pytest.mark.parametrize("value", filled(), ids=lambda value: type(value).__name__)
def test_a_change_in_a_container_is_seen(value: Any) -> None:
    known = content(value)
    assert same(value, known)
    if hasattr(value, "add"):
        value.add(7)
    elif isinstance(value, dict):
        value["more"] = 7
    else:
        value.append(7)
    assert not same(value, known)
    known = content(value)
    value.clear()
    assert not same(value, known)


def test_an_equal_object_in_the_place_of_another_is_a_change() -> None:
    one, other = [1], [1]
    for value in ([one], {"a": one}, collections.deque([one])):
        known = content(value)
        fill(value, [*known[:-1], other])
        assert not same(value, known)
        fill(value, known)
        assert same(value, known)
    factory: Any = collections.defaultdict[str, list[int]](list)
    known = content(factory)
    factory.default_factory = set
    assert not same(factory, known)


def test_classes_of_the_code_have_no_say() -> None:
    for value, items in ((Odd([1, 2]), (1, 2)), (Row(a=1), ("a", 1))):
        assert content(value) == items
        assert same(value, items)
        fill(value, items)
        assert content(value) == items
    assert (shape(Odd()), shape(Row())) == ("list", "dict")


@pytest.mark.parametrize(
    "form", ["tuple", "object", "namedtuple:2", "UserDict", "", "OrderedDict_"]
)
def test_no_other_container_is_made(form: str) -> None:
    with pytest.raises(MalformedError, match="no container"):
        fresh(form)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *((int, 7), (float, 1.5), (complex, 1 - 2j), (str, "ab"), (bytes, b"ab")),
        *((tuple, (1, "a")), (frozenset, frozenset({1, 2}))),
    ],
)
def test_the_plain_value_of_an_object_of_a_class_of_its_own(kind: Any, value: object) -> None:
    def lie(*_args: object) -> object:
        raise AssertionError("its own methods must not be used")

    names = (
        f"__{name}__" for name in ("int", "float", "complex", "str", "iter", "getitem", "bytes")
    )
    own = type("Own", (kind,), {**dict.fromkeys(names, lie), "real": lie, "imag": lie})
    found = FIXED[kind](own(value))
    assert (type(found), found) == (kind, value)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        *((int, "builtins:int"), (ValueError, "builtins:ValueError"), (len, "builtins:len")),
        *((datetime, "datetime:datetime"), (OrderedDict, "collections:OrderedDict")),
        *((operator.add, "operator:add"), (uuid.UUID, "uuid:UUID"), (Mapping, MAPPING)),
        *((type(None), "types:NoneType"), (type(...), "types:EllipsisType")),
        (type(NotImplemented), "types:NotImplementedType"),
        *((types.FunctionType, None), (datetime.now, None), (uuid, None)),
        *((types.SimpleNamespace, None), (types.DynamicClassAttribute, None)),
    ],
)
def test_what_the_standard_library_has_is_named(value: object, name: str | None) -> None:
    assert name_in(value) == name
    assert name is None or by_name(name) is value


@pytest.mark.parametrize(
    "module",
    [
        *("builtins", "datetime", "decimal", "fractions", "collections", "enum", "uuid"),
        *("pathlib", "numbers", "collections.abc", "zoneinfo", "copyreg", "math", "operator"),
        "ipaddress",
    ],
)
def test_these_modules_may_be_named(module: str) -> None:
    space: dict[str, Any] = import_module(module).__dict__
    own = [v for v in space.values() if isinstance(v, type) or callable(v)]
    # Python 3.13 has the classes of pathlib in a module of another name.
    own = [v for v in own if getattr(v, "__module__", None) in (module, f"{module}._local")]
    assert own
    for value in own[:50]:
        assert by_name(f"{module}:{value.__qualname__}") is value
        assert name_in(value) in (f"{module}:{value.__qualname__}", None)
    assert any(name_in(value) for value in own)


class Elsewhere:
    pass


def test_what_only_says_so_is_not_named() -> None:
    liar = type("int", (), {"__module__": "builtins"})
    for value in (liar, Elsewhere, types.SimpleNamespace(__module__="builtins"), 7, "a"):
        assert name_in(value) is None
    assert name_in(type("Odd", (), {"__module__": 7})) is None
    assert name_in(types.SimpleNamespace(__module__="math", __qualname__="no.such")) is None


@pytest.mark.parametrize(
    "name", ["os:system", "types:FunctionType", "types:CodeType", "subprocess:Popen", "sys:exit"]
)
def test_nothing_else_may_be_named(name: str) -> None:
    with pytest.raises(MalformedError, match="may not be named"):
        by_name(name)

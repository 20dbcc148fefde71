"""Values print as they are written, without addresses and secrets."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planish.representation import format_call, format_value


class Plain:
    def method(self) -> None: ...


class Named:
    name = "fast"


class Numbered:
    name = 3


class Colour(Enum):
    RED = "red"


@dataclass
class Options:
    size: int = 1
    names: list[str] = field(default_factory=list[str])
    check: Callable[..., Any] | None = None
    hidden: str = field(default="", repr=False)


class Holder:
    def __repr__(self) -> str:
        return f"Holder({object.__repr__(self)}, 'https://me:word@host/x')"


def local() -> Any:
    def inner() -> None: ...

    return inner


ANY: Any = local

WRITTEN: dict[str, tuple[Any, str]] = {
    "text": ("it's", '"it\'s"'),
    "bytes": (b"a", "b'a'"),
    "number": (2.50, "2.5"),
    "none": (None, "None"),
    "function": (local, "local"),
    "local function": (local(), "inner"),
    "lambda": (lambda: 0, "<lambda>"),
    "method": (Plain().method, "Plain.method"),
    "builtin": (len, "len"),
    "class": (Plain, "Plain"),
    "partial": (functools.partial(ANY, 1, key=len), "partial(local, 1, key=len)"),
    "no repr": (Plain(), "Plain"),
    "no repr, but a name": (Named(), "Named('fast')"),
    "no repr, and a name of another kind": (Numbered(), "Numbered"),
    "enum": (Colour.RED, "Colour.RED"),
    "list": ([len, "a"], "[len, 'a']"),
    "tuple of one": ((len,), "(len,)"),
    "tuple of two": ((len, 1), "(len, 1)"),
    "empty tuple": ((), "()"),
    "dict": ({"a": len, 3: [Plain()]}, "{'a': len, 3: [Plain]}"),
    "set": ({"b", "a"}, "{'a', 'b'}"),
    "empty set": (set(), "set()"),
    "frozenset": (frozenset({len}), "frozenset({len})"),
    "empty frozenset": (frozenset(), "frozenset()"),
    "dataclass": (Options(check=len), "Options(check=len)"),
    "dataclass, unlike its factory": (Options(names=["a"]), "Options(names=['a'])"),
    "dataclass, field not shown": (Options(hidden="x"), "Options()"),
    "own repr": (Holder(), f"Holder(<{__name__}.Holder object>, 'https://***@host/x')"),
    "login in an address": ("https://me:word@host", "'https://***@host'"),
    "long text": ("a" * 201, f"'{'a' * 200}…'"),
    "text that is just short enough": ("a" * 200, f"'{'a' * 200}'"),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_value_prints_as_it_is_written(kind: str) -> None:
    value, written = WRITTEN[kind]
    assert format_value(value) == written


@given(
    st.recursive(
        st.integers() | st.text(max_size=20) | st.booleans() | st.none(),
        lambda inner: (
            st.lists(inner)
            | st.tuples(inner, inner)
            | st.dictionaries(st.text("abc"), inner)
            | st.frozensets(st.integers())
        ),
        max_leaves=8,
    )
)
def test_what_python_can_read_back_is_read_back(value: Any) -> None:
    if "://" not in repr(value):
        assert eval(format_value(value)) == value  # noqa: S307 - of literals


@pytest.mark.parametrize(
    "name", ["api_key", "apikey", "OPENAI_API_KEY", "password", "auth_token", "Authorization"]
)
def test_a_secret_is_hidden_by_its_name(name: str) -> None:
    assert format_call("f", (), {name: "canary"}) == f"f({name}='***')"
    assert format_call("f", ({name: b"canary"},)) == f"f({{'{name}': '***'}})"


@pytest.mark.parametrize("name", ["max_tokens", "key", "tokenizer", "author"])
def test_other_names_hide_nothing(name: str) -> None:
    assert format_call("f", (1,), {name: "canary"}) == f"f(1, {name}='canary')"


def test_a_secret_that_is_no_text_is_formatted() -> None:
    assert format_call("f", (), {"token": 3, "api_key": None}) == "f(token=3, api_key=None)"

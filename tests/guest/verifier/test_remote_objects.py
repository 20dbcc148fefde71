"""What one process knows of the objects of the other."""

import sys
from collections import Counter, UserDict
from collections.abc import Callable
from typing import Any

import pytest

from planish.guest.verifier import link
from planish.guest.verifier.proxy import Proxy, ProxyMeta
from planish.guest.verifier.reader import MalformedError
from planish.guest.verifier.remote_objects import RemoteObjects


def test_the_number_of_an_object_that_is_gone_says_nothing_of_the_next_one() -> None:
    objects = RemoteObjects(strict=True)
    known = (link.NAMED, link.FOREIGN, link.MODULES)
    proxy = objects._new(90_001, Proxy)  # pyright: ignore[reportPrivateUsage]
    for numbers in known:
        numbers.update((90_001, 90_003))
    try:
        assert objects.dropped() == []
        del proxy
        assert objects.dropped() == [90_001]
        assert [numbers & {90_001, 90_003} for numbers in known] == [{90_003}] * 3
    finally:
        for numbers in known:
            numbers.difference_update((90_001, 90_003))


@pytest.mark.parametrize("kind", [dict, UserDict])
def test_only_a_dict_is_the_namespace_of_a_remote_class(
    monkeypatch: pytest.MonkeyPatch, kind: Callable[..., object]
) -> None:
    def answered(*_asked: object) -> object:
        return kind(a=1)

    remote: Any = type.__new__(ProxyMeta, "Remote", (), {})
    monkeypatch.setitem(link.NUMBERS, remote, 90_001)
    monkeypatch.setitem(vars(link)["_ends"], "ask", answered)
    if kind is dict:
        assert vars(remote)["a"] == 1
    else:  # which could answer in one way now and in another later
        with pytest.raises(TypeError, match="no namespace of a class"):
            vars(remote)


def test_a_remote_class_is_not_asked_about_instances_while_a_message_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def answered(*_asked: object) -> object:
        return True

    monkeypatch.setitem(vars(link)["_ends"], "ask", answered)
    remote: Any = type.__new__(ProxyMeta, "Remote", (), {"_is_protocol": True})
    assert not isinstance(1, remote), "nothing is known of it yet"
    monkeypatch.setitem(link.NUMBERS, remote, 90_001)
    assert isinstance(1, remote)
    monkeypatch.setattr(link, "READING", [True])
    assert not isinstance(1, remote)


@pytest.mark.parametrize("name", ["unittest.__main__", "os.", "os..path", "test.support"])
def test_a_module_in_a_package_may_be_imported_if_it_is_public(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loaded in ("wsgiref.headers", name):
        monkeypatch.delitem(sys.modules, loaded, raising=False)
    assert RemoteObjects(strict=True).read_module("wsgiref.headers").Headers
    with pytest.raises(MalformedError):
        RemoteObjects(strict=True).read_module(name)


@pytest.mark.parametrize(
    "name", ["json:codecs.Codec", "collections:_sys.flags", "builtins:int.real.__class__"]
)
def test_a_class_is_named_by_the_module_that_defines_it(name: str) -> None:
    with pytest.raises(MalformedError, match="may not be named"):
        RemoteObjects(strict=True).named(name)
    assert RemoteObjects(strict=True).named("collections:Counter") is Counter

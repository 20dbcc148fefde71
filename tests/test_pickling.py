"""Every public class of configuration pickles with all of its options, or says why it does not.

The classes are found in the modules: one that is missing in the table of its kind fails a test,
and so does an option that no example of its class sets.
"""

import inspect
import pickle
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from tests.pickled.defaults import DEFAULTS
from tests.pickled.options import ALL_OPTIONS
from tests.pickled.parts import KEYS
from tests.pickled.refused import REFUSED, UNBOUND

import planish
import planish_integrations
from planish.configuration import Configured
from planish.fingerprint import fingerprint_of
from planish.runtime.primitive import Primitive
from planish_integrations.models.transport import HttpModel, Options

PROTOCOLS: Mapping[str, tuple[str, ...]] = {
    "model": ("name", "provider", "reply"),
    "sandbox": ("name", "run"),
    "store": ("get", "put", "list"),
    "clock": ("now", "sleep"),
}
"""What an object has that is configured and no `Configured`."""

ABSTRACT = {"Configured", "FanOut", "Named", "Policy", "Primitive", "Stop"}
"""Base classes, which nobody makes an object of."""


def modules() -> Iterator[Any]:
    for root in (planish, planish_integrations):
        for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            private = any(part.startswith("_") for part in found.name.split("."))
            if ".guest" not in found.name and not private:
                yield import_module(found.name)


def is_configured(kind: Any) -> bool:
    if getattr(kind, "_is_protocol", False):
        return False
    if issubclass(kind, Configured):
        return True
    return any(all(hasattr(kind, name) for name in names) for names in PROTOCOLS.values())


def public_classes() -> dict[str, type[Any]]:
    """The configured classes that a module of either root names in its `__all__`."""
    found: dict[str, type[Any]] = {}
    for module in modules():
        for name in getattr(module, "__all__", ()):
            kind: Any = getattr(module, name)
            ours = inspect.isclass(kind) and kind.__module__.startswith("planish")
            if ours and not issubclass(kind, BaseException) and is_configured(kind):
                found[name] = kind
    return {name: kind for name, kind in found.items() if name not in ABSTRACT}


def options_of(kind: type[Any]) -> set[str]:
    """The names of a constructor's parameters, those of `**options` one by one."""
    names: set[str] = set()
    for parameter in inspect.signature(kind).parameters.values():
        if parameter.kind is not parameter.VAR_KEYWORD:
            names.add(parameter.name)
        elif issubclass(kind, HttpModel):
            names |= get_type_hints(Options).keys()
    return names


def check_copy(value: Any) -> None:
    """A copy is configured alike, and no key of the environment has travelled."""
    sent = pickle.dumps(value)
    assert b"CANARY" not in sent
    copy: Any = pickle.loads(sent)  # noqa: S301 - our own
    assert type(copy) is type(value)
    assert repr(copy) == repr(value)
    assert fingerprint_of(copy) == fingerprint_of(value)
    if isinstance(value, Configured) and not isinstance(value, Primitive):
        assert copy == value
        assert hash(copy) == hash(value)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in KEYS:
        monkeypatch.setenv(name, "sk-CANARY-0123456789")


CLASSES = public_classes()


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """The name of a class, if its library is installed."""
    if request.param == "LiteLLMModel":
        pytest.importorskip("litellm")
    return str(request.param)


def test_no_class_is_forgotten() -> None:
    assert CLASSES.keys() == DEFAULTS.keys() | UNBOUND.keys()


@pytest.mark.parametrize("name", sorted(DEFAULTS), indirect=True)
def test_with_its_defaults_it_is_copied(name: str) -> None:
    check_copy(DEFAULTS[name]())


@pytest.mark.parametrize("name", sorted(ALL_OPTIONS), indirect=True)
def test_with_all_options_it_is_copied(name: str) -> None:
    for arguments in ALL_OPTIONS[name]():
        check_copy(CLASSES[name](*arguments.args, **arguments.kwargs))


@pytest.mark.parametrize("name", sorted(DEFAULTS), indirect=True)
def test_no_option_is_forgotten(name: str) -> None:
    kind = CLASSES[name]
    options = options_of(kind)
    set_: set[str] = set()
    for arguments in ALL_OPTIONS.get(name, list)():
        bound = inspect.signature(kind).bind(*arguments.args, **arguments.kwargs)
        set_ |= bound.arguments.keys() | arguments.kwargs.keys()
    refused = {option for kind_, option in REFUSED if kind_ == name}
    assert options <= set_ | refused


@pytest.mark.parametrize(("name", "option"), sorted(REFUSED), indirect=["name"])
def test_what_cannot_travel_is_refused_with_the_reason(name: str, option: str) -> None:
    build, why = REFUSED[name, option]
    with pytest.raises(TypeError, match=why) as caught:
        pickle.dumps(build())
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize("name", sorted(UNBOUND), indirect=True)
def test_what_holds_a_connection_is_refused(name: str) -> None:
    build: Callable[[], Any] = UNBOUND[name][0]
    with pytest.raises(TypeError, match=UNBOUND[name][1]):
        pickle.dumps(build())

"""The fingerprint: equal for equal specifications, different for each change."""

import json
import sys
import sysconfig
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planish_integrations.environments import EnvSpec

NAMES = st.sampled_from(["numpy", "pandas", "Pillow", "ruamel.yaml", "zope-interface", "x"])
RANGES = st.sampled_from(["", "==1.0", ">=1,<2", "~=3.1"])
TEXTS = st.lists(st.text(min_size=1, max_size=5), max_size=4)


@st.composite
def requirements(draw: st.DrawFn) -> list[str]:
    names = draw(st.lists(NAMES, unique=True))
    return [name + draw(RANGES) for name in names]


@st.composite
def specs(draw: st.DrawFn) -> EnvSpec:
    return EnvSpec(
        python=draw(st.sampled_from(["3.11.7", "3.13.0"])),
        requirements=tuple(draw(requirements())),
        constraints=tuple(draw(requirements())),
        system_packages=tuple(draw(TEXTS)),
        commands=tuple(draw(TEXTS)),
        env=tuple(draw(TEXTS)),
        base_image=draw(st.none() | st.text(max_size=5)),
        wheels_only=draw(st.booleans()),
    )


@given(specs(), st.randoms())
def test_the_order_and_spelling_of_sets_do_not_matter(spec: EnvSpec, random: Any) -> None:
    mixed: dict[str, tuple[str, ...]] = {}
    for name in ("requirements", "constraints", "system_packages", "env"):
        values = list(getattr(spec, name))
        random.shuffle(values)
        mixed[name] = tuple(values)
    shouted = tuple(one.upper().replace("-", "_") for one in mixed["requirements"])
    for other in (replace(spec, **mixed), replace(spec, requirements=shouted)):  # type: ignore[arg-type]
        assert other == spec
        assert other.fingerprint == spec.fingerprint


@given(specs(), specs())
def test_equal_fingerprints_mean_equal_specifications(one: EnvSpec, other: EnvSpec) -> None:
    assert (one.fingerprint == other.fingerprint) == (one == other)


@given(specs())
def test_it_travels_as_json(spec: EnvSpec) -> None:
    assert EnvSpec.from_json(spec.to_json()) == spec
    assert EnvSpec.from_json(spec.to_json(indent=2).encode()).fingerprint == spec.fingerprint


def test_without_values_it_describes_this_interpreter() -> None:
    spec = EnvSpec()
    assert (spec.language, spec.implementation) == ("python", sys.implementation.name)
    assert spec.python == ".".join(map(str, sys.version_info[:3]))
    assert spec.platform == sysconfig.get_platform()
    assert spec.abi.startswith(sys.implementation.cache_tag)
    assert (spec.base_image, spec.wheels_only) == (None, True)
    assert json.loads(spec.to_json()) == json.loads(spec.to_json(indent=1))
    assert spec.to_json(indent=1).startswith('{\n "abi": ')
    assert "\n" not in spec.to_json()
    assert " " not in spec.to_json()


@pytest.mark.parametrize("name", [one.name for one in fields(EnvSpec)])
def test_each_field_changes_the_fingerprint(name: str) -> None:
    spec = EnvSpec()
    value: object = getattr(spec, name)
    others: dict[type, Any] = {bool: not value, tuple: ("other",), str: f"{value}x"}
    other = others.get(type(value), "something")
    assert replace(spec, **{name: other}).fingerprint != spec.fingerprint


def test_the_order_of_commands_matters() -> None:
    one, other = EnvSpec(commands=("a", "b")), EnvSpec(commands=("b", "a"))
    assert one.fingerprint != other.fingerprint


def test_nothing_is_added_to_what_is_asked_for() -> None:
    spec = EnvSpec(requirements=("numpy",), system_packages=("libgl1",))
    assert (spec.requirements, spec.system_packages, spec.commands) == (("numpy",), ("libgl1",), ())


@pytest.mark.parametrize(
    ("field", "value", "error", "words"),
    [
        ("requirements", ("numpy >> 2",), ValueError, "not a requirement"),
        ("requirements", ("a @ https://host/a.whl",), ValueError, "find_links"),
        ("requirements", ("a; python_version>'3'",), ValueError, "marker"),
        ("requirements", ("a>1", "A<3"), ValueError, "twice"),
        ("requirements", ("-r file",), ValueError, "not a requirement"),
        ("requirements", "numpy", ValueError, "must be a tuple of texts"),
        ("system_packages", "gcc", ValueError, "must be a tuple of texts"),
    ],
)
def test_nonsense_is_refused(field: str, value: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        EnvSpec(**{field: value})


@pytest.mark.parametrize("text", ["[]", "null", "{", '{"pyton": "3"}', '{"commands": "x"}'])
def test_text_that_is_no_specification_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not an EnvSpec|Expecting"):
        EnvSpec.from_json(text)

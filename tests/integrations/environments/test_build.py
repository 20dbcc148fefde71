"""An environment that is asked for explicitly: exactly that one, or an error that names what."""

from pathlib import Path
from typing import Any

import pytest
from tests.integrations.environments.programs import Make, ready, untouched

from planish.errors import UnsupportedError
from planish_integrations.environments import EnvSpec

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """One event loop: the concurrency has a file of its own."""
    return "trio"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"requirements": ("leftpad",)}, "leftpad is not allowed here; allowed: plain"),
        ({"requirements": ("plain==3.0",)}, "plain==3.0 is not allowed, but plain<3"),
        ({"system_packages": ("gcc",)}, r"'gcc'.*Python packages only; use a container"),
        ({"commands": ("make",)}, "use a container"),
        ({"base_image": "debian"}, "use a container"),
        ({"python": "2.7"}, "this interpreter is"),
        ({"platform": "win-amd64"}, "run planish on such an interpreter, or use a container"),
        ({"language": "node"}, "use a container"),
    ],
)
async def test_what_may_or_can_not_be_here_is_refused_before_anything(
    make: Make, cache: Path, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(UnsupportedError, match=words):
        await make("plain<3").build(EnvSpec(**fields))
    assert untouched(cache)


async def test_it_is_the_same_as_a_program_gets(make: Make, cache: Path) -> None:
    environments = make("plain<2", "PyYAML")
    built = await environments.build(EnvSpec(requirements=("plain",)))
    assert built.path is not None
    assert [one.version for one in built.installs] == ["1.0"]
    assert built.fingerprint == environments.spec("plain").fingerprint
    assert ready(cache) == [built.fingerprint]
    assert built.spec.requirements == ("plain<2",)
    nothing = await environments.build(EnvSpec())
    assert (nothing.path, nothing.installs) == (None, ())


async def test_a_package_that_is_not_there_is_named(make: Make, cache: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"'never' cannot be installed: it is not in the"):
        await make("plain", "never").build(EnvSpec(requirements=("plain", "never")))
    assert ready(cache) == []  # never another environment than the one that was asked for


async def test_a_replacement_is_asked_for_so_often_and_no_more(make: Make, cache: Path) -> None:
    calls: list[tuple[str, str]] = []

    async def same_again(requirement: str, why: str) -> str | None:
        calls.append((requirement, why))
        return "leftpad" if len(calls) == 1 else requirement

    with pytest.raises(UnsupportedError, match="'never' cannot be installed"):
        await make("never").build(EnvSpec(requirements=("never",)), find_replacement=same_again)
    assert [requirement for requirement, _ in calls] == ["never"] * 3
    assert "not in the index" in calls[0][1]
    assert "leftpad is not allowed" in calls[1][1]
    assert ready(cache) == []


async def test_a_good_replacement_is_taken(make: Make) -> None:
    async def better(requirement: str, why: str) -> str | None:
        return {"never": "plain==1.0"}.get(requirement)

    environments = make("never", "plain", "PyYAML")
    spec = EnvSpec(requirements=("never", "PyYAML"))
    built = await environments.build(spec, find_replacement=better)
    assert built.spec.requirements == ("plain==1.0", "pyyaml")


async def test_after_none_no_further_replacement_is_requested(make: Make) -> None:
    calls: list[str] = []

    async def nothing(requirement: str, why: str) -> str | None:
        calls.append(requirement)
        return None

    with pytest.raises(UnsupportedError, match="never"):
        await make("never").build(EnvSpec(requirements=("never",)), find_replacement=nothing)
    assert calls == ["never"]

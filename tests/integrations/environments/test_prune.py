"""What has not been used for long goes, what is in use stays."""

import os
import time
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from tests.integrations.environments.programs import Make, half_made, program, ready

from planish.errors import SandboxLostError

pytestmark = pytest.mark.anyio

PLAIN = program("import plain")


@pytest.fixture
def anyio_backend() -> str:
    """One event loop: files are removed in a thread."""
    return "asyncio"


def age(cache: Path, fingerprint: str, days: float) -> None:
    then = time.time() - days * 24 * 60 * 60
    os.utime(cache / "ready" / fingerprint / "environment.json", (then, then))


async def test_what_was_not_used_for_long_is_removed(make: Make, cache: Path) -> None:
    environments = make("plain", "PyYAML")
    old = await environments.resolve(PLAIN)
    used = await environments.resolve(program("import yaml"))
    age(cache, used.fingerprint, 31)
    await environments.resolve(program("import yaml"))  # which is a use of it
    age(cache, old.fingerprint, 29.99)
    assert await environments.prune(keep_days=30) == ()
    age(cache, old.fingerprint, 30.01)
    assert await environments.prune(keep_days=30) == (old.fingerprint,)
    assert ready(cache) == [used.fingerprint]
    assert half_made(cache) == []
    with pytest.raises(SandboxLostError, match="resolve again"), old.lease():
        pytest.fail("it is gone")
    assert (await environments.resolve(PLAIN)).path == old.path


async def test_what_is_in_use_stays(make: Make, cache: Path) -> None:
    environments, others = make("plain"), make("plain")  # as another process would have
    async with environments.using(PLAIN) as one, environments.using(PLAIN) as same:
        assert one.path == same.path
        assert await others.prune(keep_days=0) == ()
        assert await environments.prune(keep_days=0) == ()
    with one.lease():
        assert await others.prune(keep_days=0) == ()
    assert await others.prune(keep_days=0) == (one.fingerprint,)
    assert ready(cache) == []


async def test_what_a_killed_builder_left_is_removed(make: Make, cache: Path) -> None:
    environments = make("plain")
    found = await environments.resolve(PLAIN)
    left = cache / "building" / f"{'0' * 64}-abcdefgh"
    (left / "site").mkdir(parents=True)
    assert await environments.prune() == ()
    assert half_made(cache) == []
    assert ready(cache) == [found.fingerprint]


async def test_using_resolves_again_when_it_was_pruned_in_between(make: Make) -> None:
    environments, others = make("plain"), make("plain")
    async with anyio.create_task_group() as group:

        async def prune() -> None:
            for _ in range(20):
                await others.prune(keep_days=0)
                await anyio.lowlevel.checkpoint()

        group.start_soon(prune)
        for _ in range(3):
            async with environments.using(PLAIN) as environment:
                assert environment.path is not None
                assert (environment.path / "plain.py").exists()
    assert await make().prune() == ()


async def test_what_needs_nothing_can_be_held_too(make: Make) -> None:
    async with make().using(program("x = 1")) as environment:
        assert environment.path is None

"""How long E2B is waited for, and the search for sandboxes that were made without an answer."""

import time
from types import SimpleNamespace
from typing import Any

import anyio
import anyio.to_thread
import pytest
from tests.integrations.sandboxes.e2b.support import connected, python, until

from planish_integrations.sandboxes.e2b import _handle
from planish_integrations.sandboxes.e2b._errors import BusyError
from planish_integrations.testing.e2b import LoopbackE2B

PASS = python("pass")


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self.calls = 0
        monkeypatch.setattr(_handle, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(_handle, "anyio", SimpleNamespace(sleep=self.sleep))

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    async def busy(self) -> int:
        """Answer at the twelfth call."""
        self.calls += 1
        if self.calls < 12:
            raise BusyError("later")
        return 7


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Time for the module that waits."""
    return Clock(monkeypatch)


WAITS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0, 10.0, 10.0]


@pytest.mark.anyio
async def test_waits_double_up_to_ten_seconds(clock: Clock) -> None:
    waited: list[float] = []
    assert await _handle.retry_while_busy(100.0, clock.busy, waited.append) == 7
    assert clock.slept == waited == pytest.approx(WAITS)


@pytest.mark.anyio
@pytest.mark.parametrize(("patience", "calls"), [(0.05, 1), (0.69, 3), (0.71, 4), (12.7, 8)])
async def test_what_would_be_too_late_is_not_waited_for(
    clock: Clock, patience: float, calls: int
) -> None:
    with pytest.raises(BusyError, match="later"):
        await _handle.retry_while_busy(patience, clock.busy)
    assert clock.calls == calls
    assert clock.slept == pytest.approx(WAITS[: calls - 1])


@pytest.mark.anyio
async def test_what_was_made_without_an_answer_is_killed_at_the_end(
    server: LoopbackE2B, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_of_sandboxes: Any = pytest.importorskip("e2b_code_interpreter").AsyncSandbox
    whole = class_of_sandboxes.list

    def in_pages(**options: Any) -> Any:
        return whole(limit=2, **options)

    monkeypatch.setattr(class_of_sandboxes, "list", in_pages)
    server.fail("create", 503)  # so that it cannot know what E2B has made
    async with connected(server, options={"retries": 0}) as sandbox:
        await sandbox.run(PASS)
        mine = {"metadata": server.creations[0]["metadata"]}
        for _ in range(5):
            await anyio.to_thread.run_sync(_made, server.options | mine)
        other = await anyio.to_thread.run_sync(_made, server.options)
    assert server.sandboxes == (other.sandbox_id,), "those of other programs stay"
    assert server.calls["list"] > 1, "over several pages"
    await anyio.to_thread.run_sync(other.kill)


@pytest.mark.anyio
async def test_without_a_failure_nothing_is_searched_for(server: LoopbackE2B) -> None:
    async with connected(server) as sandbox:
        await sandbox.run(PASS)
    assert "list" not in server.calls


@pytest.mark.anyio
async def test_a_search_that_fails_is_no_error(server: LoopbackE2B) -> None:
    server.fail("create", 503)
    server.fail("list", 500, times=100)
    async with connected(server, options={"retries": 0}) as sandbox:
        assert (await sandbox.run(PASS)).ok
    assert server.calls["list"] == 1


def _made(options: dict[str, Any]) -> Any:
    return pytest.importorskip("e2b_code_interpreter").Sandbox.create(**{"timeout": 120, **options})


@pytest.mark.anyio
async def test_a_block_ends_at_once_while_e2b_is_busy(server: LoopbackE2B) -> None:
    server.fail("create", 503, times=100_000)
    async with connected(server, warm=1, options={"retries": 0}):
        await until(lambda: server.calls.get("create"), "none is asked for")
        begun = time.monotonic()
    assert time.monotonic() - begun < 10  # its patience is 20 seconds
    assert not server.creations


@pytest.mark.anyio
async def test_a_warm_sandbox_that_is_about_to_die_is_replaced(
    server: LoopbackE2B, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = time.monotonic()
    async with connected(server, warm=1, lifetime=100):
        await until(lambda: len(server.sandboxes) == 1, "none is made")
        (first,) = server.sandboxes
        # It has 30 seconds left, and those that it took to make it; it is let go with 35.
        late = SimpleNamespace(monotonic=lambda: begun + 70)
        monkeypatch.setattr(_handle, "time", late)
        await until(lambda: server.sandboxes and first not in server.sandboxes, "it lives on")
    assert len(server.creations) >= 2


@pytest.mark.anyio
async def test_a_pool_tells_its_sandboxes_apart_from_others(server: LoopbackE2B) -> None:
    for number in range(2):
        async with connected(server, template="own", env={"A": str(number)}) as sandbox:
            await sandbox.run(PASS)
    names = [one["metadata"]["planish"] for one in server.creations]
    assert len({*names}) == 2
    assert all(len(name) == 32 for name in names)
    assert [one["templateID"] for one in server.creations] == ["own", "own"]
    assert [one.get("envVars") for one in server.creations] == [{}, {}]  # E2B would paste them

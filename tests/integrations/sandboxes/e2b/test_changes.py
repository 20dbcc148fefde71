"""What becomes of each sandbox is an event: in order, and as often as E2B's server saw it."""

import random
import re
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from tests.integrations.sandboxes.e2b.support import connected, lose, python, states, until

from planish import Candidate, CodeExecution, Task
from planish.errors import RequestError, SandboxError, SandboxLostError
from planish.events import Event, SandboxChanged, listen
from planish.testing.telemetry import capture
from planish_integrations.e2b import E2BSandbox, Plan
from planish_integrations.testing.e2b import LoopbackE2B

pytestmark = [pytest.mark.anyio, pytest.mark.both_loops]

PASS = python("pass")
SLEEP = python("import time; time.sleep(60)")
ONE = Plan(concurrency=1, rate=1000.0, patience=20.0)


def by_sandbox(heard: list[Event]) -> list[list[str]]:
    """The states of each sandbox, in the order of their first."""
    found: dict[str, list[str]] = {}
    for event in heard:
        if isinstance(event, SandboxChanged):
            found.setdefault(event.sandbox_id, []).append(event.state)
    return [*found.values()]


async def test_a_run_of_its_own_sandbox_creates_and_kills_it(server: LoopbackE2B) -> None:
    heard: list[Event] = []
    task = Task("Double a number.", tests="assert double(2) == 4")
    run = CodeExecution(connected(server))
    with capture() as captured:
        async with listen(heard.append):
            await run.run(Candidate(task=task, code="def double(n): return 2 * n"))
    kinds = [event.kind for event in heard]
    assert kinds[1:5] == [
        "sandbox_run_started",
        "sandbox_changed",
        "sandbox_changed",
        "sandbox_run_ended",
    ]
    changes = [event for event in heard if isinstance(event, SandboxChanged)]
    assert [change.state for change in changes] == ["created", "killed"]
    assert (server.calls["create"], server.calls["kill"]) == (1, 1)
    (tool,) = captured.by_name("execute_tool e2b")
    sandbox_id = (tool.attributes or {})["planish.sandbox.id"]
    for change in changes:
        assert (change.sandbox, change.sandbox_id) == ("e2b", sandbox_id)
        assert (change.run_id, change.path) == (heard[0].run_id, heard[1].path)
        assert change.duration is not None
        assert 0 < change.duration < 60
        assert SandboxChanged.from_json(change.to_json()) == change
    on_span = [dict(event.attributes or {}) for event in tool.events]
    assert [one["planish.sandbox.state"] for one in on_span] == ["created", "killed"]
    assert [one["planish.sandbox.duration"] for one in on_span] == [c.duration for c in changes]


async def test_without_a_listener_a_run_is_as_before(server: LoopbackE2B) -> None:
    assert (await connected(server).run(PASS)).ok


async def test_runs_of_one_branch_share_a_sandbox(server: LoopbackE2B) -> None:
    heard: list[Event] = []
    async with listen(heard.append), connected(server) as sandbox:
        await sandbox.run(PASS)
        assert states(heard) == ["created", "released"]
        await sandbox.run(PASS)
        assert states(heard) == ["created", "released", "reused", "released"]
    assert by_sandbox(heard) == [["created", "released", "reused", "released", "killed"]]
    assert (server.calls["create"], server.calls["kill"]) == (1, 1)
    durations = [event.duration for event in heard if isinstance(event, SandboxChanged)]
    assert [one is not None for one in durations] == [True, False, False, False, True]


async def test_a_listener_inside_the_block_receives_what_its_runs_wait_for(
    server: LoopbackE2B,
) -> None:
    outer: list[Event] = []
    inner: list[Event] = []
    async with listen(outer.append), connected(server, fresh="sandbox") as sandbox:
        async with listen(inner.append):
            await sandbox.run(PASS)
        await until(lambda: not server.sandboxes, "it lives on")
    assert states(inner) == ["created"]
    assert states(outer) == ["created", "killed"]


async def test_a_sandbox_makes_room_for_that_of_another_branch(server: LoopbackE2B) -> None:
    heard: list[Event] = []
    async with listen(heard.append), connected(server, plan=ONE) as sandbox:
        await sandbox.run(PASS)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sandbox.run, PASS)
    assert states(heard) == ["created", "released", "killed", "created", "released", "killed"]
    assert [len(one) for one in by_sandbox(heard)] == [3, 3]


async def test_a_warm_sandbox_is_reused_though_nothing_ran_in_it(server: LoopbackE2B) -> None:
    heard: list[Event] = []
    async with listen(heard.append), connected(server, warm=1, plan=ONE) as sandbox:
        await until(lambda: states(heard) == ["created"], "none is made")
        await sandbox.run(PASS)
    assert states(heard) == ["created", "reused", "released", "killed"]
    assert (server.calls["create"], server.calls["kill"]) == (1, 1)


@pytest.mark.parametrize("entered", [False, True])
async def test_a_cancelled_run_kills_its_sandbox(server: LoopbackE2B, *, entered: bool) -> None:
    heard: list[Event] = []

    async def cancel(run: Callable[[Any], Any]) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, SLEEP)
            await until(lambda: server.calls.get("command"), "no program runs")
            tasks.cancel_scope.cancel()
        assert states(heard) == ["created", "killed"]

    async with listen(heard.append):
        if entered:
            async with connected(server) as sandbox:
                await cancel(sandbox.run)
        else:
            await cancel(connected(server).run)
    assert states(heard) == ["created", "killed"]
    assert (server.calls["create"], server.calls["kill"]) == (1, 1)


@pytest.mark.parametrize("entered", [False, True])
async def test_a_sandbox_that_is_created_too_late_is_the_pools(
    server: LoopbackE2B, *, entered: bool
) -> None:
    heard: list[Event] = []
    of_the_run: list[Event] = []
    server.delay("create", 0.5)

    async def cancel(sandbox: E2BSandbox) -> None:
        async with anyio.create_task_group() as tasks, listen(of_the_run.append):
            tasks.start_soon(sandbox.run, PASS)
            await until(lambda: server.calls.get("create"), "none is requested")
            tasks.cancel_scope.cancel()

    async with listen(heard.append):
        if entered:
            async with connected(server) as sandbox:
                await cancel(sandbox)
        else:
            await cancel(connected(server))
    assert states(heard) == ["created", "killed"]
    assert states(of_the_run) == ([] if entered else ["created", "killed"])
    assert (server.calls["create"], server.calls["kill"]) == (1, 1)


async def test_a_sandbox_that_is_gone_is_lost_and_replaced(server: LoopbackE2B) -> None:
    heard: list[Event] = []
    async with listen(heard.append), connected(server, retries=0) as sandbox:
        await sandbox.run(PASS)
        await lose(server)  # while it waits
        assert (await sandbox.run(PASS)).ok
    assert by_sandbox(heard) == [
        ["created", "released", "reused", "lost"],
        ["created", "released", "killed"],
    ]
    assert server.calls["create"] == 2


async def test_a_sandbox_that_is_lost_under_its_program(server: LoopbackE2B) -> None:
    heard: list[Event] = []

    async def run(sandbox: E2BSandbox) -> None:
        with pytest.raises(SandboxLostError):
            await sandbox.run(SLEEP)

    async with listen(heard.append), anyio.create_task_group() as tasks:
        tasks.start_soon(run, connected(server, retries=0))
        await until(lambda: server.calls.get("command"), "no program runs")
        await lose(server)
    assert states(heard) == ["created", "lost"]


async def test_one_that_waits_and_is_gone_at_the_end_is_lost(server: LoopbackE2B) -> None:
    heard: list[Event] = []
    async with listen(heard.append), connected(server) as sandbox:
        await sandbox.run(PASS)
        await lose(server)
    assert states(heard) == ["created", "released", "lost"]


async def test_one_whose_end_was_not_confirmed_is_lost_until_it_is_found(
    server: LoopbackE2B,
) -> None:
    heard: list[Event] = []
    async with listen(heard.append), connected(server) as sandbox:
        await sandbox.run(PASS)
        server.fail("kill", 409)
    assert states(heard) == ["created", "released", "lost"]
    await lose(server)
    server.fail("create", 400)  # from now on, what was created is not known
    async with listen(heard.append), connected(server) as sandbox:
        with pytest.raises(RequestError):
            await sandbox.run(PASS)
        await sandbox.run(PASS)
        server.fail("kill", 409)
    assert states(heard)[3:] == ["created", "released", "lost", "killed"]


async def test_a_session_has_a_sandbox_from_its_start_to_its_end(server: LoopbackE2B) -> None:
    heard: list[Event] = []
    async with listen(heard.append), connected(server).session() as session:
        assert states(heard) == ["created"]
        assert (await session.run("1")).ok
        assert session.sandbox_id == heard[0].fields()["sandbox_id"]
    assert states(heard) == ["created", "killed"]


async def test_the_sandbox_of_a_session_that_is_gone_is_lost(server: LoopbackE2B) -> None:
    heard: list[Event] = []
    async with listen(heard.append), connected(server).session() as session:
        await lose(server)
        with pytest.raises(SandboxError):
            await session.run("1")
    assert states(heard) == ["created", "lost"]


async def test_all_sandboxes_of_many_branches_are_accounted_for(server: LoopbackE2B) -> None:
    heard: list[Event] = []
    chance = random.Random(7)  # noqa: S311  # no secret

    async def branch(sandbox: E2BSandbox, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            for _ in range(3):
                await sandbox.run(PASS)

    plan = Plan(concurrency=4, rate=1000.0)
    async with (
        listen(heard.append),
        connected(server, plan=plan, warm=1) as sandbox,
        anyio.create_task_group() as tasks,
    ):
        for _ in range(8):
            tasks.start_soon(branch, sandbox, chance.uniform(0.0, 4.0))
    words = ["".join(state[:3] for state in one) for one in by_sandbox(heard)]
    for word in words:  # created, then used and put back any number of times, then killed
        assert re.fullmatch(r"cre(reu)?(relreu)*(rel)?kil", word), words
    assert len(words) == server.calls["create"] == server.calls["kill"]

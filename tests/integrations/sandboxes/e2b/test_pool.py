"""How sandboxes are made, leased, rotated and killed."""

import random
import sys
import time
from typing import Any

import anyio
import pytest
from tests.integrations.sandboxes.e2b.support import FAST, children, connected, python, until

from planish import CodeExecution, CodeGenerator, Task
from planish.errors import (
    AuthenticationError,
    RequestError,
    SandboxError,
    UnsupportedError,
)
from planish.testing import ScriptedModel
from planish_integrations.e2b import HOBBY, PRO, E2BSandbox, Plan
from planish_integrations.testing.e2b import LoopbackE2B

PASS = python("pass")


@pytest.mark.anyio
async def test_unentered_every_run_has_a_sandbox_and_leaves_none(server: LoopbackE2B) -> None:
    sandbox = connected(server)
    ids = {(await sandbox.run(PASS)).sandbox_id for _ in range(2)}
    assert len(ids) == 2
    assert not server.sandboxes


@pytest.mark.anyio
async def test_two_branches_never_share_a_sandbox(server: LoopbackE2B) -> None:
    seen: dict[int, set[str | None]] = {}

    async def branch(number: int) -> None:
        seen[number] = {(await sandbox.run(PASS)).sandbox_id for _ in range(3)}

    async with connected(server) as sandbox:
        mine = {(await sandbox.run(PASS)).sandbox_id}
        async with anyio.create_task_group() as tasks:
            for number in range(4):
                tasks.start_soon(branch, number)
        mine.add((await sandbox.run(PASS)).sandbox_id)
    assert len(mine) == 1
    assert all(len(ids) == 1 for ids in seen.values()), "a branch keeps its sandbox"
    all_of_them = [*mine, *(name for ids in seen.values() for name in ids)]
    assert len(set(all_of_them)) == 5


@pytest.mark.anyio
async def test_the_sandbox_of_a_branch_that_is_over_is_killed(server: LoopbackE2B) -> None:
    async def branch() -> None:
        await sandbox.run(PASS)

    async with connected(server) as sandbox:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(branch)
        await until(lambda: not server.sandboxes, "it lives on")


@pytest.mark.anyio
async def test_fresh_sandboxes_are_never_used_twice(server: LoopbackE2B) -> None:
    async with connected(server, fresh="sandbox") as sandbox:
        ids = {(await sandbox.run(PASS)).sandbox_id for _ in range(3)}
    assert len(ids) == 3


@pytest.mark.anyio
async def test_warm_sandboxes_wait_before_they_are_asked_for(server: LoopbackE2B) -> None:
    async with connected(server, warm=2) as sandbox:
        await until(lambda: len(server.sandboxes) == 2, "none waits")
        ready = server.sandboxes
        assert (await sandbox.run(PASS)).sandbox_id in ready
        await until(lambda: len(server.sandboxes) == 3, "no other takes its place")


@pytest.mark.anyio
async def test_a_sandbox_is_replaced_before_it_dies_under_a_program(server: LoopbackE2B) -> None:
    program = python("pass", seconds=2)  # for which a sandbox has to have 36 seconds left
    async with connected(server, lifetime=37) as sandbox:
        first = await sandbox.run(program)
        await anyio.sleep(1.5)
        second = await sandbox.run(program)
        assert first.sandbox_id != second.sandbox_id
        await until(lambda: server.sandboxes == (second.sandbox_id,), "the first lives on")
    assert server.creations[0]["timeout"] == 37


@pytest.mark.anyio
async def test_a_long_program_gets_a_long_life(server: LoopbackE2B) -> None:
    async with connected(server, lifetime=60, plan=PRO) as sandbox:
        await sandbox.run(python("pass", seconds=600))
        assert server.creations[0]["timeout"] == 1830  # it may compute for 600 and wait for 1200
    async with connected(server, plan=HOBBY) as sandbox:
        await sandbox.run(python("pass", seconds=3000))
        assert server.creations[1]["timeout"] == 3600  # as long as the plan lets it live
    with pytest.raises(UnsupportedError, match="plan"):
        await connected(server, plan=HOBBY).run(python("pass", seconds=3600))


@pytest.mark.anyio
async def test_sandboxes_are_made_at_the_pace_of_the_plan(server: LoopbackE2B) -> None:
    plan = Plan(rate=8.0, concurrency=20)
    begin = time.monotonic()
    async with connected(server, plan=plan) as sandbox, anyio.create_task_group() as tasks:
        for _ in range(9):
            tasks.start_soon(sandbox.run, PASS)
    assert time.monotonic() - begin >= 1.0


@pytest.mark.anyio
async def test_no_more_sandboxes_at_once_than_the_plan_has() -> None:
    with LoopbackE2B(concurrency=3) as server:
        plan = Plan(rate=1000.0, concurrency=3)
        async with connected(server, plan=plan, warm=1) as sandbox, anyio.create_task_group() as t:
            for _ in range(8):
                t.start_soon(sandbox.run, PASS)
        assert server.calls["create"] == len(server.creations), "one was refused"


@pytest.mark.anyio
async def test_twenty_at_once_do_not_mix(server: LoopbackE2B) -> None:
    said: dict[int, bytes] = {}

    async def run(number: int) -> None:
        completed = await sandbox.run(python(f"print({number})"))
        said[number] = completed.stdout

    async with connected(server) as sandbox, anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(run, number)
    assert said == {number: f"{number}\n".encode() for number in range(20)}


@pytest.mark.anyio
@pytest.mark.parametrize("status", [429, 502, 503])
async def test_while_e2b_is_busy_it_is_asked_again(server: LoopbackE2B, status: int) -> None:
    server.fail("create", status, times=6)
    assert (await connected(server).run(PASS)).ok
    assert len(server.creations) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("status", [429, 503])
async def test_patience_has_an_end(server: LoopbackE2B, status: int) -> None:
    server.fail("create", status, times=1000)
    plan = Plan(rate=1000.0, patience=0.3)
    with pytest.raises(SandboxError, match=str(status)):
        await connected(server, plan=plan, options={"retries": 0}).run(PASS)


@pytest.mark.anyio
async def test_a_refused_key_is_an_error_at_once(server: LoopbackE2B) -> None:
    with pytest.raises(AuthenticationError, match="E2B_API_KEY"):
        await connected(server, api_key="e2b_wrong").run(PASS)


@pytest.mark.anyio
async def test_a_missing_key_is_an_error_before_anything_is_asked(
    server: LoopbackE2B, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("E2B_API_KEY", raising=False)
    sandbox = connected(server, api_key=None)
    with pytest.raises(AuthenticationError, match="E2B_API_KEY"):
        await sandbox.run(PASS)
    with pytest.raises(AuthenticationError, match="E2B_API_KEY"):
        await sandbox.__aenter__()
    model = ScriptedModel(["```python\nx = 1\n```"])
    with pytest.raises(AuthenticationError, match="E2B_API_KEY"):
        await (CodeGenerator(model) >> CodeExecution(sandbox)).run(Task("Set x."))
    assert not server.calls
    assert not model.requests  # no reply was paid for


@pytest.mark.anyio
async def test_a_missing_template_is_the_callers_error(server: LoopbackE2B) -> None:
    server.fail("create", 404)
    with pytest.raises(RequestError):
        await connected(server, template="none-such").run(PASS)


@pytest.mark.anyio
async def test_a_full_disk_is_an_error_of_the_sandbox(server: LoopbackE2B) -> None:
    server.fail("write", 507, times=2)
    with pytest.raises(SandboxError, match="NotEnoughSpace"):
        await connected(server).run(PASS)


@pytest.mark.anyio
async def test_a_server_that_is_not_there_is_tried_and_then_an_error() -> None:
    nowhere = "http://127.0.0.1:9"
    sandbox = E2BSandbox(
        api_key="e2b_any",
        plan=Plan(patience=0.3),
        options={"api_url": nowhere, "sandbox_url": nowhere, "retries": 0},
    )
    with pytest.raises(SandboxError, match="reached"):
        await sandbox.run(PASS)


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "e2b_code_interpreter", None)
    with pytest.raises(UnsupportedError, match="install planish with its extra e2b"):
        E2BSandbox()


def test_numbers_that_make_no_sense_are_refused() -> None:
    wrong: list[dict[str, Any]] = [{"concurrency": 0}, {"rate": -1.0}, {"patience": 0}]
    for given in wrong:
        with pytest.raises(ValueError, match="must be more than 0"):
            Plan(**given)
    with pytest.raises(ValueError, match="warm"):
        E2BSandbox(warm=-1)
    with pytest.raises(ValueError, match="fresh"):
        E2BSandbox(fresh="never")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.anyio
async def test_a_sandbox_made_too_late_is_killed(server: LoopbackE2B) -> None:
    server.delay("create", 1.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(connected(server).run, PASS)
        await until(lambda: server.calls.get("create"), "none is asked for")
        tasks.cancel_scope.cancel()
    assert len(server.creations) == 1
    assert not server.sandboxes


@pytest.mark.anyio
async def test_an_error_inside_the_block_comes_out_as_it_is(server: LoopbackE2B) -> None:
    async def block() -> None:
        async with connected(server, warm=1) as sandbox:
            await sandbox.run(PASS)
            raise KeyError

    with pytest.raises(KeyError):
        await block()
    assert not server.sandboxes


@pytest.mark.anyio
async def test_cancelled_at_any_moment_it_leaves_nothing(server: LoopbackE2B) -> None:
    await _cancelled(server, 8)


@pytest.mark.long
@pytest.mark.anyio
async def test_cancelled_often_it_leaves_nothing(server: LoopbackE2B) -> None:
    await _cancelled(server, 150)


async def _cancelled(server: LoopbackE2B, times: int) -> None:
    chance = random.Random(times)  # noqa: S311  # no secret
    program = python("import os, time\nif os.fork() == 0: os.setsid()\ntime.sleep(60)")
    before = children()
    for _ in range(times):
        with anyio.move_on_after(chance.uniform(0.0, 0.6)):
            await connected(server).run(program)
        assert not server.sandboxes
    await until(lambda: not children() - before, "a process is left")
    async with connected(server, plan=FAST) as sandbox:
        for _ in range(times):
            with anyio.move_on_after(chance.uniform(0.0, 0.4)):
                await sandbox.run(program)
    assert not server.sandboxes
    await until(lambda: not children() - before, "a process is left")

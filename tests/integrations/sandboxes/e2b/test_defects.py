"""The six defects met in the real stack: each is shown with the bare SDK, and then survived."""

import time
from typing import Any

import anyio
import anyio.to_thread
import pytest
from tests.integrations.sandboxes.e2b.support import connected, python, until

from planish.errors import SandboxLostError
from planish_integrations.testing.e2b import LoopbackE2B

# The SDK's types are not published.
SyncSandbox: Any = pytest.importorskip("e2b_code_interpreter").Sandbox
E2B: Any = pytest.importorskip("e2b")

LATE = "import time; time.sleep({}); print('late')"


@pytest.mark.clock(reason="the SDK stops the cell by a timer, which other load makes late")
def test_the_sdk_stops_a_cell_at_twice_its_time(server: LoopbackE2B) -> None:
    with SyncSandbox.create(timeout=120, **server.options) as bare:
        done = bare.run_code(LATE.format(3.3), timeout=3)
    assert done.error is None
    assert "late" in "".join(done.logs.stdout)


@pytest.mark.anyio
async def test_a_step_stops_at_its_time(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        done = await session.run(LATE.format(3.9), seconds=2)
    assert done.limit == "seconds"
    assert not done.stdout


def test_after_a_time_out_the_same_context_never_answers(server: LoopbackE2B) -> None:
    with SyncSandbox.create(timeout=120, **server.options) as bare:
        for code in ("import time; time.sleep(60)", "1 + 1"):
            with pytest.raises(E2B.TimeoutException, match="Execution timed out"):
                bare.run_code(code, timeout=0.5)


@pytest.mark.anyio
async def test_a_step_after_a_time_out_is_answered(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        await session.write("kept.txt", b"kept")
        stopped = await session.run("import time; time.sleep(60)", seconds=0.5)
        assert stopped.limit == "seconds"
        after = await session.run("open('kept.txt').read()")
        assert after.ok
        assert after.displays[0].text == "kept"


def test_a_kernel_that_dies_between_two_cells_loses_the_variables_silently(
    server: LoopbackE2B,
) -> None:
    with SyncSandbox.create(timeout=120, **server.options) as bare:
        context = bare.create_code_context()
        bare.run_code("x = 1; import os, threading", context=context)
        bare.run_code("threading.Timer(0.1, os._exit, [3]).start()", context=context)
        time.sleep(3)
        done = bare.run_code("'x' in globals()", context=context)
    assert (done.error, done.text) == (None, "False")


@pytest.mark.anyio
async def test_a_step_after_its_interpreter_died_is_answered(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        died = await session.run("x = 1; import os; os._exit(3)")
        assert not died.ok
        # Its last messages may be lost with it, so that it is not known to have begun.
        assert b"interpreter" in died.stderr
        assert b"variables are gone" in died.stderr
        after = await session.run("'x' in globals()")
        assert after.displays[0].text == "False"


def test_variables_of_a_cell_are_code(server: LoopbackE2B) -> None:
    with SyncSandbox.create(timeout=120, **server.options) as bare:
        assert bare.run_code("1", envs={"A": "it's"}).error.name == "SyntaxError"
        injected = bare.run_code("1", envs={"A": "';print('INJECTED');'"})
        assert "INJECTED" in "".join(injected.logs.stdout)


@pytest.mark.anyio
async def test_variables_are_data(server: LoopbackE2B) -> None:
    env = {"A": "it's", "B": "';print('INJECTED');'"}
    read = "import os\nprint([os.environ['A'], os.environ['B']])"
    expected = f"{[env['A'], env['B']]}\n".encode()
    async with connected(server, env=env) as sandbox:
        assert (await sandbox.run(python(read))).stdout == expected
        async with sandbox.session() as session:
            assert (await session.run(read)).stdout == expected
    assert (await connected(server).run(python(read, env=env))).stdout == expected


def test_a_cell_cut_off_looks_like_a_success(server: LoopbackE2B) -> None:
    with SyncSandbox.create(timeout=120, **server.options) as bare:
        server.cut("execute", 2)
        done = bare.run_code("print('one', flush=True)\nraise SystemError")
    assert done.error is None


@pytest.mark.anyio
async def test_a_step_cut_off_is_no_success(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        await session.run("pass")
        server.cut("execute", 2)
        cut = await session.run("print('one', flush=True)\nraise SystemError")
        assert (cut.exit_code, cut.stdout.strip()) == (1, b"one")
        assert b"broke off" in cut.stderr
        assert (await session.run("1")).ok


def test_a_cell_whose_sandbox_dies_looks_like_a_success(server: LoopbackE2B) -> None:
    bare = SyncSandbox.create(timeout=120, **server.options)

    def lose(_: object) -> None:
        server.kill_sandbox(bare.sandbox_id)

    done = bare.run_code("print('one'); import time; time.sleep(60)", on_stdout=lose)
    assert done.error is None
    assert "".join(done.logs.stdout).startswith("one")


@pytest.mark.anyio
async def test_a_lost_sandbox_is_told_apart_from_slow_code(server: LoopbackE2B) -> None:
    async with connected(server, retries=0) as sandbox:
        slow = await sandbox.run(python("import time; time.sleep(60)", seconds=0.5))
        assert slow.limit == "seconds"

        async def lose() -> None:
            await until(lambda: server.calls["command"] > 1, "no second program")
            for name in server.sandboxes:
                await anyio.to_thread.run_sync(server.kill_sandbox, name)

        async def run() -> None:
            with pytest.raises(SandboxLostError):
                await sandbox.run(python("import time; time.sleep(60)"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            tasks.start_soon(lose)


@pytest.mark.anyio
async def test_a_program_cut_off_is_run_again_elsewhere(server: LoopbackE2B) -> None:
    async with connected(server, retries=1) as sandbox:
        server.cut("command")
        assert (await sandbox.run(python("print('whole')"))).stdout == b"whole\n"
        assert len(server.creations) == 2
    async with connected(server, retries=0) as sandbox:
        server.cut("command")
        with pytest.raises(SandboxLostError):
            await sandbox.run(python("print('whole')"))


@pytest.mark.anyio
async def test_what_may_reach_the_internet_is_not_run_twice(server: LoopbackE2B) -> None:
    async with connected(server, retries=3, internet=True) as sandbox:
        server.cut("command")
        with pytest.raises(SandboxLostError):
            await sandbox.run(python("print('whole')"))
        assert server.calls["command"] == 1


def test_the_sdk_lets_sandboxes_use_the_internet(server: LoopbackE2B) -> None:
    with SyncSandbox.create(timeout=120, **server.options):
        assert server.creations[0].get("allow_internet_access", True)


@pytest.mark.anyio
async def test_no_internet_unless_allowed(server: LoopbackE2B) -> None:
    await connected(server).run(python("pass"))
    await connected(server, internet=True).run(python("pass"))
    asked = [one["allow_internet_access"] for one in server.creations]
    assert asked == [False, True]

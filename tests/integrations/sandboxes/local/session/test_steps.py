"""Steps see what earlier ones left; what stops a step leaves the variables as they were."""

import anyio
import pytest

from planish import budget, step
from planish.abc import Session
from planish.data import ResourceLimits
from planish.effects import execute_step
from planish.errors import BudgetExceededError, SandboxLostError, UnsupportedError
from planish.testing.telemetry import capture
from planish_integrations.local import LocalSession

pytestmark = pytest.mark.anyio


async def shown(session: LocalSession, code: str) -> str:
    """What the last expression of a step shows."""
    completed = await session.run(code)
    assert completed.exit_code == 0, completed.stderr
    return completed.displays[-1].text if completed.displays else ""


async def test_a_step_sees_the_variables_of_those_before(session: LocalSession) -> None:
    assert isinstance(session, Session)
    done = await session.run("import math\nx = 41\nprint('set')")
    assert (done.stdout, done.ok, done.displays) == (b"set\n", True, ())
    assert await shown(session, "x + math.floor(1.5)") == "42"
    assert await shown(session, "_ + 1") == "43"


async def test_modules_are_looked_for_in_the_working_directory_first(session: LocalSession) -> None:
    where = "import os, sys\n(sys.path.index(os.getcwd()), sys.path.count(os.getcwd()))"
    assert await shown(session, where) == "(0, 1)"


async def test_a_step_that_raises_says_so_and_keeps_what_it_set(session: LocalSession) -> None:
    done = await session.run("y = 1\ny / 0")
    assert (done.exit_code, done.signal, done.limit) == (1, None, None)
    assert done.stderr.endswith(b"ZeroDivisionError: division by zero\n")
    assert b'File "<step 1>", line 2' in done.stderr
    assert b"steps.py" not in done.stderr
    assert await shown(session, "y") == "1"


@pytest.mark.parametrize(
    ("code", "exit_code", "said"),
    [
        ("def f(:", 1, b"SyntaxError"),
        ("raise SystemExit", 0, b""),
        ("raise SystemExit(3)", 3, b""),
        ("raise SystemExit('bye')", 1, b"bye"),
        ("raise KeyboardInterrupt", 1, b"KeyboardInterrupt"),
        ("import os; os._exit(4)", 4, b""),
    ],
)
async def test_a_step_ends_as_a_program_would(
    session: LocalSession, code: str, exit_code: int, said: bytes
) -> None:
    await session.run("kept = 'still here'")
    done = await session.run(code)
    assert done.exit_code == exit_code
    assert said in done.stderr
    assert await shown(session, "kept") == "'still here'"


async def test_a_step_may_await(session: LocalSession) -> None:
    assert await shown(session, "import asyncio\nawait asyncio.sleep(0)\n7") == "7"


async def test_a_step_that_takes_too_long_leaves_the_variables_as_they_were(
    session: LocalSession,
) -> None:
    await session.run("x = [1]")
    done = await session.run(
        "x.append(2)\nprint('on the way', flush=True)\nwhile True: pass", seconds=0.5
    )
    assert done.limit == "seconds"
    assert done.stdout == b"on the way\n"
    assert await shown(session, "x") == "[1]"


async def test_a_step_that_prints_too_much_is_stopped() -> None:
    async with LocalSession(limits=ResourceLimits(output_bytes=1000)) as session:
        await session.run("x = 1")
        done = await session.run(
            "x = 2\nprint('y' * 5000, flush=True)\nimport time\ntime.sleep(60)"
        )
        assert (done.limit, done.stdout) == ("output_bytes", b"y" * 1000)
        assert await shown(session, "x") == "1"


async def test_a_step_that_forks_is_one_step(session: LocalSession) -> None:
    code = "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n'end'"
    assert await shown(session, code) == "'end'"
    assert await shown(session, "'next'") == "'next'"


async def test_a_cancelled_step_is_stopped_and_the_next_gets_its_own_answer(
    session: LocalSession,
) -> None:
    await session.run("x = 1")
    with anyio.move_on_after(0.3) as scope:
        await session.run("x = 2\nimport time\ntime.sleep(60)")
    assert scope.cancelled_caught
    assert await shown(session, "x") == "1"


async def test_steps_wait_for_one_another(session: LocalSession) -> None:
    await session.run("log = []")

    async def step(number: int) -> None:
        await session.run(
            f"log.append({number}); import time; time.sleep(0.05); log.append({number})"
        )

    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(step, number)
    log = await shown(session, "log[0::2] == log[1::2] and sorted(set(log))")
    assert log == "[0, 1, 2, … 1 more]"


async def test_two_sessions_do_not_see_each_other() -> None:
    async with LocalSession() as one, LocalSession() as other:
        await one.run("x = 1\nopen('mine', 'w').write('1')")
        done = await other.run("import os\nprint(os.listdir('.'))\nx")
        assert done.stdout == b"[]\n"
        assert b"NameError" in done.stderr


async def test_the_walls_are_those_of_the_sandbox(session: LocalSession) -> None:
    done = await session.run("open('/etc/shadow').read()")
    assert done.exit_code == 1
    assert done.isolation in ("namespaces", "bubblewrap", "landlock")
    assert {"files", "network", "environment"} <= set(done.guarantees)


async def test_when_its_program_is_killed_the_session_is_lost(session: LocalSession) -> None:
    with pytest.raises(SandboxLostError, match=r"gone|ended"):
        await session.run(
            "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass"
        )
    with pytest.raises(SandboxLostError, match="open a new one"):
        await session.run("1")


async def test_a_session_that_is_not_open_says_so() -> None:
    session = LocalSession()
    with pytest.raises(SandboxLostError, match="async with"):
        await session.run("1")
    async with session:
        with pytest.raises(UnsupportedError, match="open already"):
            await session.__aenter__()


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
async def test_a_step_needs_time(session: LocalSession, seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds"):
        await session.run("1", seconds=seconds)


async def test_a_budget_counts_the_seconds_of_steps_and_ends_them(session: LocalSession) -> None:
    async def work(code: str) -> str:
        return (await execute_step(session, code)).displays[0].text

    with capture() as telemetry:
        async with budget(sandbox_seconds=1.0):
            assert await step(work).run("1 + 1") == "2"
            with pytest.raises(BudgetExceededError, match="sandbox_seconds"):
                await step(work).run("while True: pass")
    spans = [span for span in telemetry.spans if span.name == "execute_tool local"]
    assert len(spans) == 2
    told = spans[0].attributes or {}
    assert told["planish.sandbox.isolation"] in ("namespaces", "bubblewrap", "landlock")
    assert "network" in str(told["planish.sandbox.guarantees"])

"""Programs that attack what supervises them: while the sandbox lives, each gets a verdict."""

import anyio
import anyio.to_thread
import pytest
from tests.integrations.sandboxes.e2b.support import connected, python, until

from planish import CodeExecution, Task, Validator
from planish.data.candidate import Candidate
from planish.data.program import ResourceLimits
from planish.errors import SandboxError, SandboxLostError
from planish_integrations.testing.e2b import LoopbackE2B

pytestmark = pytest.mark.anyio

SUPERVISOR = "import os, signal, sys, time\nsupervisor = os.getppid()\n"
ABOVE = """
def above(pid):
    return int(open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[1])
"""

KILLS = {
    "kills it": "os.kill(supervisor, signal.SIGKILL)",
    "kills it and what holds it": (
        ABOVE + "held = above(supervisor)\nos.kill(held, 9); os.kill(supervisor, 9)"
    ),
    "leaves it no memory": (
        "import resource\nresource.prlimit(supervisor, resource.RLIMIT_AS, (1, 1))\n"
        "resource.prlimit(supervisor, resource.RLIMIT_CPU, (0, 0))\n"
        "os.write(1, b'x' * 10_000_000)"
    ),
    "kills it out of a process of its own": (
        "if os.fork() == 0:\n    os.setsid()\n    os.kill(supervisor, 9)\ntime.sleep(60)"
    ),
}


@pytest.mark.parametrize("trick", KILLS)
@pytest.mark.parametrize("retries", [0, 1])
async def test_a_program_that_ends_its_supervisor_has_ended(
    server: LoopbackE2B, trick: str, retries: int
) -> None:
    async with connected(server, retries=retries) as sandbox:
        completed = await sandbox.run(python(SUPERVISOR + KILLS[trick], results=True))
        assert not completed.ok
        assert (completed.exit_code, completed.signal, completed.results) == (None, 9, b"")
        assert any("its supervisor" in finding for finding in completed.findings)
        assert len(server.creations) == 1 + retries
        after = await sandbox.run(python("print('next')"))
    assert after.stdout == b"next\n"


async def test_a_program_that_stops_its_supervisor_has_used_up_its_time(
    server: LoopbackE2B, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planish_integrations.sandboxes.e2b._running._SILENCE", 5.0)
    async with connected(server, retries=0) as sandbox:
        stop = SUPERVISOR + "os.kill(supervisor, signal.SIGSTOP)\ntime.sleep(600)"
        completed = await sandbox.run(python(stop))
    assert (completed.limit, completed.ok) == ("seconds", False)
    assert any("stopped its supervisor" in finding for finding in completed.findings)


NAMES = (
    *("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2"),
    *("SIGALRM", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGPIPE"),
)


async def test_signals_that_can_be_ignored_do_not_reach_the_supervisor(server: LoopbackE2B) -> None:
    source = SUPERVISOR + f"for name in {NAMES!r}: os.kill(supervisor, getattr(signal, name))\n"
    source += "print(signal.getsignal(signal.SIGTERM).name)"
    completed = await connected(server, retries=0).run(python(source))
    assert completed.stdout == b"SIG_DFL\n", completed


FORGERIES = {
    "prints a result": "print('running\\n' * 3 + 'inline eJw=\\nfile main.py 0')",
    "prints as much as it may": "sys.stdout.write('x' * 100_000)",
    "writes to the supervisor's output": (
        "for fd in (1, 2):\n    try:\n"
        "        os.write(os.open(f'/proc/{supervisor}/fd/{fd}', os.O_WRONLY), b'inline eJw=\\n')\n"
        "    except OSError: pass"
    ),
    "takes the place of its report": (
        "folder = os.path.dirname(os.path.dirname(os.getcwd()))\n"
        "name = open(f'/proc/{supervisor}/cmdline').read().split('\\0')[-2]\n"
        "os.mkdir(os.path.join(folder, name + '.out'))\n"
        "open('big', 'wb').write(os.urandom(2_000_000))"
    ),
    "removes its own folders": (
        "import shutil\nhome = os.path.dirname(os.getcwd())\nos.chdir('/')\n"
        "shutil.rmtree(home, ignore_errors=True)"
    ),
    "shuts its folders": "os.chmod('out', 0); os.chmod('.', 0)",
    "nests folders": ("os.chdir('out')\nfor _ in range(150):\n    os.mkdir('d'); os.chdir('d')"),
    "leaves a million links": "for n in range(3000): os.symlink('/', f'out/{n}')",
    "puts a link in place of its folder": "os.rename('out', 'in'); os.symlink('/etc', 'out')",
}


@pytest.mark.parametrize("trick", FORGERIES)
async def test_a_forged_report_is_not_believed(server: LoopbackE2B, trick: str) -> None:
    source = SUPERVISOR + FORGERIES[trick] + "\nsys.stdout.flush()\nos._exit(3)"
    async with connected(server, retries=0) as sandbox:
        limits = ResourceLimits(output_bytes=200_000)
        program = python(source, limits=limits, outputs="out", collect=("big",))
        completed = await sandbox.run(program)
        assert (completed.exit_code, completed.limit) == (3, None), completed
        assert not any("passwd" in name for name in completed.artifacts)
        assert len(completed.findings) < 1000


async def test_folders_that_are_nested_too_deep_are_too_many_files(server: LoopbackE2B) -> None:
    deep = "import os\nfor _ in range(300):\n    os.mkdir('d'); os.chdir('d')\nimport time\n"
    async with connected(server, retries=0) as sandbox:
        completed = await sandbox.run(python(f"{deep}time.sleep(20)"))
    assert completed.limit == "files", completed


async def test_a_sandbox_that_a_program_has_spoilt_is_not_used_for_the_next(
    server: LoopbackE2B,
) -> None:
    async with connected(server, retries=0) as sandbox:
        await sandbox.run(python("pass"))
        server.fail("write", 507)  # an earlier program has filled the disk
        assert (await sandbox.run(python("print('next')"))).stdout == b"next\n"
        assert len(server.creations) == 2
    async with connected(server, retries=0) as sandbox:
        server.fail("write", 507)  # and of a fresh sandbox that is a failure of E2B
        with pytest.raises(SandboxError, match="NotEnoughSpace"):
            await sandbox.run(python("pass"))


async def test_a_sandbox_that_is_lost_under_a_program_is_no_verdict(server: LoopbackE2B) -> None:
    async with connected(server, retries=0) as sandbox:

        async def lose() -> None:
            await until(lambda: server.calls.get("command", 0) > 0, "no program")
            for name in server.sandboxes:
                await anyio.to_thread.run_sync(server.kill_sandbox, name)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lose)
            with pytest.raises(SandboxLostError):
                await sandbox.run(python(SUPERVISOR + "time.sleep(600)"))


async def test_a_candidate_that_kills_its_supervisor_fails_and_ends_no_loop(
    server: LoopbackE2B,
) -> None:
    task = Task("Double a number.", tests="assert double(2) == 4")
    code = """
import os
def double(n):
    pid = os.getpid()
    while pid > 1:
        above = int(open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[1])
        if b'planish-' in open(f'/proc/{pid}/cmdline', 'rb').read():
            os.kill(pid, 9)
        pid = above
    return 2 * n
"""
    async with connected(server) as sandbox:
        judged = CodeExecution(sandbox) >> Validator()
        report = await judged.run(Candidate(task=task, code=code))
    assert not report.passed


async def test_computing_and_waiting_are_limited_apart(server: LoopbackE2B) -> None:
    compute = "import time\nwhile time.process_time() < {0}: pass"
    workers = (
        "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.{0})\n"
        "read, write = os.pipe()\n"
        "for _ in range(6):\n    if os.fork() == 0:\n"
        "        while time.process_time() < 0.5: pass\n        os._exit(0)\n"
        "os.close(write)\nos.read(read, 1)\n"
    )
    async with connected(server) as sandbox:
        cases = {
            compute.format(0.5): (None, True),
            compute.format(60): ("seconds", False),
            "import time; time.sleep(1.5)": (None, True),
            "import time; time.sleep(60)": ("seconds", False),
            workers.format("SIG_DFL"): ("seconds", False),
            workers.format("SIG_IGN"): ("seconds", False),
        }

        async def check(source: str, expected: tuple[str | None, bool]) -> None:
            completed = await sandbox.run(python(source, seconds=1.5))
            assert (completed.limit, completed.ok) == expected, (source, completed)
            assert completed.cpu_seconds is not None
            assert completed.cpu_seconds >= 1.5 or completed.ok or "sleep" in source, completed

        async with anyio.create_task_group() as tasks:  # those that wait need not do so in turn
            for source, expected in cases.items():
                tasks.start_soon(check, source, expected)

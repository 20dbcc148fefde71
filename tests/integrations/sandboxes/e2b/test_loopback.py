"""The loopback server, met by the bare SDK: it does what E2B does."""

import os
import subprocess
import sys
import time
from typing import Any

import anyio
import pytest
from tests.integrations.sandboxes.e2b.support import dies

from planish_integrations.testing.e2b import LoopbackE2B

# The SDK's types are not published.
SyncSandbox: Any = pytest.importorskip("e2b_code_interpreter").Sandbox
SLEEPER = "setsid sleep 600 >/dev/null 2>&1 & echo $!"
# The SDK sends no lifetime by default, and E2B's own default is 15 seconds: too short for a busy
# machine.
LIFETIME = 300

E2B: Any = pytest.importorskip("e2b")


def _create(**options: Any) -> Any:
    """Create a sandbox with the bare SDK; it lives for five minutes."""
    return SyncSandbox.create(**{"timeout": LIFETIME, **options})


def test_files_are_real(server: LoopbackE2B) -> None:
    with _create(**server.options) as bare:
        bare.files.write("a/b.bin", bytes(range(256)))
        assert bytes(bare.files.read("a/b.bin", format="bytes")) == bytes(range(256))
        bare.files.write_files([{"path": "q1", "data": b"1\r\n"}, {"path": "q2", "data": "2"}])
        assert bare.files.read("/home/user/q1") == "1\r\n"
        assert {one.name for one in bare.files.list("/home/user")} == {"a", "q1", "q2"}
        assert bare.files.exists("q2")
        bare.files.rename("q2", "q3")
        assert not bare.files.exists("q2")
        bare.files.remove("a")
        assert not bare.files.exists("a/b.bin")
        assert bare.files.make_dir("new/deep")
        assert not bare.files.make_dir("new/deep")
        with pytest.raises(E2B.FileNotFoundException):
            bare.files.read("absent")
        server.fail("write", 507)
        with pytest.raises(E2B.NotEnoughSpaceException):
            bare.files.write("full", b"")


def test_commands_are_real(server: LoopbackE2B) -> None:
    with _create(envs={"OURS": "it's"}, **server.options) as bare:
        done = bare.commands.run('echo "$OURS" "$A"; echo err >&2', envs={"A": "b"})
        assert (done.stdout, done.stderr, done.exit_code) == ("it's b\n", "err\n", 0)
        with pytest.raises(E2B.CommandExitException) as raised:
            bare.commands.run("exit 3")
        assert raised.value.exit_code == 3
        running = bare.commands.run("cat; sleep 60", background=True, stdin=True)
        assert running.pid in [one.pid for one in bare.commands.list()]
        bare.commands.send_stdin(running.pid, "in")
        assert running.kill()
        with pytest.raises(E2B.CommandExitException):
            running.wait()
        with pytest.raises(E2B.TimeoutException):
            bare.commands.run("sleep 60", timeout=0.5)


def test_contexts_have_state_of_their_own(server: LoopbackE2B) -> None:
    with _create(**server.options) as bare:
        bare.run_code("x = 1")
        assert bare.run_code("x").text == "1"
        assert bare.run_code("'it'").text == "it", "E2B's server removes the quotes"
        other = bare.create_code_context()
        assert bare.run_code("x", context=other).error.name == "NameError"
        assert other.id in [one.id for one in bare.list_code_contexts()]
        bare.restart_code_context("default")
        assert bare.run_code("x").error.name == "NameError"
        bare.remove_code_context(other)
        assert other.id not in [one.id for one in bare.list_code_contexts()]
        with pytest.raises(E2B.NotFoundException):
            bare.run_code("1", context=other)


def test_what_libraries_keep_of_their_own_is_not_among_the_users_files(
    server: LoopbackE2B,
) -> None:
    code = (
        "import os\n[os.path.isdir(os.environ[n]) and not os.environ[n].startswith(os.getcwd())"
        " for n in ('IPYTHONDIR', 'MPLCONFIGDIR')]"
    )
    with _create(**server.options) as bare:
        assert bare.run_code(code).text == "[True, True]"
        assert bare.files.list("/home/user") == []


def test_output_streams_while_a_cell_runs(server: LoopbackE2B) -> None:
    seen: list[str] = []
    code = (
        "import os, time\nprint('one', end='')\nos.system('echo two')\n"
        "while not os.path.exists('seen'): time.sleep(0.01)\nprint('three')"
    )

    with _create(**server.options) as bare:

        def hear(message: Any) -> None:
            seen.append(message.line)
            bare.files.write("/home/user/seen", "")  # for which the cell waits

        done = bare.run_code(code, on_stdout=hear, timeout=60)
    assert done.error is None
    assert "".join(seen) == "onetwo\nthree\n"


def test_an_expired_sandbox_is_gone_with_its_processes(server: LoopbackE2B) -> None:
    bare = _create(timeout=60, **server.options)
    pid = int(bare.commands.run(SLEEPER).stdout)
    bare.set_timeout(1)
    deadline = time.monotonic() + 20
    while server.sandboxes and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not server.sandboxes
    assert not bare.is_running()
    with pytest.raises(E2B.TimeoutException):
        bare.run_code("1")
    with pytest.raises(E2B.SandboxNotFoundException):
        bare.set_timeout(10)
    assert dies(pid)


def test_pause_and_resume_keep_what_runs(server: LoopbackE2B) -> None:
    bare = _create(**server.options)
    bare.run_code("x = 41")
    assert bare.pause()
    assert not bare.is_running()
    assert not bare.pause()
    again = SyncSandbox.connect(bare.sandbox_id, **server.options)
    assert again.run_code("x + 1").text == "42"
    assert bare.get_info().sandbox_id == bare.sandbox_id
    assert bare.get_metrics()[0].cpu_count == 2
    assert bare.kill()
    assert not bare.kill()


def test_lists_are_filtered(server: LoopbackE2B) -> None:
    given = server.options | {"metadata": {"mine": "1"}}
    with _create(**given) as bare, _create(**server.options):
        query = E2B.SandboxQuery(metadata={"mine": "1"})
        pages = SyncSandbox.list(query=query, **server.options)
        assert [one.sandbox_id for one in pages.next_items()] == [bare.sandbox_id]


def test_long_lists_come_in_pages(server: LoopbackE2B) -> None:
    made = [_create(**server.options) for _ in range(5)]
    pages, found = SyncSandbox.list(limit=2, **server.options), list[list[str]]()
    while pages.has_next:
        found.append([one.sandbox_id for one in pages.next_items()])
        made[len(found) - 1].kill()  # which moves no page
    assert [len(page) for page in found] == [2, 2, 1]
    assert [name for page in found for name in page] == [one.sandbox_id for one in made]
    for one in made:
        one.kill()
    assert not SyncSandbox.list(limit=2, **server.options).next_items()


def test_refusals_are_those_of_e2b(server: LoopbackE2B) -> None:
    options = server.options | {"retries": 0}
    with pytest.raises(E2B.AuthenticationException):
        _create(**options | {"api_key": "e2b_wrong"})
    for status, kind in ((429, E2B.RateLimitException), (503, E2B.ServiceBusyException)):
        server.fail("create", status, headers={"Retry-After": "1"})
        with pytest.raises(kind):
            _create(**options)
    with pytest.raises(ValueError, match="no operation"):
        server.fail("nonsense", 500)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_too_many_at_once_are_refused() -> None:
    with LoopbackE2B(concurrency=1) as server:
        bare = _create(**server.options)
        with pytest.raises(E2B.RateLimitException):
            _create(**server.options, retries=0)
        bare.kill()


def test_it_can_be_found_by_environment_variables(
    server: LoopbackE2B, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    with _create() as bare:
        assert bare.sandbox_id in server.sandboxes


def test_when_its_host_is_killed_no_process_is_left() -> None:
    source = """
import os, signal
from e2b_code_interpreter import Sandbox
from planish_integrations.testing.e2b import LoopbackE2B
with LoopbackE2B() as server:
    bare = Sandbox.create(timeout=120, **server.options)
    print(bare.commands.run(os.environ["SLEEPER"]).stdout, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    env = os.environ | {"SLEEPER": SLEEPER}
    command = [sys.executable, "-c", source]
    done = subprocess.run(command, capture_output=True, check=False, env=env)
    assert dies(int(done.stdout)), done.stderr


@pytest.mark.anyio
async def test_it_serves_any_event_loop(server: LoopbackE2B) -> None:
    bare = await anyio.to_thread.run_sync(lambda: _create(**server.options))
    server.kill_sandbox(bare.sandbox_id)
    assert not server.sandboxes
    assert repr(server) == f"LoopbackE2B(url={server.url!r})"


def test_before_it_is_entered_there_is_nothing() -> None:
    with pytest.raises(RuntimeError, match="entered"):
        _ = LoopbackE2B().sandboxes

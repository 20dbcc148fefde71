"""Steps that attack what holds their session: each is bounded, and costs no other step."""

import asyncio
from pathlib import Path

import anyio
import pytest

from planish.data import Completed, Program, ResourceLimits
from planish.errors import SandboxError, SandboxLostError
from planish_integrations.local import InSession, LocalSandbox, LocalSession

pytestmark = pytest.mark.anyio

_EVERY_SOCKET = """
import os
for number in range(3, 64):
    try: os.write(number, {data})
    except OSError: pass
"""
_NONSENSE = {
    "no message": "(4).to_bytes(8, 'big') + b'[3,0'",
    "no object": "(6).to_bytes(8, 'big') + b'[3, 0]'",
    "too deep": "(100_000).to_bytes(8, 'big') + b'[' * 100_000",
    "too long": "(1 << 50).to_bytes(8, 'big')",
}
_FORKING = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
_GONE_ORPHAN = """
import os, time
if os.fork() == 0:
    if os.fork(): os._exit(0)
    while True:
        open({mark}, 'a').write('x'); time.sleep(0.01)
os.wait()
while not os.path.exists({mark}): time.sleep(0.01)
"""


def descriptors() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


async def value(session: LocalSession, code: str) -> str:
    """What the last expression of a step shows."""
    completed = await session.run(code)
    assert completed.ok, completed.stderr
    return completed.displays[-1].text


async def beside(
    session: LocalSession, source: str, limits: ResourceLimits | None = None
) -> Completed:
    program = Program(
        main="m.py", files={"m.py": source.encode()}, limits=limits or ResourceLimits()
    )
    return await InSession(session).run(program)


@pytest.mark.parametrize("data", _NONSENSE.values(), ids=_NONSENSE)
async def test_nonsense_said_to_the_supervisor_costs_the_step_only(
    session: LocalSession, data: str
) -> None:
    await session.run("x = [1]")
    await session.run(f"{_EVERY_SOCKET.format(data=data)}\nimport time\ntime.sleep(60)", seconds=20)
    assert await value(session, "x") == "[1]"


async def test_half_a_message_said_to_the_keeper_does_not_hold_it(session: LocalSession) -> None:
    await session.run("x = [1]")
    code = _EVERY_SOCKET.format(data="(1000).to_bytes(8, 'big')")
    with anyio.fail_after(45):
        await session.run(f"{code}\nimport time\ntime.sleep(60)", seconds=0.5)
        assert await value(session, "x") == "[1]"


async def test_a_fork_that_hangs_ends_the_session_and_not_its_host(session: LocalSession) -> None:
    await session.run("import os, time\nos.register_at_fork(before=lambda: time.sleep(600))")
    with anyio.fail_after(45), pytest.raises(SandboxLostError, match="answers no more"):
        await session.run("1")


async def test_what_forks_for_ever_is_killed(sandbox: LocalSandbox) -> None:
    few = ResourceLimits(processes=24)
    async with LocalSession(sandbox, limits=few) as session:
        await session.run("x = 1")
        with anyio.fail_after(60):
            assert (await session.run(_FORKING, seconds=0.5)).limit == "seconds"
            assert await value(session, "x") == "1"
            limits = ResourceLimits(seconds=0.5, processes=24)
            assert (await beside(session, _FORKING, limits)).limit == "seconds"
            assert await value(session, "x") == "1"


async def test_a_step_that_leaves_no_room_for_processes_is_told_so(sandbox: LocalSandbox) -> None:
    async with LocalSession(sandbox, limits=ResourceLimits(processes=16)) as session:
        before = await session.snapshot()
        await session.run(
            "import os, time\ntry:\n    while os.fork(): pass\n    time.sleep(600)\n"
            "except OSError: pass"
        )
        with pytest.raises(SandboxError, match="no fork"):
            await session.run("1")
        await session.restore(before)
        assert await value(session, "1 + 1") == "2"


async def test_output_that_never_ends_holds_nobody(session: LocalSession) -> None:
    code = "import os\nif os.fork() == 0:\n    while True: os.write(1, b'x' * 60_000)"
    with anyio.fail_after(45):
        await session.run(code, seconds=20)
        assert await value(session, "1 + 1") == "2"


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        ("import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)", 0),
        ("import socket\nsocket.socket = None", 0),
        ("import os\nos.closerange(0, 3)", 0),
        ("globals()[1] = 2\nglobals()['a b'] = 3", 0),
        ("import sys\nclass S:\n    def flush(self): 1 / 0\nsys.stdout = S()", 0),
        ("class E:\n    def __str__(self): 1 / 0\nraise SystemExit(E())", 1),
        ("class R:\n    def __repr__(self): raise SystemExit\nr = R()", 0),
        ("class R:\n    shape = (10 ** 5000,)\nr = R()", 0),
        ("globals()['q' * 10 ** 6] = type('t' * 10 ** 6, (), {})()", 0),
    ],
)
async def test_what_a_step_spoils_is_its_own(
    session: LocalSession, code: str, exit_code: int
) -> None:
    await session.run("x = 1")
    assert (await session.run(code)).exit_code == exit_code
    listed = await session.variables()
    assert "x" in {variable.name for variable in listed}
    assert sum(len(v.name) + len(v.type) + len(v.preview) for v in listed) < 4000
    assert await value(session, "x") == "1"
    assert (await beside(session, "assert x == 1")).exit_code == 0


async def test_a_step_may_take_as_long_as_it_likes(session: LocalSession) -> None:
    assert (await session.run("1", seconds=1e10)).exit_code == 0


async def test_what_is_shown_is_bounded(session: LocalSession) -> None:
    shown = "class H:\n    def _repr_html_(self): return 'x' * (7 << 20)\n"
    done = await session.run(
        f"{shown}for i in range(8): display(H())\nfor i in range(2000): display(i)"
    )
    assert done.ok, done.stderr
    assert 8 < len(done.displays) <= 1000
    assert sum(len(form) for each in done.displays for form in each.forms.values()) < 33 << 20


async def test_what_a_session_starts_with_is_not_for_its_keeper(sandbox: LocalSandbox) -> None:
    names = ("base64", "json", "select", "shutil", "socket", "inspect", "tempfile")
    files = {f"{name}.py": b"1 / 0" for name in names}
    async with LocalSession(sandbox, files=files) as session:
        assert await value(session, "1 + 1") == "2"
        assert (await beside(session, "print(1)")).stdout == b"1\n"


async def test_a_restore_ends_daemons(session: LocalSession) -> None:
    before = await session.snapshot()
    assert (await session.run(_GONE_ORPHAN.format(mark="'mark'"))).ok
    await session.restore(before)
    await anyio.sleep(0.2)
    assert await session.files() == {}


@pytest.mark.parametrize("end", ["", "while True: pass"])
async def test_a_program_leaves_nothing_also_where_it_knows_the_way(
    session: LocalSession, end: str
) -> None:
    await session.write({"data": b"data"})
    await session.run("import os\nhome = os.getcwd()")
    source = _GONE_ORPHAN.format(mark="home + '/mark'") + f"open(home + '/data', 'w')\n{end}"
    await beside(session, source, ResourceLimits(seconds=3))
    await anyio.sleep(0.2)
    assert await session.files() == {"data": 4}


async def test_links_lead_a_programs_files_nowhere_else(session: LocalSession) -> None:
    await session.run("import os\nos.mkdir('d')\nos.symlink(os.getcwd() + '/d', 'link')")
    files = {"m.py": b"open('link/out', 'w').write('1')", "link/x": b""}
    program = Program(main="m.py", files=files, outputs="link")
    done = await InSession(session).run(program)
    assert done.artifacts == {"out": b"1", "x": b""}
    assert await session.files() == {}


@pytest.mark.parametrize("reads", [False, True])
async def test_a_pipe_in_place_of_a_file_holds_up_no_write(
    session: LocalSession, *, reads: bool
) -> None:
    await session.run("import os\nos.mkfifo('data')")
    if reads:
        await session.run("reading = os.open('data', os.O_RDONLY | os.O_NONBLOCK)")
    with anyio.fail_after(30), pytest.raises(SandboxError, match=r"No such device|no regular file"):
        await session.write({"data": b"data"})
    assert await session.read("data") is None
    assert (await session.run("1 + 1")).displays[0].text == "2"


async def test_folders_that_may_not_be_read_are_passed_over(session: LocalSession) -> None:
    await session.run(
        "import os\nos.mkdir('d')\nopen('d/x', 'w')\nopen('y', 'w')\nos.chmod('d', 0)"
    )
    assert await session.files() == {"y": 0}
    before = await session.snapshot()
    await session.restore(before)
    assert await session.files() == {"y": 0}


async def test_to_close_a_session_ends_what_waits_for_it(sandbox: LocalSandbox) -> None:
    async with LocalSession(sandbox) as session, anyio.create_task_group() as tasks:

        async def waits() -> None:
            with pytest.raises(SandboxLostError, match="closed"):
                await session.run("import time\ntime.sleep(600)")

        tasks.start_soon(waits)
        await anyio.sleep(0.2)
        await session.__aexit__(None, None, None)


async def test_cancelled_by_the_event_loop_itself_it_goes_on(
    session: LocalSession, anyio_backend: str
) -> None:
    if anyio_backend != "asyncio":
        pytest.skip("trio cancels in one way only")
    await session.run("x = [1]")
    for wait in (0, 0.001, 0.005, 0.02):
        long = f"x.append(2)\nimport time\ntime.sleep(60)\n#{'#' * 200_000}"
        task = asyncio.ensure_future(session.run(long))
        await asyncio.sleep(wait)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await value(session, "x") == "[1]"


async def test_many_steps_and_snapshots_leave_no_descriptor(session: LocalSession) -> None:
    await session.run("n = 0")
    before = descriptors()
    for _ in range(20):
        await session.run("n += 1")
    snapshots = [await session.snapshot() for _ in range(20)]
    for snapshot in snapshots:
        await session.restore(snapshot)
        await session.drop(snapshot)
    assert await value(session, "n") == "20"
    assert descriptors() == before


_SOCKETS = """
import os, stat
sockets = []
for number in range(3, 256):
    try:
        if stat.S_ISSOCK(os.fstat(number).st_mode): sockets.append(number)
    except OSError: pass
print(sockets, flush=True)
"""


async def test_what_a_step_forks_and_what_runs_beside_it_have_no_way_to_the_supervisor(
    session: LocalSession,
) -> None:
    own = await session.run(_SOCKETS)
    assert own.stdout != b"[]\n"  # the step itself runs in the process that answers
    forked = await session.run(
        f"import os\nif os.fork() == 0:\n    exec({_SOCKETS!r})\n    os._exit(0)\n_ = os.wait()"
    )
    assert forked.stdout == b"[]\n"
    assert (await beside(session, _SOCKETS)).stdout == b"[]\n"
    again = await session.run("print(6 * 7)")
    assert again.stdout == b"42\n"

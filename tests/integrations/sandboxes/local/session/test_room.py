"""Files of a session, and what a program or a step adds to them, are limited apart."""

from typing import Literal

import pytest

from planish import Candidate, CodeExecution, Task
from planish.data import Program, ResourceLimits
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.local import InSession, LocalSandbox, LocalSession

pytestmark = [pytest.mark.anyio, pytest.mark.both_loops]

FILES = "import time\nfor n in range({}): open(f'{{n}}.txt', 'wb').write(bytes({}))\ntime.sleep({})"
FEW = ResourceLimits(files=40, disk_mb=4)
Limit = Literal["files", "disk_mb"]


def fill(limit: Limit, seconds: float = 20) -> str:
    """Return a program that passes a limit of `FEW`, and then waits."""
    return FILES.format(60, 0, seconds) if limit == "files" else FILES.format(8, 1 << 20, seconds)


def beside(source: str, limits: ResourceLimits = FEW) -> Program:
    return Program(main="m.py", files={"m.py": source.encode()}, limits=limits)


@pytest.mark.parametrize("limit", ["files", "disk_mb"])
async def test_a_program_is_stopped_at_its_limit_and_the_session_goes_on(
    session: LocalSession, limit: Limit
) -> None:
    await session.run("kept = [1]")
    for seconds in (20, 0):  # also one that has ended before anyone has looked
        done = await InSession(session).run(beside(fill(limit, seconds)))
        assert (done.limit, done.ok) == (limit, False)
    assert (await session.run("kept")).displays[0].text == "[1]"
    assert await session.files() == {}


async def test_a_candidate_that_writes_too_many_files_gets_the_finding_of_any_sandbox(
    session: LocalSession, sandbox: LocalSandbox
) -> None:
    candidate = Candidate(task=Task("Write.", tests="assert f() == 1"), code=fill("files"))
    there = await CodeExecution(sandbox, limits=FEW).run(candidate)
    here = await CodeExecution(InSession(session), limits=FEW).run(candidate)
    assert here.limit == there.limit == "files"
    assert here.failure is not None
    assert there.failure is not None
    assert "limit of files" in here.failure.message
    if there.isolation == "landlock":  # "namespaces" has a file system of that size
        assert (here.status, here.failure) == (there.status, there.failure)


@pytest.mark.parametrize("limit", ["files", "disk_mb"])
async def test_a_step_is_stopped_at_the_limit_of_the_session(
    sandbox: LocalSandbox, limit: Limit
) -> None:
    async with LocalSession(sandbox, limits=FEW) as session:
        await session.run("kept = [1]")
        step = await session.run(f"kept.append(2)\n{fill(limit)}")
        assert (step.limit, step.ok) == (limit, False)
        assert (await session.run("kept")).displays[0].text == "[1]"
        if limit == "files":
            assert len(await session.files()) > FEW.files
        with pytest.raises(SandboxError, match="there is no room"):
            await session.write({"new": bytes(1 << 20)})
        clear = "import os\nfor name in os.listdir(): os.unlink(name)"
        assert (await session.run(clear)).ok
        await session.write({"new": bytes(1 << 20)})
        await session.write({"new": bytes(4 << 20)})  # in place of the first one
        assert await session.files() == {"new": 4 << 20}


async def test_a_program_may_add_as_much_as_the_session_holds_already(
    sandbox: LocalSandbox,
) -> None:
    async with LocalSession(sandbox, limits=FEW) as session:
        assert (await session.run("for n in range(30): open(f'own{n}', 'w').close()")).ok
        done = await InSession(session).run(beside(FILES.format(30, 0, 0)))
        assert done.ok, done.stderr
        limits = ResourceLimits(files=4000)  # it is the session's that counts
        done = await InSession(session).run(beside(FILES.format(60, 0, 20), limits))
        assert done.limit == "files"
        assert len(await session.files()) == 30


async def test_a_program_has_a_limit_on_memory_of_its_own(session: LocalSession) -> None:
    limits = ResourceLimits(memory_mb=300)
    done = await InSession(session).run(
        beside("bytearray(100 << 20)\nbytearray(400 << 20)", limits)
    )
    assert done.stderr.endswith(b"MemoryError\n")
    assert b"line 2" in done.stderr


async def test_more_files_than_the_limits_allow_are_refused(session: LocalSession) -> None:
    files = {f"{n}.txt": b"" for n in range(60)}
    with pytest.raises(UnsupportedError, match="files=40"):
        LocalSession(limits=FEW, files=files)
    program = Program(main="0.txt", files=files, limits=FEW)
    with pytest.raises(UnsupportedError, match="are 60, more than"):
        await InSession(session).run(program)


LEAVE = """
import os, tempfile
for folder in (tempfile.gettempdir(), os.path.expanduser("~")):
    print(sorted(os.listdir(folder)), open(f"{folder}/mine").read())
    open(f"{folder}/mine", "w").write("changed")
    open(f"{folder}/left", "w").close()
    os.makedirs(f"{folder}/deep" + "/d" * 30)
"""


async def test_a_program_leaves_nothing_in_other_folders_of_the_session(
    session: LocalSession,
) -> None:
    look = "[(sorted(os.listdir(one)), open(f'{one}/mine').read()) for one in places]"
    await session.run("import os, tempfile")
    await session.run("places = [tempfile.gettempdir(), os.path.expanduser('~')]")
    await session.run("for one in places: open(f'{one}/mine', 'w').write('kept')")
    before = (await session.run(look)).displays[0].text
    assert before is not None
    first = await InSession(session).run(beside(LEAVE, ResourceLimits()))
    assert first.ok, first.stderr
    assert (await session.run(look)).displays[0].text == before
    second = await InSession(session).run(beside(LEAVE, ResourceLimits()))
    assert second.ok, second.stderr
    assert second.stdout.count(b"kept") == 2


async def test_a_task_uses_the_sandbox_of_its_open_sessions() -> None:
    program = beside("print(1)", ResourceLimits())
    async with LocalSandbox(concurrency=3) as small:
        async with LocalSession(small) as one, LocalSession(small) as other:
            assert (await small.run(program)).stdout == b"1\n"
            assert (await one.run("1")).ok
            assert (await other.run("1")).ok
            async with LocalSession(small):
                with pytest.raises(UnsupportedError, match="concurrency=4"):
                    await small.run(program)
                with pytest.raises(UnsupportedError, match="concurrency=4"):
                    await LocalSession(small).__aenter__()
        assert (await small.run(program)).stdout == b"1\n"

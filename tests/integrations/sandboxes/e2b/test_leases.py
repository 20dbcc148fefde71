"""Which sandbox waits for which branch, and what a program is sent with."""

import io
import zipfile
from typing import Any

import anyio
import pytest
from tests.integrations.sandboxes.e2b.support import connected, python

from planish.data.program import Program, ResourceLimits
from planish.guest.protocol import frames
from planish_integrations.sandboxes.e2b import _running
from planish_integrations.sandboxes.e2b._job import pack
from planish_integrations.sandboxes.e2b._leases import Leases, TaskOwner
from planish_integrations.sandboxes.e2b._sdk import exit_code
from planish_integrations.testing.e2b import LoopbackE2B

pytestmark = pytest.mark.anyio


async def test_a_branch_is_its_task() -> None:
    mine = TaskOwner.current()
    assert TaskOwner.current() is mine
    others: list[TaskOwner] = []

    async def inner() -> None:
        others.append(TaskOwner.current())
        others.append(TaskOwner.current())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(inner)
        tasks.start_soon(inner)
    assert others[0] is others[1] or others[0] is others[2] or others[0] is others[3]
    assert mine not in others
    assert len({id(one) for one in others}) == 2
    assert TaskOwner.current() is mine


async def test_a_lease_waits_for_its_own_branch_and_only_once() -> None:
    leases, mine, other = Leases(), TaskOwner.current(), TaskOwner(0)
    first, second, third = boxes()
    leases.give(other, first)
    leases.give(mine, second)
    leases.give(mine, third)
    assert leases.take(TaskOwner(mine.task)) is None
    assert [leases.take(mine), leases.take(mine), leases.take(mine)] == [second, third, None]
    assert leases.any() == first
    assert leases.any() is None


async def test_what_a_branch_that_is_over_has_goes_first() -> None:
    leases, mine, over = Leases(), TaskOwner.current(), TaskOwner(0)
    first, second, third = boxes()
    leases.give(mine, first)
    leases.give(mine, second)
    assert leases.orphan() is None
    leases.give(over, third)
    assert leases.oldest() == third
    assert [leases.oldest(), leases.oldest(), leases.oldest()] == [first, second, None]
    leases.give(mine, first)
    leases.give(over, second)
    leases.give(over, third)
    assert [leases.orphan(), leases.orphan(), leases.orphan()] == [second, third, None]
    assert leases.take(mine) == first


def boxes() -> Any:
    """What leases never look into."""
    return "first", "second", "third"


async def test_a_job_says_all_of_a_program_and_its_files() -> None:
    program = Program(
        language="sh",
        main="main.sh",
        files={"main.sh": b"true", "a/b": b"\x00"},
        args=("x", "y"),
        env={"A": "own", "B": "b"},
        stdin=b"in",
        collect=("c",),
        outputs="out",
        results=True,
        limits=ResourceLimits(seconds=2.5, memory_mb=300),
    )
    job = pack(program, ("sh",), {"A": "all", "C": "c"}, "word", 7.5)
    with zipfile.ZipFile(io.BytesIO(job.data)) as packed:
        found = frames.decode(packed.read("request"))
        assert packed.read("word") == b"word"
        assert {"__main__.py", "planish_guest/supervisor/microvm.py"} < set(packed.namelist())
    assert found == {
        "argv": ["sh", "main.sh", "x", "y"],
        "env": {"A": "own", "B": "b", "C": "c"},
        "elsewhere": 0,
        "files": [("main.sh", b"true"), ("a/b", b"\x00")],
        "collect": ["c"],
        "outputs": "out",
        "stdin": b"in",
        "results": True,
        "seconds": 2.5,
        "longest": 7.5,
        "memory": 300 << 20,
        "file_bytes": program.limits.file_bytes,
        "output_bytes": program.limits.output_bytes,
        "processes": program.limits.processes,
        "disk": program.limits.disk_mb << 20,
        "inodes": program.limits.files,
    }
    assert job.command == f"exec python3 -I -S -B {job.path}"
    assert pack(program, (), {}, "word", 1.0).path != job.path


class StoppedHere(Exception):  # noqa: N818
    """The wall time is known."""


@pytest.mark.parametrize(
    ("seconds", "left", "wall"),
    [(2.0, 100.0, 40.0), (30.0, 100.0, 85.0), (90.0, 100.0, 90.0), (2.0, 20.0, 5.0)],
)
async def test_a_program_lasts_no_longer_than_its_sandbox(
    monkeypatch: pytest.MonkeyPatch, seconds: float, left: float, wall: float
) -> None:
    seen: list[float] = []

    def packed(*given: Any) -> None:
        seen.append(given[-1])
        raise StoppedHere

    class Anything:
        def __getattr__(self, name: str) -> Any:
            return left if name == "left" else Anything()

    anything: Any = Anything()
    monkeypatch.setattr(_running, "pack", packed)
    with pytest.raises(StoppedHere):
        await _running.perform(anything, python("", seconds=seconds), (), anything, anything)
    assert seen == [wall]


@pytest.mark.parametrize("internet", [False, True])
@pytest.mark.parametrize("fresh", ["context", "sandbox"])
async def test_what_is_promised_follows_from_the_settings(
    server: LoopbackE2B, fresh: str, *, internet: bool
) -> None:
    async with connected(server, fresh=fresh, internet=internet) as sandbox:
        completed = await sandbox.run(python("pass"))
    promised = {*completed.guarantees}
    assert ("cleanup" in promised) == (fresh == "sandbox")
    assert ("network" in promised) == (not internet)
    assert {"cpu", "disk", "environment", "files", "ipc", "memory"} <= promised
    assert "memory_total" not in promised  # shared memory that no process has is not counted
    assert {"output", "processes", "writes"} <= promised
    assert list(completed.guarantees) == sorted(promised)
    assert server.creations[0]["allow_internet_access"] is internet


async def test_a_program_has_these_variables(server: LoopbackE2B) -> None:
    source = "import os; print(*sorted(os.environ), os.environ['LANG'], os.environ['A'], sep=',')"
    sandbox = connected(server, env={"A": "of all", "B": "b"})
    completed = await sandbox.run(python(source, env={"A": "own"}))
    names = {*completed.stdout.decode().strip().split(",")[:-2]}
    assert {"A", "B", "HOME", "LANG", "PATH", "PYTHONHASHSEED", "TMPDIR"} <= names
    assert names <= {"A", "B", "HOME", "LANG", "PATH", "PYTHONHASHSEED", "TMPDIR", "LC_CTYPE"}
    assert completed.stdout.endswith(b",C.UTF-8,own\n")


@pytest.mark.parametrize("code", [0, 3, 137])
async def test_the_end_of_a_command_is_its_exit_code(code: int) -> None:
    exits: Any = pytest.importorskip("e2b").CommandExitException

    class Command:
        async def wait(self) -> None:
            if code:
                raise exits(stderr="", stdout="", exit_code=code, error=None)

    command: Any = Command()
    assert await exit_code(command) == code

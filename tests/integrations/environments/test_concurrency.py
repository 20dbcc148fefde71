"""However many want the same environment at once, and wherever, it is built once."""

import sys
from pathlib import Path
from subprocess import DEVNULL

import anyio
import pytest
from tests.integrations.environments.index import Index
from tests.integrations.environments.programs import Make, half_made, program, ready, until

from planish_integrations.environments import Environment

pytestmark = pytest.mark.anyio

WHEEL = "/files/plain-2.0-py3-none-any.whl"
PLAIN = program("import plain")

RESOLVE = """
import sys, anyio
from planish.data.program import Program
from planish_integrations.environments import Environments
environments = Environments(
    allow=["plain"], directory=sys.argv[1], index_url=sys.argv[2], env=["PIP_DEFAULT_TIMEOUT"]
)
program = Program(main="a.py", files={"a.py": b"import plain"})
found = anyio.run(environments.resolve, program, backend=sys.argv[3])
print(found.installs[0].cached, found.path)
"""


async def test_ten_at_once_build_once(make: Make, index: Index, cache: Path) -> None:
    environments = make("plain", index_url=index.url)
    found: list[Environment] = []

    async def resolve() -> None:
        found.append(await environments.resolve(PLAIN))

    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(resolve)
    assert index.requests[WHEEL] == 1
    assert sorted(one.installs[0].cached for one in found) == [False] + [True] * 9
    assert {one.path for one in found} == {cache / "ready" / found[0].fingerprint / "site"}
    assert half_made(cache) == []


async def test_two_processes_build_once(index: Index, cache: Path, anyio_backend_name: str) -> None:
    arguments = [sys.executable, "-c", RESOLVE, str(cache), index.url, anyio_backend_name]
    outputs: list[bytes] = []

    async def resolve() -> None:
        outputs.append((await anyio.run_process(arguments)).stdout)

    async with anyio.create_task_group() as group:
        group.start_soon(resolve)
        group.start_soon(resolve)
    assert sorted(out.split()[0] for out in outputs) == [b"False", b"True"]
    assert index.requests[WHEEL] == 1


async def test_who_waited_for_a_failure_shares_it(make: Make, index: Index) -> None:
    environments = make("never", index_url=index.url)
    found: list[Environment] = []

    async def resolve() -> None:
        found.append(await environments.resolve(program("import never")))

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(resolve)
    assert [one.installs[0].outcome for one in found] == ["missing"] * 5
    assert index.requests["/simple/never/"] == 1
    await resolve()  # who comes later asks again: it may be there now
    assert index.requests["/simple/never/"] == 2


async def test_a_cancelled_build_leaves_nothing(make: Make, index: Index, cache: Path) -> None:
    index.gate.clear()
    environments = make("plain", index_url=index.url)
    async with anyio.create_task_group() as group:
        group.start_soon(environments.resolve, PLAIN)
        await until(index.waiting.is_set)
        assert builders(cache)
        group.cancel_scope.cancel()
    assert builders(cache) == []
    assert (ready(cache), half_made(cache)) == ([], [])
    index.gate.set()
    found = await environments.resolve(PLAIN)
    assert found.installs[0].version == "2.0"


async def test_who_waited_for_a_cancelled_build_does_it(make: Make, index: Index) -> None:
    index.gate.clear()
    environments = make("plain", index_url=index.url)
    found: list[Environment] = []

    async def resolve() -> None:
        found.append(await environments.resolve(PLAIN))

    async with anyio.create_task_group() as waiting:
        async with anyio.create_task_group() as group:
            group.start_soon(environments.resolve, PLAIN)
            await until(index.waiting.is_set)
            waiting.start_soon(resolve)
            await anyio.wait_all_tasks_blocked()
            group.cancel_scope.cancel()
        index.gate.set()
    assert [one.installs[0].version for one in found] == ["2.0"]


async def test_a_killed_builder_leaves_nothing_that_lasts(
    make: Make,
    index: Index,
    cache: Path,
    anyio_backend_name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "600")  # pip would not end by itself
    index.gate.clear()
    arguments = [sys.executable, "-c", RESOLVE, str(cache), index.url, anyio_backend_name]
    async with await anyio.open_process(arguments, stdout=DEVNULL, stderr=DEVNULL) as builder:
        await until(index.waiting.is_set)
        builder.kill()
    await until(lambda: builders(cache) == [])  # pip notices, and ends itself
    assert ready(cache) == []
    [left] = half_made(cache)
    index.gate.set()
    environments = make("plain", index_url=index.url, env=["PIP_DEFAULT_TIMEOUT"])
    found = await environments.resolve(PLAIN)
    assert found.installs[0].version == "2.0"
    assert left not in half_made(cache)


def builders(cache: Path) -> list[int]:
    """The processes of pip that work in this directory."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:  # it has ended
            continue
        if "run_pip.py" in line and str(cache) in line:
            found.append(int(folder.name))
    return found

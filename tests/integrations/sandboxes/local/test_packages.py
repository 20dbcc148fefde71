"""Packages that programs ask for: installed once, shown to them, and forgotten in time."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from tests.integrations.environments.wheels import wheel
from tests.integrations.sandboxes.processes import eventually, family, in_fork

from planish.data.program import Program
from planish_integrations.environments import Environments
from planish_integrations.local import LocalSandbox, Tier
from planish_integrations.sandboxes.local._configuration import ZygoteConfig, encode_request
from planish_integrations.sandboxes.local._pool import Pool
from planish_integrations.sandboxes.local._running import run_program

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Environments:
    """One distribution, and a place where it is installed once for all of these tests."""
    folder = tmp_path_factory.mktemp("wheels")
    wheel(folder, "tiny", "1.5")
    return Environments(allow=["tiny"], find_links=[folder], directory=folder / "cache")


async def test_a_program_finds_what_it_imports(
    tier: Tier, python: Python, environments: Environments
) -> None:
    async with LocalSandbox(tier=tier, environments=environments) as sandbox:
        for _ in range(2):
            done = await sandbox.run(python("import tiny\nprint(tiny.version, tiny.__file__)"))
            assert done.stdout.startswith(b"1.5 "), done.stderr
            assert done.findings == ()
        write = "import tiny\nopen(tiny.__file__, 'a')"
        assert not (await sandbox.run(python(write))).ok  # it is everybody's
        plain = await sandbox.run(python("__import__('ti' + 'ny')"))
        assert b"No module named 'tiny'" in plain.stderr  # it did not say that it needs it


async def test_an_interpreter_of_its_own_finds_them_too(
    tier: Tier, python: Python, environments: Environments, tmp_path: Path
) -> None:
    """Another hash seed needs one, as of `CodeExecution(check_hash_order=True)`."""
    folder = tmp_path / "pkg"
    folder.mkdir()
    (folder / "mine.py").write_text("number = 3\n")
    (folder / "decimal.py").write_text("raise ImportError('in place of the standard library')\n")
    looks = python("import decimal, mine, tiny\nprint(mine.number, tiny.version)")
    seeded = replace(looks, env={"PYTHONHASHSEED": "1", "PYTHONPATH": "/nowhere"})
    for fresh in (True, False):
        async with LocalSandbox(
            tier=tier, environments=environments, packages=[folder], fresh_interpreter=fresh
        ) as sandbox:
            for program in (looks, seeded):
                done = await sandbox.run(program)
                assert done.stdout == b"3 1.5\n", done.stderr


async def test_a_program_that_is_talked_to_finds_a_folder_of_packages(
    tier: Tier, python: Python, tmp_path: Path
) -> None:
    folder = tmp_path / "pkg"
    folder.mkdir()
    (folder / "mine.py").write_text("number = 3\n")
    sandbox = LocalSandbox(tier=tier, packages=[folder], fresh_interpreter=True)
    program = python("import mine\nprint(mine.number, flush=True)\ninput()")
    async with sandbox, sandbox.interact(program) as running:
        assert await running.receive() == b"3\n"


async def test_what_may_not_be_installed_is_said(
    tier: Tier, python: Python, environments: Environments
) -> None:
    async with LocalSandbox(tier=tier, environments=environments) as sandbox:
        done = await sandbox.run(python("import tiny_pro"))
    assert not done.ok
    assert "the package tiny_pro" in " ".join(done.findings)


async def test_of_many_environments_the_ones_used_last_are_kept(
    tier: Tier, python: Python, tmp_path: Path
) -> None:
    before = family(os.getpid())
    pool = Pool()
    program = python("import one\nprint(one.number)")

    async def run(number: int) -> None:
        folder = tmp_path / str(number)
        folder.mkdir(exist_ok=True)
        (folder / "one.py").write_text(f"number = {number}")
        recipe = ZygoteConfig(tier=tier, packages=(str(folder),), spare=0)
        async with pool.using(recipe):
            done = await run_program(pool, recipe, program, partial(encode_request, program, ()))
        assert done.stdout == b"%d\n" % number, done.stderr

    def zygotes() -> int:
        found = family(os.getpid(), but=before)
        return sum(_parent(pid) == os.getpid() for pid in found)

    try:
        for number in (1, 2, 3, 4, 1, 5, 6):
            await run(number)
        assert eventually(lambda: zygotes() == 4)
        await run(1)  # used lately: it is there yet
        assert zygotes() == 4
        await run(2)  # it is started anew
        assert eventually(lambda: zygotes() == 4)
    finally:
        pool.close()
    assert eventually(lambda: not family(os.getpid(), but=before))


async def test_a_fork_of_the_host_counts_the_runs_of_its_own(tier: Tier) -> None:
    """The environment that a fork has used too long ago is ended there, though its parent uses it.

    A count that the fork inherited would keep it for ever.
    """
    pool = Pool()
    used, *others = [ZygoteConfig(tier=tier, preload=(name,), spare=0) for name in ("abc", *"bcde")]

    async def use_all() -> int:
        async with pool.using(used):
            await pool.start(used)
        for other in others:  # as many as are kept
            async with pool.using(other):
                pass
        return len(family(os.getpid()))

    async with pool.using(used):
        assert await anyio.to_thread.run_sync(in_fork, use_all) == 0


def _parent(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    except OSError:
        return None

"""Sandboxes of every tier, each started once, and what they may leave behind."""

import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from pathlib import Path

import anyio
import pytest
from tests.integrations.sandboxes.local.abuse.users import LEGS, Leg, leg_named
from tests.integrations.sandboxes.places import local
from tests.integrations.sandboxes.processes import family

from planish.data.program import Program
from planish_integrations.local import LocalSandbox, Tier, TierReport, probe

Processes = Callable[[], set[int]]


@cache
def reports() -> dict[str, TierReport]:
    """What works on this machine."""
    return {report.tier: report for report in anyio.run(probe)}


@pytest.fixture(params=["namespaces", "landlock", "bubblewrap"])
def tier(request: pytest.FixtureRequest) -> Tier:
    """Each tier that works here; skips where it does not, with its reason."""
    wanted: Tier = request.param
    report = reports()[wanted]
    if not report.works:
        pytest.skip(f"{wanted} does not work here: {report.reason}")
    return wanted


@pytest.fixture
def sandbox(tier: Tier) -> LocalSandbox:
    """A sandbox of that tier, the same one for all tests."""
    return local(tier)


@pytest.fixture
def python() -> Callable[..., Program]:
    """A Python program from its source."""

    def program(source: str | bytes, **fields: object) -> Program:
        content = source if isinstance(source, bytes) else source.encode()
        return Program(main="main.py", files={"main.py": content}, **fields)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    return program


@pytest.fixture(scope="module", params=LEGS)
def leg(request: pytest.FixtureRequest) -> Iterator[Leg]:
    """Root, and a user who may do nothing, each as far as it is to be had here."""
    with tempfile.TemporaryDirectory(prefix="planish-legs-") as name:
        library = Path(name)
        library.chmod(0o755)
        found = leg_named(request.param, library)
        if isinstance(found, str):
            pytest.skip(found)
        yield found


@pytest.fixture
def others() -> set[int]:
    """The processes that were there before the test: what starts below them is not its own."""
    return family(os.getpid())


@pytest.fixture
async def one(tier: Tier, others: set[int]) -> AsyncIterator[LocalSandbox]:
    """A sandbox of a configuration that no other test has, for one program at a time."""
    del others
    async with LocalSandbox(tier=tier, concurrency=1, spare=1, readable=["/etc/hostname"]) as made:
        yield made


@pytest.fixture
def processes(one: LocalSandbox, others: set[int]) -> Processes:
    """Those that outlive a run: all but that of the next program, once that is there."""
    del one

    def found() -> set[int]:
        return {pid for pid in family(os.getpid(), but=others) if family(pid)}

    def settled() -> set[int]:
        last: set[int] = set()
        for _ in range(100):
            now = found()
            if now and now == last:
                return now
            last = now
            time.sleep(0.05)
        raise AssertionError("its processes do not come to rest")

    return settled


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give this test's sandboxes a directory of their own for their runs.

    The directories in /tmp are named by process numbers. A number comes again, and killed
    processes of other tests leave theirs, so what lies in /tmp says nothing of one test.
    """
    place = Path(tempfile.mkdtemp())
    place.chmod(0o711)  # runs under another user pass through it
    monkeypatch.setenv("TMPDIR", str(place))  # for processes
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    shutil.rmtree(place)

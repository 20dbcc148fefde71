"""A sandbox whose every trace can be found from outside."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planish.data.program import Program
from planish_integrations.unsafe import UnsafeLocalSandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> UnsafeLocalSandbox:
    return UnsafeLocalSandbox(directory=tmp_path, concurrency=8)


@pytest.fixture
def python() -> Callable[..., Program]:
    """A Python program from its source."""

    def program(source: str, **fields: object) -> Program:
        return Program(main="main.py", files={"main.py": source.encode()}, **fields)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    return program


@pytest.fixture
def traces(tmp_path: Path) -> Callable[[], list[str]]:
    """Whatever runs of `sandbox` have left: processes, also orphans, and directories."""

    def find() -> list[str]:
        return [*_processes(str(tmp_path)), *map(str, tmp_path.iterdir())]

    return find


@pytest.fixture
def nothing_left(traces: Callable[[], list[str]]) -> Iterator[None]:
    """After the test: no process, no directory, no child, no descriptor more than before."""
    descriptors, children = _descriptors(), _children()
    yield
    assert traces() == []
    # What an earlier test left to the garbage collector may end meanwhile.
    assert _children() <= children
    assert _descriptors() <= descriptors


@pytest.fixture
def all_gone(traces: Callable[[], list[str]]) -> Callable[[float], float]:
    """Waits until nothing is left; the seconds that took. Fails after so many seconds."""

    def wait(patience: float) -> float:
        start = time.monotonic()
        while left := traces():
            assert time.monotonic() - start < patience, left
            time.sleep(0.005)
        return time.monotonic() - start

    return wait


def _processes(mark: str) -> Iterator[str]:
    """Yield the processes that have `mark` in their environment or work below it."""
    for folder in _all_processes():
        try:
            marked = os.fsencode(mark) in (folder / "environ").read_bytes()
            if marked or f"{(folder / 'cwd').readlink()}/".startswith(f"{mark}/"):
                yield f"{folder.name} {(folder / 'cmdline').read_bytes()!r}"
        except OSError:
            continue  # it has ended


def _children() -> set[int]:
    """Return our child processes, also those that have ended and were not waited for."""
    found: set[int] = set()
    for folder in _all_processes():
        try:
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(folder.name))
    return found


def _all_processes() -> list[Path]:
    return [folder for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def _descriptors() -> set[int]:
    return {int(name) for name in os.listdir("/proc/self/fd")}  # noqa: PTH208  # not paths

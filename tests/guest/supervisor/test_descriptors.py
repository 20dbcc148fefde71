"""Files without a name: a program's input, and its results."""

import os
from pathlib import Path

import pytest

from planish.guest.supervisor.descriptors import input_file, read_back, results_file


@pytest.fixture(params=[True, False])
def memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the system has files in memory."""
    if not request.param:
        monkeypatch.delattr(os, "memfd_create")
    return bool(request.param)


@pytest.mark.usefixtures("memory")
def test_input_is_read_from_its_beginning_and_cannot_be_written(tmp_path: Path) -> None:
    content = bytes(range(256)) * 10
    handle = input_file(content, str(tmp_path))
    assert os.read(handle, 10_000) == content
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.write(handle, b"x")
    assert os.fstat(handle).st_nlink == 0
    assert os.fstat(handle).st_mode & 0o777 == 0o444
    assert not list(tmp_path.iterdir())
    os.close(handle)


def test_input_in_memory_cannot_be_written_even_by_its_owner() -> None:
    handle = input_file(b"in")
    with pytest.raises(PermissionError):
        os.write(os.open(f"/proc/self/fd/{handle}", os.O_WRONLY), b"x")
    os.close(handle)


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("named", [True, False])
def test_results_are_read_back_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, named: bool
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    written, read = results_file(str(tmp_path) if named else None)
    assert read_back(read, 100) == b""
    content = os.urandom(2_500_000)
    os.write(written, content)
    assert read_back(read, 10_000_000) == content
    for limit in (0, 1, 1 << 20, 1_100_000, 2_500_000):
        assert read_back(read, limit) == content[:limit]
    for handle in (written, read):
        assert os.fstat(handle).st_nlink == 0
        assert not os.get_inheritable(handle)
        os.close(handle)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="no files in memory here")
def test_results_are_in_memory_unless_they_have_a_folder(tmp_path: Path) -> None:
    for folder, place in ((None, "/memfd:"), (str(tmp_path), f"{tmp_path}/")):
        for one in results_file(folder):
            assert str(Path(f"/proc/self/fd/{one}").readlink()).startswith(place)
            os.close(one)

"""Files without a name: a program's input, and what its first process reports."""

import os
from pathlib import Path

import pytest

from planish.guest.e2b.nameless import input_file, read_back, results_file


def test_input_is_read_from_its_beginning_and_cannot_be_written(tmp_path: Path) -> None:
    content = bytes(range(256)) * 10
    handle = input_file(content, tmp_path)
    assert os.read(handle, 10_000) == content
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.write(handle, b"x")
    assert os.fstat(handle).st_nlink == 0
    assert os.fstat(handle).st_mode & 0o777 == 0o400
    assert not list(tmp_path.iterdir())
    os.close(handle)


@pytest.mark.parametrize("memory", [True, False])
def test_results_are_read_back_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, memory: bool
) -> None:
    if not memory:
        monkeypatch.delattr(os, "memfd_create")
    handle = results_file(tmp_path)
    assert read_back(handle, 100) == b""
    content = os.urandom(2_500_000)
    os.write(handle, content)
    assert read_back(handle, 10_000_000) == content
    for limit in (0, 1, 1 << 20, 1_100_000, 2_500_000):
        assert read_back(handle, limit) == content[:limit]
    assert os.fstat(handle).st_nlink == 0
    assert not list(tmp_path.iterdir())
    assert not os.get_inheritable(handle)
    os.close(handle)

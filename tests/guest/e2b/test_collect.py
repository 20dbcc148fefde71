"""What a program left is collected: regular files only, within limits, and no link is followed."""

import os
from pathlib import Path
from typing import Any

import pytest

from planish.guest.e2b.collect import collect, gather

LIMITS: dict[str, Any] = {"files": 10, "file_bytes": 100, "disk_mb": 1}


def test_files_at_paths_are_collected(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c").write_bytes(b"deep")
    (tmp_path / "top").write_bytes(b"x" * 100)
    (tmp_path / "large").write_bytes(b"x" * 101)
    paths = ["a/b/c", "top", "large", "absent", "a/b", "a/absent/c", "top/c"]
    assert collect(tmp_path, paths, 100) == {"a/b/c": b"deep", "top": b"x" * 100}


def test_nothing_is_collected_by_way_of_a_link_or_from_a_pipe(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (inside / "file").symlink_to(outside / "secret")
    (inside / "folder").symlink_to(outside)
    os.mkfifo(inside / "pipe")
    assert collect(inside, ["file", "folder/secret", "pipe"], 100) == {}
    found, findings = gather(tmp_path, "in", LIMITS)
    assert found == {}
    assert [finding.split("'")[1] for finding in findings] == ["file", "folder", "pipe"]
    (tmp_path / "shortcut").symlink_to(inside)
    assert collect(tmp_path / "shortcut", ["file"], 100) == {}


def test_descriptors_are_closed(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c").write_bytes(b"deep")
    before = list(Path("/proc/self/fd").iterdir())
    collect(tmp_path, ["a/b", "a/b/c", "a/absent", "a/absent/c", "a/b/c/d"], 100)
    gather(tmp_path, "a", LIMITS)
    assert len(list(Path("/proc/self/fd").iterdir())) == len(before)


def test_all_files_of_a_folder_come_in_order(tmp_path: Path) -> None:
    for name in ("out/b", "out/a", "out/d/c", "out/d/e/f", "out/c/z", "elsewhere"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    found, findings = gather(tmp_path, "out", LIMITS)
    assert list(found) == ["a", "b", "c/z", "d/c", "d/e/f"]
    assert found == {name: f"out/{name}".encode() for name in found}
    assert findings == []


def test_only_so_many_files_are_gathered(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / str(number)).write_bytes(b"")
    found, findings = gather(tmp_path, ".", LIMITS | {"files": 3})
    assert list(found) == ["0", "1", "2"]
    assert findings == ["outputs: only the first 3 files were kept"]
    found, findings = gather(tmp_path, ".", LIMITS | {"files": 4})
    assert (len(found), findings) == (4, [])


def test_all_files_together_have_a_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 700_000)
    (tmp_path / "b").write_bytes(b"x" * 400_000)
    (tmp_path / "d").write_bytes(b"x" * ((1 << 20) - 700_000))
    found, findings = gather(tmp_path, ".", LIMITS | {"file_bytes": 1 << 20})
    assert list(found) == ["a", "d"]
    assert findings == ["outputs: 'b' was left out: it is no regular file, or too large"]
    found, findings = gather(tmp_path, ".", LIMITS | {"file_bytes": 1 << 20, "disk_mb": 2})
    assert list(found) == ["a", "b", "d"]


def test_what_was_left_out_is_named_up_to_a_hundred(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number:03}").symlink_to("/")
    assert len(gather(tmp_path, ".", LIMITS)[1]) == 100
    (tmp_path / "999").symlink_to("/")
    findings = gather(tmp_path, ".", LIMITS)[1]
    assert len(findings) == 101
    assert findings[-1] == "outputs: more files were left out"


def test_a_name_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(tmp_path) + b"/\xff")).write_bytes(b"x")
    found, findings = gather(tmp_path, ".", LIMITS)
    assert found == {}
    assert findings == [r"outputs: '\udcff' was left out: UnicodeEncodeError"]


@pytest.mark.parametrize("kind", ["link", "file", "nothing"])
def test_a_folder_that_is_none_any_more_is_named(tmp_path: Path, kind: str) -> None:
    if kind == "link":
        (tmp_path / "out").symlink_to("/etc")
    elif kind == "file":
        (tmp_path / "out").write_bytes(b"")
    assert gather(tmp_path, "out", LIMITS) == ({}, ["outputs: 'out' is no folder any more"])

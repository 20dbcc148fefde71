"""A run's folder: laid out, read without following links, and removed however deep it is."""

import os
from pathlib import Path

import pytest

from planish.guest.unsafe.planish_warden.files import collect, lay_out, outputs, remove


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that a program starts in."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_files_are_laid_out_and_collected(work: Path) -> None:
    lay_out([("top", b"1"), ("a/b/c", b"22"), ("a/d", b"333")])
    assert (work / "a/b/c").read_bytes() == b"22"
    paths = ["a/d", "absent", "top", "a", "a/b/c", "a/absent/c", "top/c"]
    assert list(collect(paths, 2)) == [("a/d", b"33"), ("top", b"1"), ("a/b/c", b"22")]
    assert list(collect(["a/d"], 0)) == [("a/d", b"")]
    large = os.urandom(2_500_000)
    lay_out([("top", large)])
    assert list(collect(["top"], 1 << 40)) == [("top", large)]
    assert list(collect(["top"], 1_500_000)) == [("top", large[:1_500_000])]


def test_links_pipes_and_what_is_behind_them_are_not_read(work: Path) -> None:
    outside = work.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (work / "out").mkdir()
    (work / "out/file").symlink_to(outside / "secret")
    (work / "out/folder").symlink_to(outside)
    os.mkfifo(work / "out/pipe")
    assert list(collect(["out/file", "out/folder/secret", "out/pipe"], 100)) == []
    assert list(outputs("out", 100)) == [("file", None), ("folder", None), ("pipe", None)]
    assert list(outputs("out/folder", 100)) == [("", None)]
    assert list(outputs("out/pipe", 100)) == [("", None)]
    assert list(outputs("absent", 100)) == [("", None)]


def test_no_descriptor_is_left_open(work: Path) -> None:
    lay_out([("a/b/c", b"1")])
    (work / "link").symlink_to("a")
    before = len(list(Path("/proc/self/fd").iterdir()))
    list(collect(["a/b/c", "a/b", "a/x/y", "link/b/c", "a/b/c/d"], 10))
    list(outputs("a", 10))
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert remove(str(work)) == 0
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.usefixtures("work")
def test_outputs_come_in_order_each_and_all_within_limits() -> None:
    lay_out([(f"out/{name}", name.encode()) for name in ("b", "a", "z/y", "c/d/e")])
    assert list(outputs("out", 100)) == [
        *(("a", b"a"), ("b", b"b"), ("z/y", b"z/y"), ("c/d/e", b"c/d/e")),
    ]
    lay_out([("many/exact", b"x" * 10), ("many/large", b"x" * 11)])
    assert list(outputs("many", 10)) == [("exact", b"x" * 10), ("large", None)]
    lay_out([(f"all/{number:02}", b"x" * 10) for number in range(17)])
    found = dict(outputs("all", 10))
    assert [name for name, content in found.items() if content is None] == ["16"]
    lay_out([("all/17", b"")])
    assert dict(outputs("all", 10))["17"] == b""


@pytest.mark.usefixtures("work")
def test_folders_too_deep_down_are_left_out() -> None:
    deep = "/".join("d" for _ in range(64))
    lay_out([(f"out/{deep}/file", b"1"), (f"out/{deep}/e/file", b"2")])
    assert list(outputs("out", 100)) == [(f"{deep}/e", None), (f"{deep}/file", b"1")]


def test_a_folder_is_removed_however_deep_or_shut(work: Path) -> None:
    (work / "keep").write_bytes(b"keep")
    root = work / "root"
    (root / "planish-1").mkdir(parents=True)
    (root / "planish-2").write_bytes(b"")
    (root / "link").symlink_to(work)
    place = os.getcwd()  # noqa: PTH109
    os.chdir(root)
    for _ in range(300):
        os.mkdir("d")  # noqa: PTH102
        os.mkdir("e")  # noqa: PTH102
        Path("file").write_bytes(b"")
        os.chdir("d")
    os.chdir(place)
    (root / "d").chmod(0)
    root.chmod(0)
    assert remove(str(root)) == 0
    assert not root.exists()
    assert remove(str(root)) == 0  # it is gone
    assert (work / "keep").read_bytes() == b"keep"


def test_what_stands_in_the_place_of_a_folder_is_removed_itself(work: Path) -> None:
    (work / "kept").mkdir()
    (work / "kept/file").write_bytes(b"")
    (work / "link").symlink_to("kept")
    (work / "file").write_bytes(b"")
    assert [remove(str(work / "link")), remove(str(work / "file"))] == [1, 1]
    assert sorted(path.name for path in work.iterdir()) == ["kept"]
    assert (work / "kept/file").exists()

"""A run's folder: laid out, read without following links, and removed however deep it is."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from planish.guest.supervisor.collection import send_back
from planish.guest.supervisor.files import lay_out
from planish.guest.supervisor.frames import FILE, LEFT_OUT, OUTPUT
from planish.guest.supervisor.removal import remove, size_of

LARGE = 1 << 40

Collect = Callable[..., list[tuple[str, bytes]]]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that a program starts in."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def sent(kind: bytes, without: str = "", **asked: Any) -> list[tuple[str, bytes]]:
    """Path and content of the frames of a kind that are sent back."""
    found: list[tuple[str, bytes]] = []

    def add(got: bytes, content: bytes) -> None:
        if got == kind:
            path, _, rest = content.partition(b"\0")
            found.append((os.fsdecode(path), rest))

    usual: dict[str, Any] = {
        "collect": [],
        "outputs": None,
        "file_bytes": 100,
        "disk": LARGE,
        "inodes": 1000,
    }
    send_back(add, cast("Any", {**usual, **asked}), without)
    return found


def test_files_are_laid_out_and_collected(work: Path) -> None:
    made = lay_out([("top", b"1"), ("a/b/c", b"22"), ("a/d", b"333")], "out/x")
    assert [*made] == ["top", "a/b/c", "a/b", "a", "a/d", "out/x", "out"]
    assert (work / "a/b/c").read_bytes() == b"22"
    assert (work / "out/x").is_dir()
    paths = ["a/d", "absent", "top", "a", "a/b/c", "a/absent/c", "top/c"]
    assert sent(FILE, collect=paths, file_bytes=2) == [
        *(("a/d", b"33"), ("top", b"1"), ("a/b/c", b"22"))
    ]
    assert sent(FILE, collect=paths, disk=4) == [("a/d", b"333"), ("top", b"1"), ("a/b/c", b"")]
    assert sent(FILE, "a", collect=paths) == [("top", b"1")]
    large = os.urandom(2_500_000)
    lay_out([("top", large)], None)
    assert sent(FILE, collect=["top"], file_bytes=LARGE) == [("top", large)]
    assert sent(FILE, collect=["top"], file_bytes=1_500_000) == [("top", large[:1_500_000])]


def test_what_is_no_regular_file_is_not_read_and_the_reason_is_said(work: Path) -> None:
    outside = work.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (work / "out").mkdir()
    (work / "out/file").symlink_to(outside / "secret")
    (work / "out/folder").symlink_to(outside)
    os.mkfifo(work / "out/pipe")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind("out/socket")
    assert sent(FILE, collect=["out/file", "out/folder/secret", "out/pipe", "out/socket"]) == []
    assert sent(OUTPUT, outputs="out") == []
    assert sent(LEFT_OUT, outputs="out") == [
        ("file", b"it is a symbolic link"),
        ("folder", b"it is a symbolic link"),
        ("pipe", b"it is a named pipe"),
        ("socket", b"it is a socket"),
    ]
    for gone in ("out/folder", "out/pipe", "absent"):
        [(path, why)] = sent(LEFT_OUT, outputs=gone)
        assert (path, why.partition(b":")[0]) == ("", b"the folder cannot be read")


def test_no_descriptor_is_left_open(work: Path) -> None:
    lay_out([("a/b/c", b"1")], None)
    (work / "link").symlink_to("a")
    before = len(list(Path("/proc/self/fd").iterdir()))
    sent(FILE, collect=["a/b/c", "a/b", "a/x/y", "link/b/c", "a/b/c/d"], outputs="a")
    sent(LEFT_OUT, outputs="a", inodes=1)
    size_of(str(work), 100)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert remove(str(work))
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.usefixtures("work")
def test_outputs_come_in_order_each_and_all_within_limits() -> None:
    lay_out([(f"out/{name}", name.encode()) for name in ("b", "a", "z/y", "c/d/e")], None)
    assert sent(OUTPUT, outputs="out") == [
        *(("a", b"a"), ("b", b"b"), ("z/y", b"z/y"), ("c/d/e", b"c/d/e")),
    ]
    lay_out([("many/exact", b"x" * 10), ("many/large", b"x" * 11), ("many/small", b"x")], None)
    asked: dict[str, Any] = {"outputs": "many", "file_bytes": 10}
    assert sent(OUTPUT, **asked) == [("exact", b"x" * 10), ("small", b"x")]
    assert sent(LEFT_OUT, **asked) == [("large", b"it has 11 bytes, and 10 are allowed")]
    assert sent(OUTPUT, **asked, disk=10) == [("exact", b"x" * 10)]
    assert sent(LEFT_OUT, **asked, disk=10)[1:] == [
        ("small", b"all outputs together are too large")
    ]


def test_what_does_not_fit_is_not_read(work: Path) -> None:
    (work / "out").mkdir()
    for number in range(10):
        with (work / f"out/{number}").open("wb") as file:
            file.truncate(1 << 20)  # a hole: it takes no room on the disk
    before = _bytes_read()
    assert len(sent(LEFT_OUT, outputs="out", file_bytes=1 << 20, disk=1 << 20)) == 9
    assert _bytes_read() - before < 2 << 20


def _bytes_read() -> int:
    return int(Path("/proc/self/io").read_text("utf-8").split()[1])


@pytest.mark.usefixtures("work")
def test_the_number_of_outputs_and_of_reasons_is_bounded() -> None:
    lay_out([(f"out/{number:03}", b"") for number in range(120)], None)
    assert len(sent(OUTPUT, outputs="out", inodes=120)) == 120
    assert len(sent(OUTPUT, outputs="out", inodes=110)) == 110
    assert sent(LEFT_OUT, outputs="out", inodes=110) == [("", b"there are more than 110 files")]
    lay_out([(f"out/{number:03}", b"xx") for number in range(120)], None)
    assert sent(OUTPUT, outputs="out", file_bytes=1) == []
    reasons = sent(LEFT_OUT, outputs="out", file_bytes=1)
    assert (len(reasons), reasons[-1]) == (101, ("", b"more files were left out"))


@pytest.mark.usefixtures("work")
def test_folders_too_deep_down_are_left_out() -> None:
    deep = "/".join("d" for _ in range(64))
    lay_out([(f"out/{deep}/file", b"1"), (f"out/{deep}/e/file", b"2")], None)
    assert sent(OUTPUT, outputs="out") == [(f"{deep}/file", b"1")]
    assert sent(LEFT_OUT, outputs="out") == [(f"{deep}/e", b"it is a folder too deep down")]


def test_a_folder_is_measured_as_far_as_is_allowed(work: Path) -> None:
    lay_out([("a/b", b"x" * 10_000), ("a/c", b"x" * 10_000)], None)
    size, files = size_of(str(work), 100)
    assert files == 3
    assert 20_000 <= size < 60_000
    assert size_of(str(work), 1)[1] > 1
    (work / "a").chmod(0o300)  # written, and not read
    assert size_of(str(work), 100) == (size, files)


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
    assert size_of(str(root), 5_000)[1] == 5_001  # nested too deep to be measured
    (root / "d").chmod(0)
    root.chmod(0)
    assert remove(str(root))
    assert not root.exists()
    assert remove(str(root))  # it is gone
    assert (work / "keep").read_bytes() == b"keep"


def test_what_stands_in_the_place_of_a_folder_is_removed_itself(work: Path) -> None:
    (work / "kept").mkdir()
    (work / "kept/file").write_bytes(b"")
    (work / "link").symlink_to("kept")
    (work / "file").write_bytes(b"")
    assert [remove(str(work / "link")), remove(str(work / "file"))] == [False, False]
    assert sorted(path.name for path in work.iterdir()) == ["kept"]
    assert (work / "kept/file").exists()

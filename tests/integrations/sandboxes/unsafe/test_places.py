"""The folder of one run, its environment, and the descriptors between host and supervisor."""

import os
from pathlib import Path

import pytest

from planish_integrations.sandboxes.unsafe._channels import Channels
from planish_integrations.sandboxes.unsafe._place import Place


def test_a_place_has_three_folders_of_its_own(tmp_path: Path) -> None:
    place = Place(str(tmp_path))
    assert Path(place.root).parent == tmp_path
    assert Path(place.root).name.startswith("planish-")
    assert sorted(os.listdir(place.root)) == ["home", "tmp", "work"]  # noqa: PTH208
    for folder in (place.root, place.work, place.home, place.tmp):
        assert Path(folder).stat().st_mode & 0o777 == 0o700
    assert place.environment("/opt/python/bin/python3") == {
        "PATH": "/opt/python/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": f"{place.root}/home",
        "TMPDIR": f"{place.root}/tmp",  # noqa: S108
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
    }
    assert place.exists()
    place.discard()
    assert not place.exists()


def test_what_was_put_in_is_removed_and_not_discarded(tmp_path: Path) -> None:
    place = Place(str(tmp_path))
    (Path(place.work) / "file").write_bytes(b"")
    place.discard()
    assert place.exists()
    assert place.remove()
    assert not place.exists()
    assert place.remove()


def test_a_place_that_cannot_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    real = Path.mkdir

    def full(self: Path, mode: int = 0o777) -> None:
        if len(made) == 2:
            raise OSError("no space")
        made.append(self)
        real(self, mode)

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(OSError, match="no space"):
        Place(str(tmp_path))
    assert not list(tmp_path.iterdir())


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("results", [False, True])
def test_channels_carry_what_they_are_for(tmp_path: Path, *, results: bool) -> None:
    before = descriptors()
    channels = Channels(str(tmp_path), b"x" * 100_000, results=results)
    assert not list(tmp_path.iterdir())
    assert os.read(channels.their_stdin, 200_000) == b"x" * 100_000
    assert os.fstat(channels.their_stdin).st_nlink == 0
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.write(channels.their_stdin, b"x")
    os.write(channels.their_stdout, b"out")
    os.write(channels.their_stderr, b"err")
    os.write(channels.their_control, b"hi")
    assert (os.read(channels.stdout, 9), os.read(channels.stderr, 9)) == (b"out", b"err")
    assert channels.control.recv(9) == b"hi"
    ours = (channels.stdout, channels.stderr, channels.control.fileno())
    assert not any(os.get_blocking(number) for number in ours)
    assert os.get_blocking(channels.their_stdout)
    if channels.their_results is None:
        assert not results
        assert channels.reported(10) is None
    else:
        os.write(channels.their_results, b"y" * 1_500_000)
        assert channels.reported(1_400_000) == b"y" * 1_400_000
        assert channels.reported(10**9) == b"y" * 1_500_000
        assert channels.reported(0) == b""
    channels.close_theirs()
    channels.close_theirs()
    assert os.read(channels.stdout, 9) == b""  # the other end is closed
    assert channels.reported(1) == (b"y" if results else None)
    channels.close()
    channels.close()
    assert descriptors() == before


def test_channels_that_cannot_be_opened_leave_nothing_open(tmp_path: Path) -> None:
    before = descriptors()
    with pytest.raises(OSError, match="No such file"):
        Channels(str(tmp_path / "absent"), b"", results=True)
    assert descriptors() == before

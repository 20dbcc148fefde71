"""What the tests of the unsafe and of the local sandbox share: streams, frames, interpreters."""

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from planish.errors import UnsupportedError

__all__ = ["check_capture", "check_find", "check_frames"]

COMMANDS = {
    "bash": "bash",
    "javascript": "node",
    "lua": "lua",
    "perl": "perl",
    "php": "php",
    "r": "Rscript",
    "ruby": "ruby",
    "sh": "sh",
}


def check_frames(kind: Callable[[], Any]) -> None:
    """Frames count when they are complete, in order, however they arrive."""
    sent = [(b"F", b"one"), (b"E", b""), (b"F", b"x" * 300), (b"F", b"two")]
    data = b"".join(kind + len(text).to_bytes(8, "big") + text for kind, text in sent)
    for size in (1, 2, 9, 10, 50, len(data)):
        frames = kind()
        for at in range(0, len(data), size):
            frames.feed(data[at : at + size])
        assert frames[b"F"] == [b"one", b"x" * 300, b"two"]
        assert (frames[b"E"], frames[b"X"]) == ([b""], [])
    frames = kind()
    frames.feed(data[:11])
    assert frames[b"F"] == []
    frames.feed(data[11:12])
    assert frames[b"F"] == [b"one"]


async def check_capture(capture: Callable[[int, int], Any]) -> None:
    """A stream is kept up to a limit, and one byte more says that there was more."""
    for written, most, over in ((10, 10, False), (11, 10, True), (0, 10, False), (9, 0, True)):
        read, write = os.pipe()
        os.set_blocking(read, False)
        os.write(write, b"x" * written)
        os.close(write)
        stream = capture(read, most)
        with anyio.fail_after(10):
            await stream.record()
        assert (bytes(stream.data), stream.over) == (b"x" * min(written, most), over)
        os.close(read)
    read, write = os.pipe()
    os.set_blocking(read, False)
    stream = capture(read, 200_000)
    late = threading.Timer(0.05, os.write, (write, b"a" * 60_000))
    late.start()
    with anyio.move_on_after(0.3):
        await stream.record()
    late.join()
    os.write(write, b"b" * 60_000)
    stream.take_rest()
    stream.take_rest()  # and no more is there
    assert bytes(stream.data) == b"a" * 60_000 + b"b" * 60_000
    assert not stream.over
    os.close(read)
    os.close(write)


def check_find(
    find: Callable[[str, Mapping[str, tuple[str, ...]]], tuple[str, ...]],
    languages: Mapping[str, tuple[str, ...]],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each language is run by its usual command, found on PATH; Python needs none."""
    monkeypatch.setenv("PATH", str(folder))
    for command in COMMANDS.values():
        (folder / command).write_text("")
        (folder / command).chmod(0o755)
    assert {name: find(name, languages) for name in COMMANDS} == {
        name: (str(folder / command),) for name, command in COMMANDS.items()
    }
    assert {*languages} == {*COMMANDS}
    assert find("x", {"x": ("sh", "-c", "y")}) == (str(folder / "sh"), "-c", "y")
    assert find("python", languages) == ()
    assert find("python", {"python": ("sh",)}) == (str(folder / "sh"),)
    with pytest.raises(UnsupportedError, match="it has a, python"):
        find("b", {"a": ("sh",)})
    monkeypatch.setattr("sys.executable", "")
    with pytest.raises(UnsupportedError, match="knows no language 'python'"):
        find("python", languages)

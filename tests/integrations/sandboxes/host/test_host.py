"""What all sandboxes share on the host: streams and frames as they arrive, and languages."""

import os
import sys
from dataclasses import fields, replace
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from planish.data import Program, ResourceLimits
from planish.errors import UnsupportedError
from planish_integrations.sandboxes.host import (
    LANGUAGES,
    Capture,
    Frames,
    base_request,
    cpus,
    find_command,
)

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


@pytest.mark.parametrize("name", [field.name for field in fields(ResourceLimits)])
def test_every_limit_of_a_program_reaches_the_supervisor(name: str) -> None:
    program = Program(main="main.py", files={"main.py": b""})
    limits = replace(program.limits, **{name: 7})
    assert base_request(replace(program, limits=limits)) != base_request(program)


def test_frames_count_when_they_are_complete_however_they_arrive() -> None:
    sent = [(b"F", b"one"), (b"E", b""), (b"F", b"x" * 300), (b"F", b"two")]
    data = b"".join(kind + len(text).to_bytes(8, "big") + text for kind, text in sent)
    for size in (1, 2, 9, 10, 50, len(data)):
        frames = Frames()
        for at in range(0, len(data), size):
            frames.feed(data[at : at + size])
        assert frames[b"F"] == [b"one", b"x" * 300, b"two"]
        assert (frames[b"E"], frames[b"X"]) == ([b""], [])
    frames = Frames()
    frames.feed(data[:11])
    assert frames[b"F"] == []
    frames.feed(data[11:12])
    assert frames[b"F"] == [b"one"]


@pytest.mark.anyio
async def test_a_stream_is_kept_up_to_a_limit_and_one_byte_more_is_noticed() -> None:
    for written, most, over in ((10, 10, False), (11, 10, True), (0, 10, False), (9, 0, True)):
        read, write = os.pipe()
        os.set_blocking(read, False)
        os.write(write, b"x" * written)
        os.close(write)
        stream = Capture(read, most)
        with anyio.fail_after(10):
            await stream.record()
        assert (bytes(stream.data), stream.over) == (b"x" * min(written, most), over)
        os.close(read)
    read, write = os.pipe()
    os.set_blocking(read, False)
    stream = Capture(read, 200_000)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stream.record)
        await anyio.wait_all_tasks_blocked()
        os.write(write, b"a" * 60_000)
        while len(stream.data) < 60_000:
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    os.write(write, b"b" * 60_000)
    stream.take_rest()
    stream.take_rest()  # and no more is there
    assert bytes(stream.data) == b"a" * 60_000 + b"b" * 60_000
    assert not stream.over
    os.close(read)
    os.close(write)


def test_each_language_has_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for command in COMMANDS.values():
        (tmp_path / command).write_text("")
        (tmp_path / command).chmod(0o755)
    assert {name: find_command(name, LANGUAGES, "Sandbox") for name in COMMANDS} == {
        name: (str(tmp_path / command),) for name, command in COMMANDS.items()
    }
    assert {*LANGUAGES} == {*COMMANDS}
    assert find_command("x", {"x": ("sh", "-c", "y")}, "Sandbox") == (
        str(tmp_path / "sh"),
        "-c",
        "y",
    )
    assert find_command("python", LANGUAGES, "Sandbox") == ()
    assert find_command("python", {"python": ("sh",)}, "Sandbox") == (str(tmp_path / "sh"),)
    with pytest.raises(UnsupportedError, match="it has a, python"):
        find_command("b", {"a": ("sh",)}, "Sandbox")
    with pytest.raises(UnsupportedError, match=r"'Pyhton' \(did you mean 'python'\?\); it has"):
        find_command("Pyhton", LANGUAGES, "Sandbox")
    monkeypatch.setattr("sys.executable", "")
    with pytest.raises(UnsupportedError, match="knows no language 'python'"):
        find_command("python", LANGUAGES, "Sandbox")


@pytest.mark.skipif(sys.platform != "linux", reason="affinity of processors is Linux's")
def test_processors_are_those_that_this_process_may_use() -> None:
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert cpus() == 1
    finally:
        os.sched_setaffinity(0, allowed)
    assert cpus() == len(allowed)

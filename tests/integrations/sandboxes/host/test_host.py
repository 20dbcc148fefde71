"""What all sandboxes share on the host: streams and frames as they arrive, and languages."""

import os
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from planish.abc import OnOutput
from planish.data import Program, ResourceLimits
from planish.errors import UnsupportedError
from planish_integrations.sandboxes.host import (
    LANGUAGES,
    Frames,
    ProgramOutput,
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


class Pipes:
    """The pipes of a program's two streams; the test writes to their ends."""

    def __init__(self) -> None:
        self.ends = [os.pipe(), os.pipe()]
        self.stopped = 0
        for read, _ in self.ends:
            os.set_blocking(read, False)

    def output(self, most: int, on_output: OnOutput | None = None) -> ProgramOutput:
        (stdout, _), (stderr, _) = self.ends
        return ProgramOutput(stdout, stderr, most, on_output, stop=self._stop)

    def _stop(self) -> None:
        self.stopped += 1

    def write(self, stream: int, data: bytes) -> None:
        os.write(self.ends[stream][1], data)

    def close(self) -> None:
        for _, write in self.ends:
            os.close(write)


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    made = Pipes()
    yield made
    for read, _ in made.ends:
        os.close(read)


@pytest.mark.anyio
@pytest.mark.parametrize("stream", [0, 1])
@pytest.mark.parametrize(
    ("written", "most", "over"), [(10, 10, False), (11, 10, True), (0, 10, False), (9, 0, True)]
)
async def test_a_stream_is_kept_up_to_a_limit_and_one_byte_more_stops_the_program(
    pipes: Pipes, stream: int, written: int, most: int, *, over: bool
) -> None:
    pipes.write(stream, b"x" * written)
    pipes.close()
    output = pipes.output(most)

    async def ended() -> None:
        while output.is_open():
            await anyio.lowlevel.checkpoint()

    with anyio.fail_after(10):
        await output.record_while(ended)
    kept = [output.stdout, output.stderr]
    assert kept.pop(stream) == b"x" * min(written, most)
    assert kept == [b""]
    assert (output.flooded, pipes.stopped) == (over, int(over))


@pytest.mark.anyio
async def test_what_a_program_has_written_last_is_taken_after_its_end(pipes: Pipes) -> None:
    output = pipes.output(200_000)
    pipes.write(0, b"a" * 60_000)

    async def ended() -> None:
        while len(output.stdout) < 60_000:
            await anyio.lowlevel.checkpoint()

    with anyio.fail_after(10):
        await output.record_while(ended)
    pipes.write(0, b"b" * 60_000)
    output.take_rest()
    output.take_rest()  # and no more is there
    assert output.stdout == b"a" * 60_000 + b"b" * 60_000
    assert output.is_open()
    assert not output.flooded
    pipes.close()


@pytest.mark.anyio
async def test_a_listener_that_fails_stops_the_program_and_hears_no_more(pipes: Pipes) -> None:
    heard: list[tuple[str, bytes]] = []

    def listen(stream: str, data: bytes) -> None:
        heard.append((stream, data))
        raise LookupError(stream)

    output = pipes.output(100, listen)
    output.raise_error()  # nothing yet

    async def ended() -> None:
        pipes.write(1, b"first")
        while not pipes.stopped:
            await anyio.lowlevel.checkpoint()

    with anyio.fail_after(10):
        await output.record_while(ended)
    pipes.write(1, b"second")
    output.take_rest()
    with pytest.raises(LookupError, match="stderr"):
        output.raise_error()
    assert heard == [("stderr", b"first")]
    assert output.stderr == b"firstsecond"
    pipes.close()


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


@pytest.mark.parametrize(("counted", "found"), [(6, 6), (None, 1)])
def test_elsewhere_all_processors_are_counted(
    monkeypatch: pytest.MonkeyPatch, counted: int | None, found: int
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert cpus() == found

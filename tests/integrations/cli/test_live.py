"""`planish exec` passes output on while the program runs, byte for byte, and keeps it on Ctrl-C."""

import json
import os
import pty
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.integrations.cli.conftest import PLANISH
from tests.integrations.sandboxes.processes import eventually, marked

pytestmark = pytest.mark.usefixtures("interruptible")

Start = Callable[..., "subprocess.Popen[bytes]"]

PATIENCE = 60.0
WAITS = """
import sys, time
sys.stderr.write('error first\\n'); sys.stderr.flush()
print('first \\x1b[31m', flush=True)
time.sleep(60)
"""


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Iterator[Start]:
    """Start `planish exec` with the source of a program."""
    started: list[subprocess.Popen[bytes]] = []

    def start(
        source: str,
        *options: str,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
    ) -> "subprocess.Popen[bytes]":
        (tmp_path / "program.py").write_text(source)
        process = subprocess.Popen(
            [*PLANISH, "exec", str(tmp_path / "program.py"), *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_pipe_gets_output_while_the_program_runs_and_an_interrupt_loses_none(
    start: Start,
) -> None:
    process = start(WAITS)
    assert process.stdout
    assert process.stderr
    assert process.stdout.readline() == b"first \x1b[31m\n"  # the program sleeps for 60 s now
    assert process.stderr.readline() == b"error first\n"
    process.send_signal(signal.SIGINT)
    out, error_output = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, b"")
    assert error_output == b"planish: interrupted; the program was stopped\n"


def test_a_terminal_gets_output_while_the_program_runs_with_its_controls_escaped(
    start: Start,
) -> None:
    ours, theirs = pty.openpty()
    process = start(WAITS, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    while b"31m\r\n" not in seen or b"error first" not in seen:
        seen += os.read(ours, 1000)
    assert b"first \\x1b[31m\r\n" in seen
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    assert os.read(ours, 1000).endswith(b"interrupted; the program was stopped\r\n")
    os.close(ours)


def test_what_was_written_just_before_an_interrupt_is_kept(start: Start) -> None:
    # More than a pipe holds, and read only afterwards: most of it waits in the command.
    process = start(
        "import sys, time\nfor n in range(60_000): print(n)\nsys.stdout.flush()\n"
        "print('all', file=sys.stderr, flush=True)\ntime.sleep(60)"
    )
    assert process.stderr
    assert process.stderr.readline() == b"all\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == b"".join(b"%d\n" % n for n in range(60_000))


def test_a_reader_that_is_stuck_does_not_keep_an_interrupt_from_ending_it(start: Start) -> None:
    process = start(
        "import sys, time\nsys.stdout.write('x' * 500_000)\nsys.stdout.flush()\n"
        "print('all', file=sys.stderr, flush=True)\ntime.sleep(60)"
    )
    assert process.stderr
    assert process.stderr.readline() == b"all\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130  # though nothing has read its output


def test_bytes_are_passed_on_unchanged_and_in_order(start: Start, tmp_path: Path) -> None:
    source = (
        "import sys\ndata = bytes(range(256)) * 1000\n"
        "for n in range(10):\n"
        "    part = data[n * 25_600:(n + 1) * 25_600]\n"
        "    sys.stdout.buffer.write(part); sys.stderr.buffer.write(part[::-1])\n"
        "    sys.stdout.flush(); sys.stderr.flush()\n"
        "sys.exit(5)"
    )
    data = bytes(range(256)) * 1000
    parts = [data[n * 25_600 : (n + 1) * 25_600] for n in range(10)]
    process = start(source)
    out, error_output = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out == data) == (5, True)
    assert error_output == b"".join(part[::-1] for part in parts)
    with (tmp_path / "out").open("wb") as file:  # a regular file is always ready
        process = start(source, stdout=file.fileno(), stderr=subprocess.DEVNULL)
        assert process.wait(PATIENCE) == 5
    assert (tmp_path / "out").read_bytes() == data


def test_when_the_reader_has_gone_the_program_is_ended(start: Start) -> None:
    process = start("while True: print('x' * 100)", "--timeout", "50")
    assert process.stdout
    process.stdout.read(1000)
    process.stdout.close()
    assert process.wait(20) == 1
    assert process.stderr
    assert b"Traceback" not in process.stderr.read()


def test_json_of_an_interrupted_command_has_the_output(start: Start) -> None:
    name = f"pl{os.getpid()}live"
    named = f"import ctypes; ctypes.CDLL(None).prctl(15, b'{name}', 0, 0, 0)\ntime.sleep(60)"
    process = start(WAITS.replace("time.sleep(60)", named), "--json")
    assert eventually(lambda: marked(name) != [], PATIENCE)
    process.send_signal(signal.SIGINT)
    out, error_output = process.communicate(timeout=PATIENCE)
    value = json.loads(out)
    assert (process.returncode, error_output) == (130, b"")
    assert value["error"]["kind"] == "interrupted"
    assert (value["stdout"], value["stderr"]) == ("first \x1b[31m\n", "error first\n")

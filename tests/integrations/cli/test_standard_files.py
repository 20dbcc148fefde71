"""Standard files that are closed, and output that cannot be written."""

import shlex
import subprocess
from pathlib import Path

import pytest
from tests.integrations.cli.conftest import PLANISH

PROGRAM = "import sys\nprint(len(sys.stdin.read()), 'out')\nprint('err', file=sys.stderr)\n"
CLOSED = [
    ("exec FILE", "<&-", b"0 out\n", b"err\n"),
    ("exec FILE", ">&-", b"", b"err\n"),
    ("exec FILE", "2>&-", b"0 out\n", b""),
    ("exec FILE --stdin -", "<&-", b"0 out\n", b"err\n"),
    ("exec -", "<&- >&- 2>&-", b"", b""),
    ("exec FILE --json", ">&-", b"", b""),
]


def shell(
    command: str, redirection: str, environment: dict[str, str], folder: Path
) -> "subprocess.CompletedProcess[bytes]":
    """Run `planish` by a shell, which can close the standard files of a command."""
    (folder / "program.py").write_text(PROGRAM)
    arguments = command.replace("FILE", str(folder / "program.py"))
    line = f"{shlex.join(PLANISH)} {arguments} {redirection}"
    return subprocess.run(
        ["/bin/sh", "-c", line],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(("command", "redirection", "out", "error"), CLOSED)
def test_a_standard_file_that_is_closed_is_the_null_device(
    command: str,
    redirection: str,
    out: bytes,
    error: bytes,
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    done = shell(command, redirection, environment, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, out, error)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("command", ["exec FILE", "exec FILE --json", "doctor"])
def test_output_that_cannot_be_written_is_an_error_in_one_line(
    command: str, environment: dict[str, str], tmp_path: Path
) -> None:
    done = shell(command, ">/dev/full", environment, tmp_path)
    (line,) = (one for one in done.stderr.splitlines() if one != b"err")
    assert line == b"planish: error: [Errno 28] No space left on device"
    assert (done.returncode, done.stdout) == (1, b"")
    both = shell(command, ">/dev/full 2>/dev/full", environment, tmp_path)
    assert both.returncode == 1

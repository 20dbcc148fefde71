"""The object itself: options, event loops, and trouble of the system."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from planish.abc import Sandbox
from planish.data.program import Program
from planish.errors import SandboxError
from planish_integrations.unsafe import UnsafeLocalSandbox

Python = Callable[..., Program]


def test_it_is_a_sandbox_and_says_which() -> None:
    sandbox = UnsafeLocalSandbox(concurrency=77)
    assert isinstance(sandbox, Sandbox)
    assert sandbox.name == "unsafe_local"
    assert repr(sandbox) == "UnsafeLocalSandbox(concurrency=77)"
    assert repr(UnsafeLocalSandbox()) == "UnsafeLocalSandbox()"


def test_fewer_than_one_at_once_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"UnsafeLocalSandbox\(concurrency=0\): must be at least 1"
    ):
        UnsafeLocalSandbox(concurrency=0)


def test_one_object_serves_many_event_loops(sandbox: UnsafeLocalSandbox, python: Python) -> None:
    for backend in ("asyncio", "trio", "asyncio"):
        assert anyio.run(sandbox.run, python("pass"), backend=backend).ok


@pytest.mark.anyio
async def test_it_says_that_nothing_is_isolated(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    assert (await sandbox.run(python("pass"))).isolation == "none"
    assert "not isolation" in (UnsafeLocalSandbox.__doc__ or "")


@pytest.mark.anyio
@pytest.mark.usefixtures("nothing_left")
async def test_too_few_descriptors_are_the_sandboxs_trouble(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for spare in range(9):
        top = os.dup(0)
        os.close(top)
        resource.setrlimit(resource.RLIMIT_NOFILE, (top + spare, hard))
        try:
            with pytest.raises(SandboxError, match="Too many open files"):
                await sandbox.run(python("pass"))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.anyio
@pytest.mark.usefixtures("nothing_left")
async def test_an_interpreter_that_cannot_start_is_the_sandboxs_trouble(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    with pytest.raises(SandboxError, match="No module named 'encodings'"):
        await sandbox.run(python("pass", env={"PYTHONHOME": "/nowhere"}))


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_file_that_cannot_be_laid_out_is_the_sandboxs_trouble(
    tmp_path: Path, backend: str
) -> None:
    script = (
        "import anyio, resource, sys\n"
        "from planish.data.program import Program\n"
        "from planish_integrations.unsafe import UnsafeLocalSandbox\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "program = Program(main='m', files={'m': b'#' * 2000})\n"
        "anyio.run(UnsafeLocalSandbox(directory=sys.argv[1]).run, program, backend=sys.argv[2])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), backend],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "SandboxError: UnsafeLocalSandbox: OSError: [Errno 27] File too large" in done.stderr
    assert list(tmp_path.iterdir()) == []


# Copies its supervisor's socket, and writes to it bytes that are no text.
FORGED = """
import ctypes, os
libc = ctypes.CDLL(None)
parent = os.getppid()
process = os.pidfd_open(parent)
for name in os.listdir(f"/proc/{parent}/fd"):
    if os.readlink(f"/proc/{parent}/fd/{name}").startswith("socket:"):
        socket = libc.syscall(438, process, int(name), 0)  # pidfd_getfd
        if socket < 0:
            raise SystemExit("refused")
        os.write(socket, b"!" + (3).to_bytes(8, "big") + b"a\\xffb")
"""


@pytest.mark.anyio
async def test_what_a_program_writes_to_its_supervisors_socket_is_read_with_any_bytes(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    try:
        completed = await sandbox.run(python(FORGED))
    except SandboxError as error:
        assert str(error) == "UnsafeLocalSandbox: a\ufffdb"  # noqa: PT017  # or it is skipped
    else:
        assert completed.stderr == b"refused\n"
        pytest.skip("the system keeps a program from the descriptors of its parent")


def test_importing_it_loads_no_event_loop() -> None:
    script = (
        "import sys, anyio, planish_integrations\n"
        "before = {*sys.modules}\n"
        "from planish_integrations.unsafe import UnsafeLocalSandbox\n"
        "UnsafeLocalSandbox()\n"
        "print(sorted({'asyncio', 'trio', 'multiprocessing'} & ({*sys.modules} - before)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"

"""E2B's own code-interpreter server, started on this machine for tests.

The server is E2B's published template, which lies beside the repository with a script that installs
and starts it. Set `PLANISH_E2B_SERVER` to a folder; the first use installs the server there.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["RealServer", "real_server"]

VARIABLE = "PLANISH_E2B_SERVER"
_SCRIPT = Path(__file__).resolve().parents[5] / "shared" / "data" / "e2b-server" / "start.sh"
_INSTALL_SECONDS, _START_SECONDS = 900.0, 120.0

# Runs in the server's network, and makes it reachable by a socket in the file system.
_RELAY = """
import asyncio, sys

async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        writer.transport.abort()

async def relay(reader, writer):
    try:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", 49999)
        first = asyncio.ensure_future(copy(reader, far_writer))
        await copy(far_reader, writer)
        first.cancel()
        far_writer.close()
    finally:
        writer.close()

async def main():
    server = await asyncio.start_unix_server(relay, sys.argv[1])
    await server.serve_forever()

asyncio.run(main())
"""


@dataclass(frozen=True)
class RealServer:
    """A running server.

    Attributes:
        socket: The Unix socket that leads to its port 49999.
        home: The folder that its programs know as /home/user.
        envs: A file with the sandbox's variables, a JSON object, which envd would return.
    """

    socket: Path
    home: Path
    envs: Path


@contextmanager
def real_server() -> Generator[RealServer]:
    """Start the server; end it and all its processes at the end of the block.

    Skips the test if the server is not there or cannot be installed.
    """
    folder = _installed()
    with tempfile.TemporaryDirectory(prefix="e2b-server-") as temporary:
        server = RealServer(
            Path(temporary, "socket"), folder / "home" / "user", Path(temporary, "envs.json")
        )
        server.envs.write_text("{}")
        with Path(temporary, "log").open("wb+") as log, _started(folder, server, log.fileno()):
            yield server
    for left in server.home.iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()


def _installed() -> Path:
    wanted = os.environ.get(VARIABLE)
    if not wanted:
        pytest.skip(f"set {VARIABLE} to a folder to run this against E2B's own server")
    if not _SCRIPT.exists():
        pytest.skip(f"E2B's own server is not there: {_SCRIPT}")
    if shutil.which("unshare") is None:
        pytest.skip("E2B's own server needs Linux and `unshare`")
    folder = Path(wanted).resolve()
    if not (folder / "ready").exists():
        done = subprocess.run(
            ["/bin/bash", str(_SCRIPT), str(folder), "install"],
            capture_output=True,
            check=False,
            timeout=_INSTALL_SECONDS,
        )
        if done.returncode:
            pytest.skip(f"E2B's own server cannot be installed: {done.stderr[-500:]!r}")
    return folder


@contextmanager
def _started(folder: Path, server: RealServer, log: int) -> Generator[None]:
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    script = 'python=$1; relay=$2; socket=$3; shift 3; "$python" -c "$relay" "$socket" & exec "$@"'
    start = ["bash", str(_SCRIPT), str(folder)]
    process = subprocess.Popen(
        [
            *("unshare", *user, "--mount", "--net", "--pid", "--fork", "--kill-child"),
            *("bash", "-c", script, "bash", sys.executable, _RELAY, str(server.socket)),
            *start,
        ],
        env={"PATH": os.environ["PATH"], "E2B_ENVS": str(server.envs)},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
    )
    try:
        _wait_until_ready(process, log)
        yield
    finally:
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)


def _wait_until_ready(process: subprocess.Popen[bytes], log: int) -> None:
    until = time.monotonic() + _START_SECONDS
    while b"ready\n" not in os.pread(log, 1_000_000, 0):
        if process.poll() is not None or time.monotonic() > until:
            text = os.pread(log, 1_000_000, 0)[-500:]
            pytest.skip(f"E2B's own server does not start: {text!r}")
        time.sleep(0.1)

"""Runs of `planish` forked from one process that has its modules loaded: a second less each."""

import importlib
import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

__all__ = ["Template"]

_SECONDS = 120  # a bound for a stuck one
_MOST = 1 << 20  # bytes of a request: its arguments and environment


class Template:
    """A process that has loaded `planish` and forks for each of its runs.

    A run has arguments, an environment, a folder and standard streams of its own, and ends as
    an interpreter does that was started for it.

    Args:
        interpreter: The interpreter and its options.
        environment: What it starts with.
    """

    def __init__(self, interpreter: Sequence[str], environment: Mapping[str, str]) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*interpreter, str(Path(__file__)), str(theirs.fileno())],
                env=environment,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self._socket.settimeout(_SECONDS)

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str], given: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        """Run `planish` to its end.

        Raises:
            TimeoutError: it takes longer than two minutes.
        """
        request = {"arguments": arguments, "environment": environment, "folder": str(Path.cwd())}
        with ExitStack() as stack:
            files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            files[0].write(given)
            files[0].seek(0)
            streams = [file.fileno() for file in files]
            socket.send_fds(self._socket, [json.dumps(request).encode()], streams)
            status = int(self._socket.recv(64))
            _, out, error = map(_all, files)
            return subprocess.CompletedProcess(arguments, status, out, error)

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.kill()
        self._process.wait()


def _all(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _serve(connection: socket.socket) -> list[str]:
    """Fork for each request. Return in the fork, with the arguments; else when no more come."""
    while True:
        request, streams, _, _ = socket.recv_fds(connection, _MOST, 3)
        if not request:
            sys.exit()
        child = os.fork()
        if child == 0:
            wanted = json.loads(request)
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            os.environ.clear()
            os.environ.update(wanted["environment"])
            os.chdir(wanted["folder"])
            connection.close()
            arguments: list[str] = wanted["arguments"]
            return arguments
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    import planish_integrations.cli as _cli

    for _module in pkgutil.iter_modules(_cli.__path__, f"{_cli.__name__}."):
        if not _module.name.endswith("__main__"):
            importlib.import_module(_module.name)
    importlib.import_module("anyio._backends._asyncio")
    _cli.main(_serve(socket.socket(fileno=int(sys.argv[1]))))

"""Processes of a loopback E2B, without its server."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from planish_integrations.testing.e2b._kernel import Kernel
from planish_integrations.testing.e2b._processes import Process, drop_output, read_some

pytestmark = pytest.mark.anyio

ENV = {"PATH": os.environ["PATH"], "A": "b"}


async def ended(process: Process) -> str:
    await process.follow()
    return process.status


@pytest.mark.parametrize(
    ("command", "status"),
    [
        *((["true"], "exit 0"), (["sh", "-c", "exit 3"], "exit 3"), (["no-such"], "exit 127")),
        (["sh", "-c", "kill -TERM $$"], "signal 15"),
    ],
)
async def test_a_process_ends_with_a_status(
    tmp_path: Path, command: list[str], status: str
) -> None:
    process = Process(command, folder=tmp_path, env=ENV, stdin=False)
    assert (process.status, process.ended.is_set(), process.command) == ("", False, (*command,))
    assert await ended(process) == status
    assert process.ended.is_set()


async def test_a_process_that_is_killed_has_the_status_of_that(tmp_path: Path) -> None:
    process = Process(["sleep", "60"], folder=tmp_path, env=ENV, stdin=False)
    process.kill()
    assert await ended(process) == "signal 9"
    assert process.ended.is_set()


async def test_a_process_reads_writes_and_gets_signals(tmp_path: Path) -> None:
    process = Process(["sh", "-c", "cat; echo $A >&2; pwd"], folder=tmp_path, env=ENV, stdin=True)
    await process.write(b"x" * 100_000)
    process.close_stdin()
    read = b""
    while data := await read_some(process.stdout):
        read += data
    assert read == b"x" * 100_000 + f"{tmp_path}\n".encode()
    assert await read_some(process.stderr) == b"b\n"
    assert await ended(process) == "exit 0"
    waiting = Process(["sleep", "60"], folder=tmp_path, env=ENV, stdin=False)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(waiting.follow)
        while not waiting.ended.is_set():  # until the command has been started
            waiting.signal(signal.SIGINT)
            await anyio.sleep(0.005)
    assert waiting.status == "signal 2"


async def test_input_that_the_command_has_closed_is_dropped(tmp_path: Path) -> None:
    command = ["sh", "-c", "exec <&-; echo closed; exec sleep 60"]
    process = Process(command, folder=tmp_path, env=ENV, stdin=True)
    assert await read_some(process.stdout) == b"closed\n"
    with anyio.fail_after(20):
        await process.write(b"x" * 1_000_000)  # more than a pipe holds
    process.kill()
    assert await ended(process) == "signal 9"


async def test_a_frozen_process_goes_on_where_it_was(tmp_path: Path) -> None:
    code = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    command = [sys.executable, "-I", "-u", "-c", code]
    process = Process(command, folder=tmp_path, env=ENV, stdin=True)
    await process.write(b"one\n")
    assert await read_some(process.stdout) == b"one\n"
    process.freeze()
    await anyio.sleep(0.02)
    await process.write(b"two\n")
    with anyio.move_on_after(0.1) as frozen:
        await read_some(process.stdout)
    assert frozen.cancelled_caught
    process.freeze(thaw=True)
    assert await read_some(process.stdout) == b"two\n"
    process.close_stdin()
    assert await ended(process) == "exit 0"


@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # the loop of the loopback server
async def test_a_reply_that_arrives_while_another_request_is_sent_is_read(tmp_path: Path) -> None:
    kernel = Kernel("1", "/", tmp_path, tmp_path, dict(os.environ), {})
    client: Any = vars(kernel)["_client"]
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(kernel.serve)
        process = kernel.start()
        tasks.start_soon(process.follow)
        tasks.start_soon(drop_output, process)
        try:
            with anyio.fail_after(50):
                await kernel.ready()
                for _ in range(3):
                    client.kernel_info()
                    time.sleep(0.2)  # noqa: ASYNC251  # the reply is here, and is not signalled
                    client.kernel_info()
                    events = [event async for event in kernel.run("1 + 1")]
                    assert events[-1]["text"] == "2"
        finally:
            process.kill()
            kernel.close()

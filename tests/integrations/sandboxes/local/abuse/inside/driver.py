"""The host process that uses the sandbox, as a user's program does; told what to run by its input.

A line of JSON in, a line of JSON out. Its first argument is the tier, or "naive": then programs are
run as anybody would run them, and what gets out shows that there was something to get.
"""

import fcntl
import json
import os
import sys
import termios
from collections.abc import AsyncGenerator
from typing import Any, cast

import anyio
import anyio.abc
from tests.integrations.sandboxes.local.abuse.inside.encoding import program_from, told
from tests.integrations.sandboxes.local.abuse.inside.forbid import forbid
from tests.integrations.sandboxes.local.abuse.inside.naive import Naive, descriptors


def _say(value: dict[str, Any]) -> None:
    data = json.dumps(value).encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]


async def _requests() -> AsyncGenerator[dict[str, Any]]:
    """Each line of the input, as it comes."""
    held = b""
    while True:
        await anyio.wait_readable(0)
        data = os.read(0, 1 << 16)
        if not data:
            return
        *lines, held = (held + data).split(b"\n")
        for line in lines:
            yield json.loads(line)


async def _answer(request: dict[str, Any], runner: Any) -> None:
    try:
        answer = await getattr(runner, request["op"])(request)
    except Exception as error:  # noqa: BLE001 - whatever it is, the judge wants to know
        answer = {"error": type(error).__name__, "message": str(error)}
    _say({"id": request["id"], **answer})


class Sandboxed:
    """Runs programs in the sandbox."""

    def __init__(self, sandbox: Any) -> None:
        self._sandbox = sandbox

    async def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """One program, cancelled after a while where that is asked for."""
        with anyio.move_on_after(request.get("cancel_after")) as scope:
            return told(await self._sandbox.run(program_from(request)))
        return {"cancelled": scope.cancelled_caught}

    async def judge(self, request: dict[str, Any]) -> dict[str, Any]:
        """A candidate for a task, through planish's own harness."""
        from planish import CodeExecution, Task, Validator  # noqa: PLC0415
        from planish.data import ResourceLimits  # noqa: PLC0415
        from planish.data.candidate import Candidate  # noqa: PLC0415

        task = Task("Add two numbers.", tests=request["tests"], entry_point="add")
        candidate = Candidate(task=task, code=request["code"])
        check = Validator(require="isolated")
        pipe = CodeExecution(self._sandbox, limits=ResourceLimits(seconds=10)) >> check
        report = await pipe.run(candidate)
        return {"passed": report.passed}

    async def facts(self, _request: dict[str, Any]) -> dict[str, Any]:
        """What this process holds open once its workers, whose number varies, are closed."""
        await self._sandbox.aclose()
        return {"descriptors": descriptors()}


def _first(failed: Exception) -> dict[str, Any]:
    """The error, out of the groups it came in."""
    if isinstance(failed, ExceptionGroup):
        group = cast("ExceptionGroup[Exception]", failed)
        return _first(group.exceptions[0])
    return {"error": type(failed).__name__, "message": str(failed)}


async def _main(mode: str) -> None:
    async with anyio.create_task_group() as tasks:
        if mode == "naive":
            await _serve(Naive(), tasks)
            return
        from planish_integrations.local import LocalSandbox  # noqa: PLC0415

        tier: Any = None if mode == "any" else mode
        async with LocalSandbox(tier=tier, concurrency=4) as sandbox:
            await _serve(Sandboxed(sandbox), tasks)


async def _serve(runner: Any, tasks: anyio.abc.TaskGroup) -> None:
    _say({"ready": os.getpid()})
    async for request in _requests():
        tasks.start_soon(_answer, request, runner)
    tasks.cancel_scope.cancel()


if __name__ == "__main__":
    terminal = int(sys.argv[2])  # as whoever is logged in has one
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    os.close(terminal)
    forbid(os.environ.pop("FORBID", "").split())
    try:
        anyio.run(_main, sys.argv[1])
    except Exception as failed:  # noqa: BLE001 - said to the judge, who looks for it
        _say(_first(failed))
        sys.exit(1)

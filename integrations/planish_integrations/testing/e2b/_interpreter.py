"""The code interpreter of a loopback sandbox: contexts, and cells run in them.

Its faults are those of E2B's own server, met by running it: a cell sent to a context before the
interrupt of the one before has landed is never answered; a context whose process has died is
restarted some seconds later, and until then neither runs nor restarts; variables given with a cell
are pasted into its code as they are.
"""

import json
import time
from collections.abc import Mapping
from contextlib import aclosing, suppress

import anyio

from ._faults import Faults
from ._http import Asked, Receive, Send, say
from ._kernel import Event, Kernel
from ._machine import HOME, Machine

__all__ = ["Interpreter"]

_NDJSON = [(b"content-type", b"application/x-ndjson")]


class Interpreter:
    """What listens on port 49999 of every sandbox."""

    def __init__(self, faults: Faults, interrupt: float, restart: float) -> None:
        self._faults = faults
        self._interrupt = interrupt
        self._restart = restart

    async def __call__(self, machine: Machine, asked: Asked, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if machine.over.is_set():  # while it was read
            await say(send, 502, "The sandbox was not found")
            return
        parts = [part for part in asked.path.split("/") if part]
        if parts == ["health"]:
            await say(send, 200, {})
        elif parts == ["execute"]:
            if not await self._faults.met("execute", send):
                await self._execute(machine, asked, receive, send)
        elif parts[:1] == ["contexts"]:
            if not await self._faults.met("context", send):
                await self._contexts(machine, asked, parts[1:], send)
        else:
            await say(send, 404, f"no {asked.path} here")

    async def _contexts(self, machine: Machine, asked: Asked, parts: list[str], send: Send) -> None:
        if not parts and asked.method == "POST":
            body = asked.json()
            if body.get("language") not in (None, "python"):
                await say(send, 500, "this server runs Python only")
                return
            kernel = await machine.new_kernel(body.get("cwd") or HOME)
            await say(send, 200, _told(kernel))
            return
        if not parts:
            await say(send, 200, [_told(kernel) for kernel in machine.kernels.values()])
            return
        found = machine.kernels.get(parts[0])
        if found is None:
            await say(send, 404, f"context {parts[0]} was not found")
        elif asked.method == "DELETE":
            machine.kernels.pop(found.id).close()
            await say(send, 204)
        elif found.back is not None and found.back > time.monotonic():
            await say(send, 500, "the kernel is being restarted")
        else:
            await self._again(machine, found)
            await say(send, 204)

    async def _again(self, machine: Machine, kernel: Kernel) -> None:
        kernel.close()
        kernel.deaf = 0.0
        machine.follow(kernel.start())
        await kernel.ready()

    async def _execute(self, machine: Machine, asked: Asked, receive: Receive, send: Send) -> None:
        body = asked.json()
        if body.get("language") not in (None, "python"):
            await say(send, 500, "this server runs Python only")
            return
        kernel = await machine.kernel(body.get("context_id"))
        if kernel is None:
            await say(send, 404, f"context {body['context_id']} was not found")
            return
        code = _pasted(body.get("env_vars") or {}) + body["code"]
        await send({"type": "http.response.start", "status": 200, "headers": _NDJSON})
        left = True
        async with anyio.create_task_group() as tasks:

            async def stream() -> None:
                nonlocal left
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await self._stream(machine, kernel, code, send)
                    left = False
                tasks.cancel_scope.cancel()

            async def end(event: anyio.Event) -> None:
                await event.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(stream)
            tasks.start_soon(end, machine.over)
            while (await receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()
        if machine.over.is_set() or not left:
            # Also where the sandbox has died: as if all were well, which is E2B's way.
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            machine.tasks.start_soon(self._interrupt_later, kernel)

    async def _stream(self, machine: Machine, kernel: Kernel, code: str, send: Send) -> None:
        if kernel.back is not None:
            if kernel.back > time.monotonic():
                await anyio.sleep_forever()  # never answered
            await self._again(machine, kernel)
        if kernel.deaf > time.monotonic():
            await anyio.sleep_forever()
        cut, said = self._faults.cut("execute"), 0
        async with aclosing(kernel.run(code)) as events:
            async for event in events:
                if said == cut:
                    return
                await _tell(send, event)
                said += 1
                if event["type"] == "end_of_execution":
                    return
        if not machine.over.is_set():
            kernel.back = time.monotonic() + self._restart
            died = {"name": "ContextRestarting", "value": "Context was restarted"}
            await _tell(send, {"type": "error", "traceback": "", **died})
            await _tell(send, {"type": "end_of_execution"})

    async def _interrupt_later(self, kernel: Kernel) -> None:
        """Some time after the client has left, as there: who is quicker is never answered."""
        kernel.deaf = time.monotonic() + self._interrupt
        await anyio.sleep(self._interrupt)
        kernel.interrupt()


def _told(kernel: Kernel) -> dict[str, str]:
    return {"id": kernel.id, "language": "python", "cwd": kernel.cwd}


def _pasted(variables: Mapping[str, str]) -> str:
    lines = [f"os.environ['{name}'] = '{value}'\n" for name, value in variables.items()]
    return "import os\n" + "".join(lines) if lines else ""


async def _tell(send: Send, event: Event) -> None:
    line = json.dumps(event).encode() + b"\n"
    await send({"type": "http.response.body", "body": line, "more_body": True})

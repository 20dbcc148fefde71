"""The code interpreter of a loopback sandbox: contexts, and cells that run in them.

It reproduces defects of E2B's own server: a cell that is sent to a context before the interrupt of
the previous cell has arrived is never answered; a context whose process has died is restarted some
seconds later, and until then neither runs cells nor restarts; variables that are passed with a cell
are pasted into its code.
"""

import json
import time
from collections.abc import Mapping
from contextlib import aclosing, suppress

import anyio

from ._faults import Faults
from ._http import HttpRequest, Receive, Send, send_json
from ._kernel import Event, Kernel
from ._machine import HOME, Machine

__all__ = ["Interpreter"]

_NDJSON = [(b"content-type", b"application/x-ndjson")]


class Interpreter:
    """The server on port 49999 of every sandbox."""

    def __init__(self, faults: Faults, interrupt: float, restart: float) -> None:
        self._faults = faults
        self._interrupt_seconds = interrupt
        self._restart_seconds = restart

    async def __call__(
        self, machine: Machine, request: HttpRequest, receive: Receive, send: Send
    ) -> None:
        """Answer one request."""
        if machine.ended.is_set():  # while the request was read
            await send_json(send, 502, "The sandbox was not found")
            return
        parts = [part for part in request.path.split("/") if part]
        if parts == ["health"]:
            await send_json(send, 200, {})
        elif parts == ["execute"]:
            if not await self._faults.apply("execute", send):
                await self._execute(machine, request, receive, send)
        elif parts[:1] == ["contexts"]:
            if not await self._faults.apply("context", send):
                await self._contexts(machine, request, parts[1:], send)
        else:
            await send_json(send, 404, f"no {request.path} here")

    async def _contexts(
        self, machine: Machine, request: HttpRequest, parts: list[str], send: Send
    ) -> None:
        if not parts and request.method == "POST":
            body = request.json()
            if body.get("language") not in (None, "python"):
                await send_json(send, 500, "this server runs Python only")
                return
            created = await machine.new_kernel(body.get("cwd") or HOME)
            await send_json(send, 200, _to_json(created))
            return
        if not parts:
            await send_json(send, 200, [_to_json(kernel) for kernel in machine.kernels.values()])
            return
        kernel = machine.kernels.get(parts[0])
        if kernel is None:
            await send_json(send, 404, f"context {parts[0]} was not found")
        elif request.method == "DELETE":
            machine.kernels.pop(kernel.id).close()
            await send_json(send, 204)
        elif kernel.restart_at is not None and kernel.restart_at > time.monotonic():
            await send_json(send, 500, "the kernel is being restarted")
        else:
            await self._restart_kernel(machine, kernel)
            await send_json(send, 204)

    async def _restart_kernel(self, machine: Machine, kernel: Kernel) -> None:
        kernel.close()
        kernel.deaf_until = 0.0
        machine.follow(kernel.start())
        await kernel.ready()

    async def _execute(
        self, machine: Machine, request: HttpRequest, receive: Receive, send: Send
    ) -> None:
        body = request.json()
        if body.get("language") not in (None, "python"):
            await send_json(send, 500, "this server runs Python only")
            return
        kernel = await machine.kernel(body.get("context_id"))
        if kernel is None:
            await send_json(send, 404, f"context {body['context_id']} was not found")
            return
        code = _environment_code(body.get("env_vars") or {}) + body["code"]
        await send({"type": "http.response.start", "status": 200, "headers": _NDJSON})
        client_left = True
        async with anyio.create_task_group() as tasks:

            async def stream() -> None:
                nonlocal client_left
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await self._stream(machine, kernel, code, send)
                    client_left = False
                tasks.cancel_scope.cancel()

            async def end(event: anyio.Event) -> None:
                await event.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(stream)
            tasks.start_soon(end, machine.ended)
            while (await receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()
        if machine.ended.is_set() or not client_left:
            # E2B ends the stream as if it were complete, even if the sandbox has died.
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            machine.tasks.start_soon(self._interrupt_later, kernel)

    async def _stream(self, machine: Machine, kernel: Kernel, code: str, send: Send) -> None:
        if kernel.restart_at is not None:
            if kernel.restart_at > time.monotonic():
                await anyio.sleep_forever()  # never answered
            await self._restart_kernel(machine, kernel)
        if kernel.deaf_until > time.monotonic():
            await anyio.sleep_forever()
        cut, sent = self._faults.cut("execute"), 0
        async with aclosing(kernel.run(code)) as events:
            async for event in events:
                if sent == cut:
                    return
                await _send_event(send, event)
                sent += 1
                if event["type"] == "end_of_execution":
                    return
        if not machine.ended.is_set():
            kernel.restart_at = time.monotonic() + self._restart_seconds
            error = {"name": "ContextRestarting", "value": "Context was restarted"}
            await _send_event(send, {"type": "error", "traceback": "", **error})
            await _send_event(send, {"type": "end_of_execution"})

    async def _interrupt_later(self, kernel: Kernel) -> None:
        """Interrupt the cell some time after its client has left, as E2B does."""
        kernel.deaf_until = time.monotonic() + self._interrupt_seconds
        await anyio.sleep(self._interrupt_seconds)
        kernel.interrupt()


def _to_json(kernel: Kernel) -> dict[str, str]:
    return {"id": kernel.id, "language": "python", "cwd": kernel.cwd}


def _environment_code(variables: Mapping[str, str]) -> str:
    lines = [f"os.environ['{name}'] = '{value}'\n" for name, value in variables.items()]
    return "import os\n" + "".join(lines) if lines else ""


async def _send_event(send: Send, event: Event) -> None:
    line = json.dumps(event).encode() + b"\n"
    await send({"type": "http.response.body", "body": line, "more_body": True})

"""The code interpreter of a loopback sandbox: contexts, and cells that run in them.

It reproduces defects of E2B's own server: a cell that is sent to a context whose previous cell is
still being interrupted is never answered, and variables are pasted unescaped into the code of a
cell, both those passed with it and, in the first cell of a context, those of the sandbox.
"""

import json
from collections.abc import Mapping
from contextlib import aclosing, suppress
from typing import Any, cast

import anyio

from planish.errors import UnsupportedError

from ._faults import Faults
from ._http import HttpRequest, Receive, Send, send_json, send_response
from ._kernel import Kernel
from ._machine import HOME, Machine
from ._messages import Event

__all__ = ["Interpreter"]


class Interpreter:
    """The server on port 49999 of every sandbox."""

    def __init__(self, faults: Faults, interrupt_seconds: float) -> None:
        self._faults = faults
        self._interrupt_seconds = interrupt_seconds

    async def __call__(
        self, machine: Machine, request: HttpRequest, receive: Receive, send: Send
    ) -> None:
        """Answer one request."""
        if machine.ended.is_set():  # while the request was read
            await send_json(send, 502, "The sandbox was not found")
            return
        match request.method, *request.path.strip("/").split("/"):
            case "GET", "health":
                await _send_value(send, "OK")
            case "POST", "execute":
                if not await self._faults.apply("execute", send):
                    await self._execute(machine, request, receive, send)
            case "GET" | "POST", "contexts":
                if not await self._faults.apply("context", send):
                    await self._contexts(machine, request, send)
            case ("DELETE", "contexts", identity) | ("POST", "contexts", identity, "restart"):
                if not await self._faults.apply("context", send):
                    await self._context(machine, request.method, identity, send)
            case _, "health" | "execute" | "contexts", *_:
                await _send_value(send, {"detail": "Method Not Allowed"}, 405)
            case _:
                await _send_value(send, {"detail": "Not Found"}, 404)

    async def _contexts(self, machine: Machine, request: HttpRequest, send: Send) -> None:
        """List the contexts, or create one."""
        if request.method == "GET":
            await machine.default_kernel()
            await _send_value(send, [_to_json(kernel) for kernel in machine.kernels.values()])
            return
        body = await _body(request, send)
        if body is None:
            return
        if _language(body) != "python":
            await _send_text(send, _no_kernel(_language(body)), 500)
            return
        try:
            await _send_value(send, _to_json(await machine.new_kernel(body.get("cwd") or HOME)))
        except UnsupportedError as error:
            await _send_text(send, str(error), 500)

    async def _context(self, machine: Machine, method: str, identity: str, send: Send) -> None:
        """Remove a context, or restart it."""
        default = await machine.default_kernel() if identity == "default" else None
        kernel = default or machine.kernels.get(identity)
        if kernel is None:
            await _send_text(send, f"Context {identity} not found", 404)
        elif method == "DELETE":
            machine.kernels.pop(kernel.id).close()
            await _send_value(send, None)
        else:
            await machine.restart_kernel(kernel)
            await _send_value(send, None)

    async def _execute(
        self, machine: Machine, request: HttpRequest, receive: Receive, send: Send
    ) -> None:
        body = await _body(request, send, "code")
        if body is None:
            return
        identity, language = body.get("context_id"), body.get("language")
        if identity and language:
            await _send_text(send, "Only one of context_id or language can be provided", 400)
            return
        if _language(body) != "python":
            await _send_text(send, _no_kernel(_language(body)), 500)
            return
        try:
            kernel = machine.kernels.get(identity or "") or (
                await machine.default_kernel() if identity in (None, "", "default") else None
            )
        except UnsupportedError as error:
            await _send_text(send, str(error), 500)
            return
        if kernel is None:
            await _send_text(send, f"Context {identity} not found", 404)
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await self._stream(machine, kernel, body, receive, send)

    async def _stream(
        self,
        machine: Machine,
        kernel: Kernel,
        body: Mapping[str, Any],
        receive: Receive,
        send: Send,
    ) -> None:
        """Send the events of a cell until it ends, its client leaves or its sandbox ends."""
        client_left = False
        async with anyio.create_task_group() as tasks:

            async def run() -> None:
                cut, sent = self._faults.cut("execute"), 0
                async with aclosing(kernel.run(body["code"], body.get("env_vars"))) as events:
                    async for event in events:
                        if sent == cut:
                            break
                        sent += 1
                        await _send_event(send, event)
                    else:
                        if sent != cut:
                            await _send_event(send, {"type": "end_of_execution"})
                tasks.cancel_scope.cancel()

            async def end() -> None:
                await machine.ended.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(run)
            tasks.start_soon(end)
            while (await receive())["type"] != "http.disconnect":
                pass
            client_left = True
            await anyio.sleep(self._interrupt_seconds)  # until the server notices
            tasks.cancel_scope.cancel()
        if not client_left:
            # E2B ends the stream as if it were complete, even if the sandbox has died.
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def _language(body: Mapping[str, Any]) -> str:
    return str(body.get("language") or "python").lower().strip()


def _no_kernel(language: str) -> str:
    """Return the refusal of E2B's server for a language that it has no kernel for."""
    message = (
        f"The '{language}' kernel is not available. Please pick another suitable kernel instead, "
        "or install that kernel."
    )
    reason = {"message": message, "short_message": f"{language} not found"}
    return f"Failed to create context: {json.dumps(reason)}"


def _to_json(kernel: Kernel) -> dict[str, str]:
    return {"id": kernel.id, "language": "python", "cwd": kernel.cwd}


async def _body(request: HttpRequest, send: Send, *texts: str) -> dict[str, Any] | None:
    """Return the decoded body; answer 422 and return None if it is not as it has to be.

    Args:
        request: The request.
        send: Where the refusal is sent.
        texts: Fields that have to be there, as texts.
    """
    try:
        body: Any = json.loads(request.body)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        await _send_value(send, {"detail": [{"type": "json_invalid", "loc": ["body", 0]}]}, 422)
        return None
    fields = cast("dict[str, Any]", body)
    for name in texts:
        if not isinstance(fields.get(name), str):
            wrong = "string_type" if name in fields else "missing"
            await _send_value(send, {"detail": [{"type": wrong, "loc": ["body", name]}]}, 422)
            return None
    return fields


async def _send_value(send: Send, value: Any, status: int = 200) -> None:
    body = json.dumps(value, separators=(",", ":")).encode()
    await send_response(send, status, body, "application/json")


async def _send_text(send: Send, text: str, status: int) -> None:
    await send_response(send, status, text.encode(), "text/plain; charset=utf-8")


async def _send_event(send: Send, event: Event) -> None:
    """Send an event, unless the client has left."""
    line = json.dumps(event).encode() + b"\n"
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await send({"type": "http.response.body", "body": line, "more_body": True})

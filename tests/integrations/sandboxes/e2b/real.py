"""A loopback E2B whose code interpreter is E2B's own server."""

import json
import shutil
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import anyio
import httpx
from tests.integrations.testing.e2b.real import RealServer

from planish_integrations.testing.e2b import LoopbackE2B
from planish_integrations.testing.e2b._http import HttpRequest, Receive, Send, send_response
from planish_integrations.testing.e2b._machine import Machine

__all__ = ["RealInterpreterE2B"]

_GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError)


class RealInterpreterE2B(LoopbackE2B):
    """A loopback E2B that passes requests for port 49999 on to E2B's own server.

    All sandboxes share the server and its home directory, so there should be one at a time.

    Args:
        real: The server.
        options: More for `LoopbackE2B`.
    """

    def __init__(self, real: RealServer, **options: Any) -> None:
        super().__init__(**options)
        self._real = real
        self._links: list[Path] = []
        vars(self)["_interpreter"] = self._pass_on

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        for link in self._links:
            link.unlink(missing_ok=True)
        transport = httpx.HTTPTransport(uds=str(self._real.socket))
        with httpx.Client(transport=transport, base_url="http://e2b", timeout=60) as http:
            for context in http.get("/contexts").json()[2:]:  # all but the default ones
                http.delete(f"/contexts/{context['id']}")

    async def _pass_on(
        self, machine: Machine, request: HttpRequest, receive: Receive, send: Send
    ) -> None:
        if machine.folder not in self._links:
            self._links.append(machine.folder)
            shutil.rmtree(machine.folder)
            machine.folder.symlink_to(self._real.home)
            variables = {"E2B_SANDBOX": "true", **machine.env}
            await anyio.Path(self._real.envs).write_text(json.dumps(variables))
        async with anyio.create_task_group() as tasks:

            async def answer() -> None:
                with suppress(*_GONE):
                    await self._answer_from_server(request, send)
                tasks.cancel_scope.cancel()

            async def leave() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                tasks.cancel_scope.cancel()

            async def end() -> None:
                await machine.ended.wait()
                tasks.cancel_scope.cancel()

            for function in (answer, leave, end):
                tasks.start_soon(function)
        if machine.ended.is_set():
            with suppress(*_GONE):
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _answer_from_server(self, request: HttpRequest, send: Send) -> None:
        transport = httpx.AsyncHTTPTransport(uds=str(self._real.socket))
        path, headers = request.path, {"content-type": "application/json"}
        async with (
            httpx.AsyncClient(transport=transport, base_url="http://e2b", timeout=3600) as http,
            http.stream(request.method, path, content=request.body, headers=headers) as answer,
        ):
            kind = answer.headers.get("content-type")
            if kind is not None:
                await send_response(send, answer.status_code, await answer.aread(), kind)
                return
            await send({"type": "http.response.start", "status": answer.status_code})
            async for piece in answer.aiter_raw():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})

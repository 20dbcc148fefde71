"""The control plane of a loopback E2B: creates, lists, pauses and kills sandboxes."""

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

import anyio.abc

from ._faults import Faults
from ._http import HttpRequest, Send, send_json
from ._machine import Machine
from ._processes import Process

__all__ = ["Control"]

_Handler = Callable[[Machine, HttpRequest, Send], Awaitable[None]]


class Control:
    """E2B's API for one key.

    Attributes:
        machines: The existing sandboxes by id.
        alive: The processes of all sandboxes that have not been reaped.
        creations: The request body of each creation, in order.
    """

    def __init__(
        self,
        api_key: str,
        faults: Faults,
        concurrency: int,
        restart_seconds: float,
        tasks: anyio.abc.TaskGroup,
    ) -> None:
        self._api_key = api_key
        self._faults = faults
        self._concurrency = concurrency
        self._restart_seconds = restart_seconds
        self._tasks = tasks
        self._by_key: dict[str, Machine] = {}
        self._names: list[str] = []  # of all sandboxes ever made, in order
        self.alive: set[Process] = set()
        self.machines: dict[str, Machine] = {}
        self.creations: list[dict[str, Any]] = []
        self._handlers: dict[tuple[str, str], tuple[str, _Handler]] = {
            ("GET", ""): ("get", self._get),
            ("DELETE", ""): ("kill", self._kill),
            ("POST", "timeout"): ("timeout", self._timeout),
            ("POST", "pause"): ("pause", self._pause),
            ("POST", "connect"): ("connect", self._connect),
            ("GET", "metrics"): ("metrics", self._metrics),
        }

    async def __call__(self, request: HttpRequest, send: Send) -> None:
        """Answer one request."""
        if request.headers.get("x-api-key") != self._api_key:
            await send_json(send, 401, "Invalid API key")
            return
        parts = [part for part in request.path.split("/") if part and part != "v2"]
        if parts == ["sandboxes"]:
            await (self._create if request.method == "POST" else self._list)(request, send)
            return
        handler = self._handlers.get((request.method, "".join(parts[2:])))
        if parts[:1] != ["sandboxes"] or handler is None:
            await send_json(send, 404, f"no {request.method} {request.path} here")
            return
        if await self._faults.apply(handler[0], send):
            return
        machine = self.find(parts[1])
        if machine is None:
            await send_json(send, 404, f"sandbox {parts[1]!r} was not found")
            return
        await handler[1](machine, request, send)

    def find(self, identity: str) -> Machine | None:
        """Return a sandbox that exists; None if its time is over or it never existed."""
        machine = self.machines.get(identity)
        if machine is not None and not machine.paused and machine.ends_at <= time.monotonic():
            self.remove(machine)
            return None
        return machine

    def remove(self, machine: Machine) -> None:
        """Kill a sandbox and forget it."""
        self.machines.pop(machine.id, None)
        machine.kill()

    async def _create(self, request: HttpRequest, send: Send) -> None:
        if await self._faults.apply("create", send):
            return
        key = request.headers.get("idempotency-key", "")
        machine = self._by_key.get(key)
        if machine is None:
            running = [one for one in self.machines.values() if not one.paused]
            if len(running) >= self._concurrency:
                await send_json(
                    send, 429, "you have reached the maximum number of concurrent sandboxes"
                )
                return
            machine = self._make(request.json())
            if key:
                self._by_key[key] = machine
        await send_json(send, 201, machine.to_json())

    def _make(self, body: dict[str, Any]) -> Machine:
        self.creations.append(body)
        machine = Machine(
            template=body["templateID"],
            seconds=float(body.get("timeout", 15)),
            metadata=body.get("metadata") or {},
            env=body.get("envVars") or {},
            internet=body.get("allow_internet_access"),
            tasks=self._tasks,
            alive=self.alive,
            restart_seconds=self._restart_seconds,
        )
        self.machines[machine.id] = machine
        self._names.append(machine.id)
        return machine

    async def _list(self, request: HttpRequest, send: Send) -> None:
        if await self._faults.apply("list", send):
            return
        # A token is a place in the order of creation: what is killed meanwhile moves no page.
        first, most = int(request.query.get("nextToken", 0)), int(request.query.get("limit", 100))
        metadata = dict(parse_qsl(request.query.get("metadata", "")))
        states = request.query.get("state", "running,paused").split(",")
        selected: list[dict[str, Any]] = []
        for number, name in enumerate(self._names[first:], first):
            machine = self.find(name)
            one = machine.to_json() if machine is not None else None
            if one and one["state"] in states and metadata.items() <= one["metadata"].items():
                if len(selected) == most:
                    await send_json(send, 200, selected, {"x-next-token": str(number)})
                    return
                selected.append(one)
        await send_json(send, 200, selected)

    async def _get(self, machine: Machine, _: HttpRequest, send: Send) -> None:
        await send_json(send, 200, machine.to_json())

    async def _kill(self, machine: Machine, _: HttpRequest, send: Send) -> None:
        self.remove(machine)
        await send_json(send, 204)

    async def _timeout(self, machine: Machine, request: HttpRequest, send: Send) -> None:
        machine.set_timeout(float(request.json()["timeout"]))
        await send_json(send, 204)

    async def _pause(self, machine: Machine, _: HttpRequest, send: Send) -> None:
        if machine.paused:
            await send_json(send, 409, "the sandbox is paused already")
            return
        machine.freeze()
        await send_json(send, 204)

    async def _connect(self, machine: Machine, request: HttpRequest, send: Send) -> None:
        seconds = float(request.json().get("timeout", 300))
        status = 201 if machine.paused else 200
        if machine.paused:
            machine.set_timeout(seconds)
            machine.freeze(thaw=True)
        elif machine.ends_at < time.monotonic() + seconds:
            machine.set_timeout(seconds)
        await send_json(send, status, machine.to_json())

    async def _metrics(self, _machine: Machine, _: HttpRequest, send: Send) -> None:
        now = datetime.now(UTC)
        used = {"cpuCount": 2, "cpuUsedPct": 1.0, "memUsed": 1 << 26, "memTotal": 1 << 29}
        disk = {"memCache": 0, "diskUsed": 1 << 20, "diskTotal": 1 << 30}
        stamp = {"timestamp": now.isoformat(), "timestampUnix": int(now.timestamp())}
        await send_json(send, 200, [used | disk | stamp])

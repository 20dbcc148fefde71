"""The control plane of a loopback E2B: sandboxes are made, listed, paused and killed here."""

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
    """What E2B's API does, for one key.

    Attributes:
        machines: The sandboxes there are, by their ids.
        alive: The processes of all sandboxes, until they are buried.
        created: What each creation asked for, as it was sent, in order.
    """

    def __init__(
        self, api_key: str, faults: Faults, concurrency: int, tasks: anyio.abc.TaskGroup
    ) -> None:
        self._api_key = api_key
        self._faults = faults
        self._concurrency = concurrency
        self._tasks = tasks
        self._by_key: dict[str, Machine] = {}
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

    async def __call__(self, asked: HttpRequest, send: Send) -> None:
        """Answer one request."""
        if asked.headers.get("x-api-key") != self._api_key:
            await send_json(send, 401, "Invalid API key")
            return
        parts = [part for part in asked.path.split("/") if part and part != "v2"]
        if parts == ["sandboxes"]:
            await (self._create if asked.method == "POST" else self._list)(asked, send)
            return
        verb = self._handlers.get((asked.method, "".join(parts[2:])))
        if parts[:1] != ["sandboxes"] or verb is None:
            await send_json(send, 404, f"no {asked.method} {asked.path} here")
            return
        if await self._faults.apply(verb[0], send):
            return
        machine = self.find(parts[1])
        if machine is None:
            await send_json(send, 404, f"sandbox {parts[1]!r} was not found")
            return
        await verb[1](machine, asked, send)

    def find(self, identity: str) -> Machine | None:
        """A sandbox that has not died."""
        machine = self.machines.get(identity)
        if machine is not None and not machine.paused and machine.ends_at <= time.monotonic():
            self.remove(machine)
            return None
        return machine

    def remove(self, machine: Machine) -> None:
        """Let one die."""
        self.machines.pop(machine.id, None)
        machine.kill()

    async def _create(self, asked: HttpRequest, send: Send) -> None:
        if await self._faults.apply("create", send):
            return
        key = asked.headers.get("idempotency-key", "")
        machine = self._by_key.get(key)
        if machine is None:
            running = [one for one in self.machines.values() if not one.paused]
            if len(running) >= self._concurrency:
                await send_json(
                    send, 429, "you have reached the maximum number of concurrent sandboxes"
                )
                return
            machine = self._make(asked.json())
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
        )
        self.machines[machine.id] = machine
        return machine

    async def _list(self, asked: HttpRequest, send: Send) -> None:
        if await self._faults.apply("list", send):
            return
        wanted = dict(parse_qsl(asked.query.get("metadata", "")))
        states = asked.query.get("state", "running,paused").split(",")
        told = [one.to_json() for name in list(self.machines) if (one := self.find(name))]
        found = [
            one
            for one in told
            if one["state"] in states and wanted.items() <= one["metadata"].items()
        ]
        await send_json(send, 200, found)

    async def _get(self, machine: Machine, _: HttpRequest, send: Send) -> None:
        await send_json(send, 200, machine.to_json())

    async def _kill(self, machine: Machine, _: HttpRequest, send: Send) -> None:
        self.remove(machine)
        await send_json(send, 204)

    async def _timeout(self, machine: Machine, asked: HttpRequest, send: Send) -> None:
        machine.set_timeout(float(asked.json()["timeout"]))
        await send_json(send, 204)

    async def _pause(self, machine: Machine, _: HttpRequest, send: Send) -> None:
        if machine.paused:
            await send_json(send, 409, "the sandbox is paused already")
            return
        machine.freeze()
        await send_json(send, 204)

    async def _connect(self, machine: Machine, asked: HttpRequest, send: Send) -> None:
        seconds = float(asked.json().get("timeout", 300))
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

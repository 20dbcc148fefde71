"""The control plane of a loopback E2B, request by request, without a connection."""

import json
import sys
import time
from collections.abc import AsyncGenerator
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from planish_integrations.testing.e2b._control import Control
from planish_integrations.testing.e2b._faults import OPERATIONS, Faults
from planish_integrations.testing.e2b._http import HttpRequest
from planish_integrations.testing.e2b._machine import Machine

pytestmark = pytest.mark.anyio

KEY = {"x-api-key": "k"}
Answer = tuple[int, Any]


class Sent:
    """What an application sends, put together."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message["body"]


class Plane:
    """A control plane, and a client of it."""

    def __init__(self, control: Control, faults: Faults) -> None:
        self.control = control
        self.faults = faults
        self.headers: dict[str, str] = {}

    async def ask(
        self, method: str, path: str, body: Any = None, query: Any = (), **headers: str
    ) -> Answer:
        content = b"" if body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = Sent()
        request = HttpRequest(method, path, dict(query), {**KEY, **named}, content)
        await self.control(request, sent)
        self.headers = sent.headers
        return sent.status, json.loads(sent.body) if sent.body else None

    async def make(self, **fields: Any) -> dict[str, Any]:
        status, found = await self.ask("POST", "/sandboxes", {"templateID": "base", **fields})
        assert status == 201
        return dict(found)


@pytest.fixture
async def plane() -> AsyncGenerator[Plane]:
    faults = Faults()
    async with anyio.create_task_group() as tasks:
        control = Control("k", faults, 2, 1.0, tasks)
        yield Plane(control, faults)
        for machine in list(control.machines.values()):
            control.remove(machine)


async def test_a_sandbox_is_described_as_it_was_made(plane: Plane) -> None:
    made = await plane.make(
        timeout=60, metadata={"a": "b"}, envVars={"X": "1"}, allow_internet_access=False
    )
    (machine,) = plane.control.machines.values()
    times = [datetime.fromisoformat(made.pop(name)) for name in ("startedAt", "endAt")]
    assert 59 < (times[1] - times[0]).total_seconds() < 61
    assert made == {
        "templateID": "base",
        "alias": "base",
        "clientID": "loopback",
        "sandboxID": machine.id,
        "envdAccessToken": machine.token,
        "envdVersion": "0.6.4",
        "cpuCount": 2,
        "memoryMB": 512,
        "diskSizeMB": 1024,
        "state": "running",
        "metadata": {"a": "b"},
        "allowInternetAccess": False,
    }
    assert len(machine.token) == 32
    assert machine.id.startswith("loopback")
    assert plane.control.creations[0]["timeout"] == 60
    status, found = await plane.ask("GET", f"/sandboxes/{machine.id}")
    assert (status, found["sandboxID"]) == (200, machine.id)
    default = await plane.make()
    assert default["allowInternetAccess"] is None
    assert plane.control.machines[default["sandboxID"]].seconds == 15


async def test_a_process_has_the_variables_of_its_sandbox_and_its_own(plane: Plane) -> None:
    made = await plane.make(envVars={"X": "1", "USER": "me"})
    machine = plane.control.machines[made["sandboxID"]]
    assert machine.environment({"X": "2"}) == {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(machine.folder),
        "USER": "me",
        "LANG": "C.UTF-8",
        "E2B_SANDBOX": "true",
        "X": "2",
    }
    assert machine.environment()["X"] == "1"


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        *(("/home/user", ""), ("/home/user/a", "a"), ("/home/users", "home/users")),
        *(("a/../../b", "b"), ("/../../etc/passwd", "etc/passwd"), ("{folder}/c", "c")),
    ],
)
async def test_every_path_is_inside_the_folder_of_the_sandbox(
    plane: Plane, path: str, inside: str
) -> None:
    made = await plane.make()
    machine = plane.control.machines[made["sandboxID"]]
    found = machine.path(path.format(folder=machine.folder))
    assert found == machine.folder / inside


@pytest.mark.parametrize(
    ("method", "path", "key", "status", "message"),
    [
        ("GET", "/sandboxes", "other", 401, "Invalid API key"),
        ("GET", "/sandboxes/none", "k", 404, "sandbox 'none' was not found"),
        ("PATCH", "/sandboxes/none", "k", 404, "no PATCH /sandboxes/none here"),
        ("GET", "/boxes/none", "k", 404, "no GET /boxes/none here"),
        ("POST", "/sandboxes/none/no", "k", 404, "no POST /sandboxes/none/no here"),
    ],
)
async def test_what_is_not_there_is_refused(
    plane: Plane, method: str, path: str, key: str, status: int, message: str
) -> None:
    found = await plane.ask(method, path, None, (), x_api_key=key)
    assert found == (status, {"code": status, "message": message})


async def test_so_many_run_at_once_and_paused_ones_do_not_count(plane: Plane) -> None:
    one, _ = await plane.make(), await plane.make()
    body = {"templateID": "base"}
    assert (await plane.ask("POST", "/sandboxes", body))[0] == 429
    path = f"/sandboxes/{one['sandboxID']}"
    assert await plane.ask("POST", f"{path}/pause") == (204, None)
    assert (await plane.ask("POST", f"{path}/pause"))[0] == 409
    assert (await plane.ask("POST", "/sandboxes", body))[0] == 201
    assert len(plane.control.creations) == 3


async def test_a_creation_with_the_key_of_another_is_that_one(plane: Plane) -> None:
    body = {"templateID": "base"}
    found = [await plane.ask("POST", "/sandboxes", body, (), idempotency_key="i") for _ in "ab"]
    assert found[0][1]["sandboxID"] == found[1][1]["sandboxID"]
    assert len(plane.control.machines) == 1


async def test_sandboxes_are_listed_by_state_and_metadata(plane: Plane) -> None:
    one = await plane.make(metadata={"a": "b", "c": "d"})
    two = await plane.make(metadata={"a": "x"})
    await plane.ask("POST", f"/sandboxes/{two['sandboxID']}/pause")

    async def listed(**query: str) -> list[str]:
        status, found = await plane.ask("GET", "/v2/sandboxes", None, query)
        assert status == 200
        return [each["sandboxID"] for each in found]

    ids = [one["sandboxID"], two["sandboxID"]]
    assert await listed() == ids
    assert await listed(state="running") == ids[:1]
    assert await listed(state="paused") == ids[1:]
    assert await listed(metadata="a=b") == ids[:1]
    assert await listed(metadata="a=b&c=x") == []


async def test_the_time_of_a_sandbox_is_set_and_only_connecting_wakes_it(plane: Plane) -> None:
    made = await plane.make(timeout=1000)
    path = f"/sandboxes/{made['sandboxID']}"
    machine = plane.control.machines[made["sandboxID"]]

    def left() -> float:
        return round(machine.ends_at - time.monotonic(), -1)

    assert await plane.ask("POST", f"{path}/timeout", {"timeout": 500}) == (204, None)
    assert (left(), machine.seconds) == (500, 500)
    status, _ = await plane.ask("POST", f"{path}/connect", {"timeout": 400})
    assert (status, left()) == (200, 500)  # it is not shortened
    await plane.ask("POST", f"{path}/connect", {"timeout": 600})
    assert left() == 600
    await plane.ask("POST", f"{path}/pause")
    status, found = await plane.ask("POST", f"{path}/connect", {})
    assert (status, found["state"], left()) == (201, "running", 300)


async def test_a_sandbox_whose_time_is_over_is_gone_unless_it_is_paused(plane: Plane) -> None:
    made = await plane.make()
    machine = plane.control.machines[made["sandboxID"]]
    machine.freeze()
    machine.ends_at = time.monotonic()
    assert plane.control.find(machine.id) is machine
    machine.paused = False
    assert plane.control.find(machine.id) is None
    assert plane.control.machines == {}
    assert machine.ended.is_set()
    assert not machine.folder.exists()
    machine.kill()  # once more does nothing


async def test_a_sandbox_is_killed_and_measured(plane: Plane) -> None:
    made = await plane.make()
    path = f"/sandboxes/{made['sandboxID']}"
    status, (metrics,) = await plane.ask("GET", f"{path}/metrics")
    assert status == 200
    assert 0 <= metrics["memUsed"] <= metrics["memTotal"]
    assert 0 <= metrics["diskUsed"] <= metrics["diskTotal"]
    assert metrics["cpuCount"] == made["cpuCount"]
    stamp = datetime.fromisoformat(metrics["timestamp"]).timestamp()
    assert int(stamp) == metrics["timestampUnix"]
    assert await plane.ask("DELETE", path) == (204, None)
    assert (await plane.ask("GET", path))[0] == 404


REQUESTS = {
    "create": ("POST", ""),
    "list": ("GET", ""),
    "get": ("GET", "/{id}"),
    "kill": ("DELETE", "/{id}"),
    "timeout": ("POST", "/{id}/timeout"),
    "pause": ("POST", "/{id}/pause"),
    "connect": ("POST", "/{id}/connect"),
    "metrics": ("GET", "/{id}/metrics"),
}


@pytest.mark.parametrize("operation", REQUESTS)
async def test_an_operation_fails_as_often_as_it_should(plane: Plane, operation: str) -> None:
    made = await plane.make()
    method, path = REQUESTS[operation]
    path = "/sandboxes" + path.format(id=made["sandboxID"])
    body = {"templateID": "base", "timeout": 9}
    plane.faults.add(operation, 503, 2, {"retry-after": "1"}, 0.0)
    before = plane.faults.calls.get(operation, 0)
    for _ in range(2):
        status, error = await plane.ask(method, path, body)
        assert (status, error["code"]) == (503, 503)
        assert error["message"] == f"a fault of {operation} on demand"
        assert plane.headers == {"content-type": "application/json", "retry-after": "1"}
    assert (await plane.ask(method, path, body))[0] < 300
    assert plane.faults.calls[operation] == before + 3


async def test_a_fault_without_a_status_only_delays() -> None:
    faults, sent = Faults(), Sent()
    faults.add("get", 0, 1, {}, 0.02)
    start = time.monotonic()
    assert not await faults.apply("get", sent)
    assert time.monotonic() - start >= 0.02
    assert (sent.status, sent.body) == (0, b"")
    assert not await faults.apply("get", sent)
    assert faults.calls == {"get": 2}
    faults.cuts["execute"] = [3, 1]
    assert [faults.cut("execute") for _ in range(3)] == [3, 1, None]
    assert faults.cut("command") is None
    with pytest.raises(ValueError, match="no operation 'dance'; there are create, list, get"):
        faults.add("dance", 500, 1, {}, 0.0)
    assert len(OPERATIONS) == 14


async def test_a_machine_without_a_name_has_one_of_its_own() -> None:
    values: dict[str, Any] = {"template": "t", "metadata": {}, "env": {}, "internet": None}
    async with anyio.create_task_group() as tasks:
        machines = [
            Machine(**values, seconds=1, tasks=tasks, alive=set(), restart_seconds=1.0)
            for _ in range(2)
        ]
        assert machines[0].id != machines[1].id
        assert machines[0].token != machines[1].token
        for machine in machines:
            assert machine.folder.is_dir()
            machine.kill()
            assert not machine.folder.exists()

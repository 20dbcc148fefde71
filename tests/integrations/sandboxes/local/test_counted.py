"""What a watcher counts, where the kernel does not: it finds it wherever a program puts it."""

import json
import os
import subprocess
from collections.abc import Callable

import pytest
from tests.integrations.sandboxes.local.abuse.users import Leg

from planish.data.program import Program
from planish_integrations.local import Tier

Python = Callable[..., Program]

UNLINKED = """
import os, time
kept = []
for n in range(24):
    file = open(str(n), "wb", buffering=0)
    kept.append(file)
    os.unlink(file.name)
    file.write(bytes(1 << 20))
time.sleep(20)
"""
HIDDEN = """
import os, time
os.mkdir("hidden", 0o300)
for n in range(24):
    with open(f"hidden/{n}", "wb") as file:
        file.write(bytes(1 << 20))
time.sleep(20)
"""
CROWD = """
import os, time
for _ in range(30):
    if os.fork() == 0:
        time.sleep(1)
        os._exit(0)
time.sleep(1)
"""

# A host of its own: started as another user, it runs what it is given, all at once.
HOST = """
import json, sys, anyio
from planish.data.program import Program, ResourceLimits
from planish_integrations.local import LocalSandbox
tier, source, limits, count = json.load(sys.stdin)
program = Program(main="m.py", files={"m.py": source.encode()}, limits=ResourceLimits(**limits))
found = []
async def main():
    async with LocalSandbox(tier=tier, concurrency=count) as sandbox:
        async def one():
            done = await sandbox.run(program)
            found.append([done.exit_code, done.limit, done.stderr.decode()])
        async with anyio.create_task_group() as tasks:
            for _ in range(count):
                tasks.start_soon(one)
anyio.run(main)
print(json.dumps(found))
"""


Outcome = tuple[int | None, str | None, str]


def start(leg: Leg, tier: Tier, source: str, count: int, **limits: int) -> subprocess.Popen[bytes]:
    host = subprocess.Popen(
        [leg.python, "-c", HOST],
        user=leg.uid,
        group=leg.uid,
        extra_groups=None if leg.uid is None else [],
        cwd="/",
        env={"PATH": os.environ["PATH"], "PYTHONPATH": leg.path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert host.stdin
    with host.stdin:
        host.stdin.write(json.dumps([tier, source, limits, count]).encode())
    host.stdin = None
    return host


def outcomes(host: subprocess.Popen[bytes]) -> list[Outcome]:
    told, said = host.communicate(timeout=120)
    assert host.returncode == 0, said.decode()
    return [(code, limit, error) for code, limit, error in json.loads(told)]


def test_files_that_have_no_name_count(leg: Leg, tier: Tier) -> None:
    if tier == "namespaces":
        pytest.skip("there the kernel counts")
    ((_, limit, _),) = outcomes(start(leg, tier, UNLINKED, 1, disk_mb=8, seconds=20))
    assert limit == "disk_mb"


def test_a_folder_that_may_not_be_read_is_looked_into(leg: Leg, tier: Tier) -> None:
    if tier == "namespaces":
        pytest.skip("there the kernel counts")
    ((_, limit, _),) = outcomes(start(leg, tier, HIDDEN, 1, disk_mb=8, seconds=20))
    assert limit == "disk_mb"


def test_one_run_does_not_count_for_another(leg: Leg, tier: Tier) -> None:
    done = outcomes(start(leg, tier, CROWD, 6, processes=40, seconds=30))
    assert done == [(0, None, "")] * 6


def test_hosts_of_one_user_do_not_refuse_for_each_others_sake(leg: Leg, tier: Tier) -> None:
    hosts = [start(leg, tier, "pass", 2) for _ in range(4)]
    for host in hosts:
        assert outcomes(host) == [(0, None, "")] * 2

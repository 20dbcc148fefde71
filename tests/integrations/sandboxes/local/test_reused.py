"""One sandbox serves one program after another; a program finds nothing of those before."""

import os
import socket
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from tests.integrations.sandboxes.local.conftest import Processes

from planish.data.program import Program, ResourceLimits
from planish_integrations.local import LocalSandbox, Tier
from planish_integrations.sandboxes.local._worker import Worker

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

# It knows how the secret begins, and its digest: what it looks for is not in its own memory.
SCAN = """
import hashlib, re
begin, digest = open('wanted').read().split()
found = 0
with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:
    for line in maps.read().splitlines():
        place, rights, *_ = line.split()
        first, last = (int(part, 16) for part in place.split('-'))
        if rights[0] != 'r' or last >= 1 << 63:
            continue
        memory.seek(first)
        try:
            content = memory.read(last - first)
        except OSError:
            continue
        for match in re.finditer(begin.encode(), content):
            text = content[match.start():match.start() + 48]
            found += hashlib.sha256(text).hexdigest() == digest
print(found)
"""


async def test_a_second_program_runs_in_the_same_processes(
    one: LocalSandbox, python: Python, processes: Processes
) -> None:
    assert (await one.run(python("pass"))).ok
    before = processes()
    assert before
    for number in range(5):
        assert (await one.run(python(f"print({number})"))).stdout == b"%d\n" % number
    assert before <= processes()


async def test_memory_holds_nothing_of_the_program_before(
    one: LocalSandbox, python: Python, processes: Processes
) -> None:
    secret = os.urandom(24).hex()
    wanted = f"{secret[:10]} {sha256(secret.encode()).hexdigest()}".encode()
    before = await _started(one, python, processes)
    first = python(
        f"import os\nprint('{secret}')\nopen('out', 'w').write('{secret}')\n"
        f"os.write(int(os.environ['PLANISH_RESULTS_FD']), b'{secret}')",
        env={"SECRET": secret},
        args=(secret,),
        stdin=secret.encode() * 100,
        collect=("out",),
        results=True,
    )
    assert secret.encode() in (await one.run(first)).stdout
    done = await one.run(
        Program(main="main.py", files={"main.py": SCAN.encode(), "wanted": wanted})
    )
    assert (done.stdout, done.stderr) == (b"0\n", b"")
    assert before <= processes()
    aware = f"kept = '{secret}'\n{SCAN}"  # a scan does find what is there
    found = await one.run(
        Program(main="main.py", files={"main.py": aware.encode(), "wanted": wanted})
    )
    assert int(found.stdout) > 0, found.stderr


async def _started(one: LocalSandbox, python: Python, processes: Processes) -> set[int]:
    assert (await one.run(python("pass"))).ok
    return processes()


LEAVES = """
import os, sys
os.makedirs('a/b/c')
for name in ('a/b/c/file', os.environ['TMPDIR'] + '/file', os.environ['HOME'] + '/file'):
    open(name, 'w').write('left')
os.symlink('/', 'link')
os.mkfifo('pipe')
os.chmod('a/b', 0) if 'chmod' in sys.argv else None
held = open('a/b/c/file') if 'chmod' not in sys.argv else None
if os.fork() == 0:
    if os.fork() == 0:
        import time
        time.sleep(100)
    os._exit(0)
"""
LOOKS = """
import os
places = ('.', os.environ['TMPDIR'], os.environ['HOME'])
print([sorted(set(os.listdir(place)) - {'home'}) for place in places])
print(os.stat('.').st_mode & 0o777 == 0o700, sorted(os.environ))
"""


@pytest.mark.parametrize("argument", ["", "chmod"])
async def test_files_and_processes_are_gone(
    one: LocalSandbox, python: Python, processes: Processes, argument: str
) -> None:
    fresh = await one.run(python(LOOKS))
    assert fresh.ok, fresh.stderr
    before = processes()
    left = await one.run(python(LEAVES, args=(argument,)))
    if not left.ok:
        assert b"PermissionError" in left.stderr  # a tier in which modes cannot be changed
    found = await one.run(python(LOOKS))
    assert found.stdout == fresh.stdout
    assert before <= processes()


class Owner:
    """Has a worker, and takes none back."""

    def refill(self) -> None:
        raise AssertionError

    def return_used(self, worker: Worker) -> None:
        raise AssertionError(worker)

    def end_of_template(self) -> str:
        raise AssertionError


@pytest.mark.parametrize("stopped", [False, True])
def test_a_worker_that_was_stopped_is_not_used_again_whatever_it_offers(*, stopped: bool) -> None:
    ours, theirs = socket.socketpair()
    worker = Worker(ours.detach(), owner := Owner())
    with theirs:
        if stopped:  # at the moment when the program ended by itself
            worker.stop()
        worker.end_report(reusable=True)
        assert worker.reusable is not stopped
        worker.close()
    del owner


async def test_each_program_has_all_of_its_disk(one: LocalSandbox, python: Python) -> None:
    limits = ResourceLimits(disk_mb=8)
    for _ in range(3):
        done = await one.run(python("open('file', 'wb').write(bytes(6 << 20))", limits=limits))
        assert done.ok, done.stderr


async def test_a_read_only_folder_of_inputs_is_gone_after_its_run(
    one: LocalSandbox, processes: Processes
) -> None:
    source = b"import os\nprint(sorted(os.listdir('.')))\nopen('inputs', 'w')"
    given = {"main.py": b"print(open('inputs/a').read())", "inputs/a": b"1"}
    assert (await one.run(Program(main="main.py", files=given))).stdout == b"1\n"
    before = processes()
    done = await one.run(Program(main="main.py", files={"main.py": source}))
    assert (done.stdout, done.ok) == (b"['main.py']\n", True), done.stderr
    assert before <= processes()


async def test_the_time_of_one_program_is_not_that_of_the_next(
    one: LocalSandbox, python: Python
) -> None:
    busy = "import time\nwhile time.process_time() < 1.0: pass"
    first = await one.run(python(busy))
    assert first.cpu_seconds is not None
    assert first.cpu_seconds >= 1.0
    second = await one.run(python("pass", limits=ResourceLimits(seconds=1.0)))
    assert second.limit is None
    assert second.cpu_seconds is not None
    assert second.cpu_seconds < 0.9


async def test_programs_have_the_same_numbers_each_time(
    one: LocalSandbox, python: Python, tier: Tier
) -> None:
    if tier != "namespaces":
        pytest.skip("here numbers are the machine's")
    source = "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint(os.getpid(), pid)"
    found = {(await one.run(python(source))).stdout for _ in range(3)}
    assert len(found) == 1


async def test_two_hundred_programs_leave_no_descriptor_and_no_memory(
    one: LocalSandbox, python: Python, processes: Processes
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can see what these processes have open")

    def measured() -> dict[int, tuple[int, int]]:
        return {pid: (_open(pid) - _children(pid), _resident(pid)) for pid in processes()}

    program = Program(
        main="main.py",
        files={"main.py": b"open('out', 'w').write('1')", "inputs/a": b"1"},
        stdin=b"x" * 1000,
        collect=("out",),
    )
    for _ in range(20):
        await one.run(program)
    before = measured()
    for _ in range(200):
        assert (await one.run(program)).ok
    after = measured()
    assert before.keys() <= after.keys()
    for pid, (descriptors, pages) in before.items():
        assert after[pid][0] == descriptors, pid
        assert after[pid][1] < pages + 256, pid


def _open(pid: int) -> int:
    """Count its descriptors, at a moment when it does nothing."""
    found: list[int] = []
    for _ in range(10):
        found.append(len([*Path(f"/proc/{pid}/fd").iterdir()]))
        time.sleep(0.02)
    return min(found)


def _children(pid: int) -> int:
    """Count its children: the template process has a descriptor for each sandbox."""
    return len(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1])

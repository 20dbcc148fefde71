"""Programs in real containers; skipped where no engine answers."""

import subprocess
from collections.abc import Sequence

import anyio
import pytest

from planish.abc import Sandbox
from planish.data.program import Completed, Program, ResourceLimits
from planish.data.sandbox import GUARANTEES
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.containers import ContainerSandbox
from planish_integrations.environments import EnvSpec

pytestmark = pytest.mark.anyio

ABUSE = """
import os, socket, sys
tried = {}
def attempt(name, action):
    try:
        tried[name] = repr(action())
    except BaseException as error:
        tried[name] = type(error).__name__
def connect():
    socket.create_connection(("1.1.1.1", 53), 2)
attempt("network", connect)
attempt("write", lambda: open("/usr/mark", "w"))
attempt("tmp", lambda: open("/tmp/mark", "w"))
attempt("trace", lambda: open("/proc/1/mem", "rb"))
attempt("kill", lambda: os.kill(1, 9))
attempt("setuid", lambda: os.setuid(0))
attempt("mount", lambda: os.listdir("/proc/1/fd"))
for name, found in tried.items():
    print(name, found)
print("uid", os.getuid(), "pids", len([p for p in os.listdir("/proc") if p.isdigit()]))
"""


def _program(source: str, **fields: object) -> Program:
    files = {"main.py": source.encode()}
    return Program(main="main.py", files=files, **fields)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def _run(sandbox: Sandbox, sources: Sequence[str]) -> list[Completed]:
    found: dict[str, Completed] = {}

    async def one(source: str) -> None:
        found[source] = await sandbox.run(_program(source))

    async with anyio.create_task_group() as tasks:
        for source in sources:
            tasks.start_soon(one, source)
    return [found[source] for source in sources]


async def test_what_a_program_may_not_do_it_cannot(sandbox: ContainerSandbox) -> None:
    completed = await sandbox.run(_program(ABUSE))
    assert completed.ok, completed.stderr
    told = dict(line.split(" ", 1) for line in completed.stdout.decode().splitlines())
    assert told["uid"] == "65534 pids 2"
    assert told["kill"] == "None"  # the kernel takes the signal, and process 1 never sees it
    assert told["network"] == "OSError"
    refused = {"OSError", "PermissionError"}
    assert {told[name] for name in ("write", "tmp", "trace", "setuid", "mount")} <= refused
    assert completed.isolation == "container"
    assert {"network", "privileges", "writes", "environment"} <= set(completed.guarantees)
    assert set(completed.guarantees) <= GUARANTEES.keys()


async def test_time_and_files_are_limited_and_outputs_come_back(sandbox: ContainerSandbox) -> None:
    source = "import os, time\nfor i in range(50): open(f'out/{i}', 'w').write('x')\n"
    spin = source + "print('here', flush=True)\nwhile True: pass"
    completed = await sandbox.run(_program(spin, outputs="out", limits=ResourceLimits(seconds=1.0)))
    assert (completed.limit, completed.stdout) == ("seconds", b"here\n")
    assert len(completed.artifacts) == 50
    many = await sandbox.run(
        _program(source + "time.sleep(30)", outputs="out", limits=ResourceLimits(files=20))
    )
    assert many.limit == "files"


async def test_all_processes_together_are_held_to_their_memory(sandbox: ContainerSandbox) -> None:
    source = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        block = bytearray(os.urandom(1 << 20)) * 100
        time.sleep(20)
        os._exit(0)
while True:
    pid, status = os.wait()
    if status:
        os.kill(os.getpid(), 9)
"""
    completed = await sandbox.run(
        _program(source, limits=ResourceLimits(memory_mb=256, seconds=30))
    )
    if "memory_total" not in completed.guarantees:
        pytest.skip("the engine sets no memory limit here, and it is not promised")
    assert (completed.limit, completed.ok) == ("memory_mb", False)


async def test_runs_at_once_are_apart(sandbox: ContainerSandbox) -> None:
    sources = [f"import os; open('{n}', 'w'); print({n}, len(os.listdir()))" for n in range(4)]
    found = await _run(sandbox, sources)
    assert [completed.stdout for completed in found] == [b"%d 2\n" % n for n in range(4)]
    assert len({completed.sandbox_id for completed in found}) == 4


async def test_cancelled_it_leaves_no_container(
    sandbox: ContainerSandbox, real: tuple[str, str]
) -> None:
    for seconds in (0.05, 1.5):  # while it is made, and while it runs
        with anyio.move_on_after(seconds) as scope:
            await sandbox.run(_program("import time; time.sleep(60)"))
        assert scope.cancelled_caught


async def test_an_image_that_is_not_there_is_an_error_with_a_remedy(real: tuple[str, str]) -> None:
    sandbox = ContainerSandbox(engine=real[0], image="localhost/planish-no-such-image:0")
    with pytest.raises(SandboxError, match="create failed"):
        await sandbox.run(_program("pass"))


async def test_a_language_the_image_has_not_is_said(real: tuple[str, str]) -> None:
    languages = {"cobol": ("cobol-runner",)}
    sandbox = ContainerSandbox(engine=real[0], image=real[1], languages=languages)
    program = Program(language="cobol", main="m", files={"m": b""})
    with pytest.raises(UnsupportedError, match="cobol-runner"):
        await sandbox.run(program)


async def test_an_environment_is_built_once(real: tuple[str, str]) -> None:
    commands = ("echo built > /etc/planish-test",)
    spec = EnvSpec(base_image=real[1], commands=commands)
    sandbox = ContainerSandbox(engine=real[0], spec=spec)
    try:
        found = await _run(sandbox, ["print(open('/etc/planish-test').read())", "print(2)"])
    except SandboxError as error:
        if "build failed" in str(error):
            pytest.skip(f"the engine cannot build images here: {str(error)[:200]}")
        raise
    finally:
        name = f"localhost/planish-env:{spec.fingerprint[:40]}"
        remove = [real[0], "image", "rm", "--force", name]
        await anyio.run_process(remove, check=False, stdout=subprocess.DEVNULL)
    assert [completed.stdout for completed in found] == [b"built\n\n", b"2\n"]

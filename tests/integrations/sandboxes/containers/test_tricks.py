"""Programs in containers that attack what supervises them: each gets a verdict."""

import pytest
from tests.integrations.sandboxes.containers.ours import python

from planish.data.program import ResourceLimits
from planish_integrations.containers import ContainerSandbox

pytestmark = pytest.mark.anyio

HARMLESS = {
    "kills it": "os.kill(1, 9)",
    "stops it": "os.kill(1, 19)",
    "asks it to end": "for number in (1, 2, 3, 10, 12, 14, 15, 20): os.kill(1, number)",
    "writes to its streams": """
for fd in range(10):
    try:
        os.write(os.open(f'/proc/1/fd/{fd}', os.O_WRONLY), b'D\\0\\0\\0\\2{}')
    except OSError:
        pass""",
    "prints a report": "print('D\\0\\0\\0\\2{}', end='')",
    "removes its own folders": (
        "import shutil; os.chdir('/'); shutil.rmtree('/planish', ignore_errors=True)"
    ),
    "shuts its folders": "os.chmod('out', 0); os.chmod('.', 0)",
    "nests folders": ("os.chdir('out')\nfor _ in range(1500):\n    os.mkdir('d'); os.chdir('d')"),
    "leaves many links": "for n in range(3000): os.symlink('/', f'out/{n}')",
    "fills the disk": """
try:
    while True: open('big', 'ab').write(bytes(1 << 20))
except OSError:
    pass""",
}


@pytest.mark.parametrize("trick", HARMLESS)
async def test_the_supervisor_reports_whatever_a_program_does(
    contained: ContainerSandbox, trick: str
) -> None:
    source = f"import os, sys\n{HARMLESS[trick]}\nsys.stdout.flush()\nos._exit(3)"
    program = python(source, outputs="out", limits=ResourceLimits(disk_mb=8))
    completed = await contained.run(program)
    assert (completed.exit_code, completed.limit) == (3, None), completed
    assert len(completed.findings) < 1000


async def test_a_program_that_takes_its_supervisor_s_resources_has_ended(
    contained: ContainerSandbox,
) -> None:
    source = """
import resource, time
print('begun', flush=True)
for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_AS, resource.RLIMIT_CPU):
    resource.prlimit(1, kind, (0, 0))
time.sleep(60)
"""
    completed = await contained.run(python(source, results=True))
    assert not completed.ok
    assert (completed.exit_code, completed.signal, completed.results) == (None, 9, b"")
    assert "its supervisor" in completed.findings[0]

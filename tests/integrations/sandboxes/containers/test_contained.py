"""Programs in containers that bubblewrap makes, with the real supervisor as process 1."""

import pytest
from tests.integrations.sandboxes.containers.ours import python

from planish.data.program import Completed
from planish_integrations.containers import ContainerSandbox

pytestmark = pytest.mark.anyio


async def shown(contained: ContainerSandbox, source: str, **fields: object) -> Completed:
    """Run a program that has to end well."""
    completed = await contained.run(python(source, **fields))
    assert completed.ok, completed
    return completed


async def test_no_other_process_of_the_run_reaches_the_results(contained: ContainerSandbox) -> None:
    source = """
import ctypes, glob, os, site, sys
fd = int(os.environ['PLANISH_RESULTS_FD'])
os.set_inheritable(fd, False)
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # as whatever reports has to: no process may look into it
os.write(fd, b'true')
first = os.getpid()
if os.fork() == 0:
    os.close(fd)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
    for pid in {str(first), '1', str(os.getppid())}:
        for path in [f'/proc/{pid}/fd', f'/proc/{pid}/map_files', f'/proc/{pid}/mem']:
            try:
                open(path).read() if path.endswith('mem') else os.listdir(path)
                print('read', path)
            except OSError:
                pass
        for number in range(64):
            try:
                os.write(os.open(f'/proc/{pid}/fd/{number}', os.O_WRONLY), b'forged')
                print('opened', pid, number)
            except OSError:
                pass
    for folder in [*sys.path[1:], *site.getsitepackages(), sys.prefix]:
        try:
            open(os.path.join(folder, 'forged.py'), 'w')
            print('wrote', folder)
        except OSError:
            pass
    os._exit(0)
print(os.wait()[1])
"""
    completed = await shown(contained, source, results=True)
    assert (completed.stdout, completed.results) == (b"0\n", b"true")
    assert "results" in completed.guarantees

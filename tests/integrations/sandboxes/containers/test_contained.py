"""Programs in containers that bubblewrap makes, with the real supervisor as process 1."""

import pytest
from tests.integrations.sandboxes.containers.ours import python

from planish.data.program import Completed, ResourceLimits
from planish.testing import check_sandbox
from planish.testing._conformance import ConformanceError
from planish_integrations.containers import ContainerSandbox

pytestmark = pytest.mark.anyio


async def shown(contained: ContainerSandbox, source: str, **fields: object) -> Completed:
    """Run a program that has to end well."""
    completed = await contained.run(python(source, **fields))
    assert completed.ok, completed
    return completed


async def test_it_keeps_the_contract_but_for_what_needs_a_control_group(
    contained: ContainerSandbox,
) -> None:
    with pytest.raises(ConformanceError) as caught:
        await check_sandbox(contained, promptly=15.0)
    assert set(caught.value.failures) == {"stops at the process limit"}, caught.value


async def test_input_is_a_file_that_cannot_be_written(contained: ContainerSandbox) -> None:
    source = """
import mmap, os
size = os.fstat(0).st_size
print(size, os.read(0, size), os.lseek(0, 2, os.SEEK_SET), os.read(0, 1))
print(mmap.mmap(0, 0, prot=mmap.PROT_READ)[:])
for write in (lambda: os.write(0, b'x'), lambda: os.open('/proc/self/fd/0', os.O_WRONLY)):
    try:
        print(write())
    except OSError as error:
        print(type(error).__name__)
"""
    completed = await shown(contained, source, stdin=b"1 2 3")
    expected = b"5 b'1 2 3' 2 b'2'\nb'1 2 3'\nOSError\nPermissionError\n"
    assert completed.stdout == expected


async def test_results_come_back_whatever_the_end(contained: ContainerSandbox) -> None:
    write = "import os; fd = int(os.environ['PLANISH_RESULTS_FD']); os.write(fd, b'seen')\n"
    ends = {"": None, "os.kill(os.getpid(), 9)": None, "while True: pass": "seconds"}
    for end, limit in ends.items():
        program = python(write + end, results=True, limits=ResourceLimits(seconds=1.0))
        completed = await contained.run(program)
        assert (completed.results, completed.limit) == (b"seen", limit)
        assert "results" in completed.guarantees
    silent = await shown(contained, "import os; assert 'PLANISH_RESULTS_FD' not in os.environ")
    assert silent.results is None


async def test_results_are_limited_as_files_are(contained: ContainerSandbox) -> None:
    source = """
import os, resource
fd = int(os.environ['PLANISH_RESULTS_FD'])
try:
    os.write(fd, b'x' * 2000)
    os.write(fd, b'x' * 2000)
except OSError as error:
    print(error.errno)
"""
    completed = await shown(contained, source, results=True, limits=ResourceLimits(file_bytes=1000))
    assert completed.results == b"x" * 1000
    assert completed.stdout == b"27\n"  # EFBIG


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

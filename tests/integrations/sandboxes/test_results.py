"""The results descriptor: what is returned of it, and who can reach it."""

import json
from collections.abc import Callable

import pytest
from tests.integrations.sandboxes.places import Place

from planish.abc import Sandbox
from planish.data.program import Program, ResourceLimits

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

REPORT = """
import os, sys, signal, ctypes, time
results = int(os.environ['PLANISH_RESULTS_FD'])
os.write(results, b'so far')
"""
CLOSED = "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n"  # PR_SET_DUMPABLE
ENDS = {
    "exit": ("sys.exit(3)", 3, None, None),
    "exception": ("1 / 0", 1, None, None),
    "signal": ("os.kill(os.getpid(), signal.SIGKILL)", None, 9, None),
    "abort": ("os.abort()", None, 6, None),
    "time limit": ("time.sleep(60)", None, 9, "seconds"),
    "output limit": ("while True: print('x' * 4096)", None, 9, "output_bytes"),
}


@pytest.mark.parametrize("end", ENDS)
async def test_results_are_returned_however_the_program_ends(
    sandbox: Sandbox, python: Python, end: str
) -> None:
    source, exit_code, signal, limit = ENDS[end]
    limits = ResourceLimits(seconds=1 if limit == "seconds" else 30, output_bytes=10_000)
    done = await sandbox.run(python(REPORT + source, results=True, limits=limits))
    assert (done.exit_code, done.signal, done.limit) == (exit_code, signal, limit), done.stderr
    assert done.results == b"so far"


NONE = """
import os
print('PLANISH_RESULTS_FD' in os.environ)
for number in range(3, 64):
    try:
        print(number, os.fstat(number))
    except OSError:
        pass
"""


async def test_without_results_there_is_no_descriptor(
    sandbox: Sandbox, place: Place, python: Python
) -> None:
    assert (await sandbox.run(python("pass", results=True))).results == b""
    done = await sandbox.run(python(NONE))
    assert done.results is None
    first, *others = done.stdout.splitlines()
    assert first == b"False"
    if place.name != "e2b":  # its supervisor has a descriptor of the server's too many
        assert others == []


async def test_results_are_limited_like_files(sandbox: Sandbox, python: Python) -> None:
    source = REPORT + "os.ftruncate(results, 4096)\ntry: os.pwrite(results, b'x', 4096)\n"
    source += "except OSError as error: print(error.errno)\n"
    source += "try: os.ftruncate(results, 8192)\nexcept OSError as error: print(error.errno)"
    done = await sandbox.run(python(source, results=True, limits=ResourceLimits(file_bytes=4096)))
    assert done.stdout == b"27\n27\n", done.stderr
    assert done.results == b"so far".ljust(4096, b"\0")


@pytest.mark.parametrize("shut", ["", CLOSED], ids=["dumpable", "not dumpable"])
async def test_results_count_with_the_files_of_a_run_in_a_tier(
    sandbox: Sandbox, place: Place, python: Python, shut: str
) -> None:
    if place.tier is None:
        pytest.skip("only the local sandbox counts results with the files")
    source = f"{REPORT}{shut}for _ in range(64): os.write(results, bytes(1 << 20))\n"
    limits = ResourceLimits(disk_mb=8, seconds=20)
    done = await sandbox.run(python(source + "time.sleep(60)", results=True, limits=limits))
    assert done.limit == "disk_mb", done.stderr


async def test_a_command_that_python_executes_does_not_have_the_descriptor(
    sandbox: Sandbox, place: Place, python: Python
) -> None:
    if place.tier is None and place.name != "unsafe":
        pytest.skip("there what a program executes inherits the descriptor")
    source = REPORT + "os.execv('/bin/sh', ['sh', '-c', f'echo x >&{results}'])"
    done = await sandbox.run(python(source, results=True))
    assert done.exit_code
    assert done.results == b"so far"


async def test_a_program_of_another_language_has_the_descriptor(sandbox: Sandbox) -> None:
    source = b"""number=${PLANISH_RESULTS_FD:-1}
{ echo hello > /dev/fd/$number; } 2>/dev/null || eval "echo hello >&$number"
"""
    files = {"main.sh": source}
    program = Program(language="sh", main="main.sh", files=files, results=True)
    done = await sandbox.run(program)
    assert done.results == b"hello\n", done.stderr
    done = await sandbox.run(Program(language="sh", main="main.sh", files=files))
    assert (done.results, done.stdout) == (None, b"hello\n")


# A child that has closed what it inherited, and looks for the results everywhere else.
LOOK = """
me = os.getpid()
where = os.fstat(results)
if os.fork() == 0:
    os.close(results)
    found = set()
    for pid in {me, os.getppid(), *range(1, 100), *range(me - 20, me + 20)} - {os.getpid()}:
        for number in range(3, 64):
            try:
                there = os.stat(f'/proc/{pid}/fd/{number}')
            except OSError:
                continue
            if (there.st_dev, there.st_ino) == (where.st_dev, where.st_ino):
                found.add('first' if pid == me else 'another')
    print(sorted(found), flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.parametrize("shut", [CLOSED, ""], ids=["not dumpable", "dumpable"])
async def test_another_process_reaches_the_results_of_a_dumpable_one_only(
    sandbox: Sandbox, place: Place, python: Python, shut: str
) -> None:
    done = await sandbox.run(python(REPORT + shut + LOOK, results=True))
    assert done.ok, done.stderr
    found = json.loads(done.stdout.replace(b"'", b'"'))
    if not shut:
        assert "first" in found  # the search finds what is there
    elif "results" in done.guarantees or place.tier is not None:
        assert found == []


PATHS = """
import os, site, sys
assert site.ENABLE_USER_SITE in (False, None), site.ENABLE_USER_SITE
home = os.environ['HOME']
user = f'{home}/.local/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages'
os.makedirs(user)
open(f'{user}/planted.py', 'w').close()
try:
    import planted
    print('imports what a program put in its home')
except ImportError:
    pass
def written(folder):
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    try:
        open(f'{folder}/planted.py', 'x').close()
    except OSError:
        return False
    return True
print([path for path in sys.path if written(path)] == [sys.path[0]], len(sys.path) > 3)
"""


async def test_only_the_working_directory_is_imported_from_and_writable(
    sandbox: Sandbox, place: Place, python: Python
) -> None:
    if not place.is_isolated:
        pytest.skip("its programs would write to this machine's Python")
    done = await sandbox.run(python(PATHS))
    assert done.stdout == b"True True\n", done.stderr

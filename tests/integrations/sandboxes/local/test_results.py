"""The descriptor for results: what comes back of it, and who can reach it."""

from collections.abc import Callable

import pytest

from planish.data.program import Program, ResourceLimits
from planish_integrations.local import InSession, LocalSandbox, LocalSession, Tier

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
    "time limit": ("time.sleep(60)", None, 9, "seconds"),
    "output limit": ("while True: print('x' * 4096)", None, 9, "output_bytes"),
}

# A child that has let go of what it inherited, and looks for the file everywhere else.
LOOK = """
me = os.getpid()
if os.fork() == 0:
    os.close(results)
    found = set()
    for pid in {me, os.getppid(), *range(1, 100), *range(me - 20, me + 20)} - {os.getpid()}:
        for number in range(3, 64):
            try:
                if 'planish-results' in os.readlink(f'/proc/{pid}/fd/{number}'):
                    found.add('first' if pid == me else 'another')
            except OSError:
                continue
    print(sorted(found), flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.parametrize("end", ENDS)
async def test_what_was_reported_comes_back_whatever_the_end(
    sandbox: LocalSandbox, python: Python, end: str
) -> None:
    source, exit_code, signal, limit = ENDS[end]
    limits = ResourceLimits(seconds=2 if limit == "seconds" else 30, output_bytes=10_000)
    done = await sandbox.run(python(REPORT + source, results=True, limits=limits))
    assert (done.exit_code, done.signal, done.limit) == (exit_code, signal, limit), done.stderr
    assert done.results == b"so far"


async def test_a_program_that_reports_nothing_has_reported_nothing(
    sandbox: LocalSandbox, python: Python
) -> None:
    done = await sandbox.run(python("pass", results=True))
    assert done.results == b""


async def test_a_program_that_is_not_to_report_has_no_descriptor_for_it(
    sandbox: LocalSandbox, python: Python
) -> None:
    source = """
import os
print('PLANISH_RESULTS_FD' in os.environ)
for number in range(3, 64):
    try:
        print(number, os.fstat(number))
    except OSError:
        pass
"""
    done = await sandbox.run(python(source))
    assert done.stdout == b"False\n"
    assert done.results is None


async def test_results_are_no_longer_than_a_file_may_be(
    sandbox: LocalSandbox, python: Python
) -> None:
    source = REPORT + "os.ftruncate(results, 4096)\ntry: os.pwrite(results, b'x', 4096)\n"
    source += "except OSError as error: print(error.errno)\n"
    source += "try: os.ftruncate(results, 8192)\nexcept OSError as error: print(error.errno)"
    done = await sandbox.run(python(source, results=True, limits=ResourceLimits(file_bytes=4096)))
    assert done.stdout == b"27\n27\n", done.stderr
    assert done.results == b"so far".ljust(4096, b"\0")


@pytest.mark.parametrize("shut", ["", CLOSED], ids=["dumpable", "not dumpable"])
async def test_results_count_with_the_files_of_a_run(
    sandbox: LocalSandbox, python: Python, shut: str
) -> None:
    source = f"{REPORT}{shut}for _ in range(64): os.write(results, bytes(1 << 20))\n"
    limits = ResourceLimits(disk_mb=8, seconds=20)
    done = await sandbox.run(python(source + "time.sleep(60)", results=True, limits=limits))
    assert done.limit == "disk_mb", done.stderr


async def test_what_is_executed_by_a_python_program_does_not_have_its_descriptor(
    sandbox: LocalSandbox, python: Python
) -> None:
    source = REPORT + "os.execv('/bin/sh', ['sh', '-c', f'echo x >&{results}'])"
    done = await sandbox.run(python(source, results=True))
    assert done.exit_code
    assert done.results == b"so far"


async def test_a_program_of_another_language_reports_where_it_is_to(tier: Tier) -> None:
    program = Program(
        language="sh",
        main="main.sh",
        files={"main.sh": b'eval "echo hello >&$PLANISH_RESULTS_FD"'},
        results=True,
    )
    async with LocalSandbox(tier=tier, languages={"sh": ("/bin/sh",)}) as sandbox:
        done = await sandbox.run(program)
    assert done.results == b"hello\n", done.stderr


async def test_no_other_process_can_reach_the_results_of_one_that_is_closed(
    sandbox: LocalSandbox, python: Python
) -> None:
    done = await sandbox.run(python(REPORT + CLOSED + LOOK, results=True))
    assert done.stdout == b"[]\n", done.stderr


async def test_the_look_for_the_results_would_find_them(
    sandbox: LocalSandbox, python: Python
) -> None:
    done = await sandbox.run(python(REPORT + LOOK, results=True))
    assert done.stdout == b"['first']\n", done.stderr


async def test_programs_beside_a_session_report_too(tier: Tier, python: Python) -> None:
    async with LocalSandbox(tier=tier) as sandbox, LocalSession(sandbox) as session:
        beside = InSession(session)
        for source, exit_code, signal, limit in ENDS.values():
            seconds = 2 if limit == "seconds" else 30
            limits = ResourceLimits(seconds=seconds)
            done = await beside.run(python(REPORT + source, results=True, limits=limits))
            assert done.results == b"so far", done.stderr
            assert done.limit == limit
            assert limit or (done.exit_code, done.signal) == (exit_code, signal)
            assert "results" not in done.guarantees
        assert (await beside.run(python("pass"))).results is None


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


@pytest.mark.parametrize("fresh", [False, True], ids=["forked", "fresh"])
async def test_no_place_that_is_imported_from_can_be_written_but_the_working_directory(
    tier: Tier, python: Python, *, fresh: bool
) -> None:
    async with LocalSandbox(tier=tier, fresh_interpreter=fresh) as sandbox:
        done = await sandbox.run(python(PATHS))
    assert done.stdout == b"True True\n", done.stderr

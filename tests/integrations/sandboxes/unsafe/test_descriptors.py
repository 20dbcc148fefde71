"""Standard input is a file, and results are reported over a descriptor."""

from collections.abc import Callable

import pytest

from planish.data.program import Program, ResourceLimits
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

REPORT = """
import os, time
results = int(os.environ['PLANISH_RESULTS_FD'])
os.write(results, b'x')
"""


@pytest.mark.parametrize(
    ("source", "limit"),
    [("", None), ("1 / 0", None), ("os.abort()", None), ("time.sleep(60)", "seconds")],
)
async def test_what_was_reported_comes_back_whatever_the_end(
    sandbox: UnsafeLocalSandbox, python: Python, source: str, limit: str | None
) -> None:
    limits = ResourceLimits(seconds=2 if limit else 30)
    done = await sandbox.run(python(REPORT + source, results=True, limits=limits))
    assert done.limit == limit
    assert done.results == b"x"
    assert "results" not in done.guarantees


async def test_results_are_no_longer_than_a_file_may_be(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = REPORT + "os.ftruncate(results, 4096)\nos.pwrite(results, b'x', 4096)"
    done = await sandbox.run(python(source, results=True, limits=ResourceLimits(file_bytes=4096)))
    assert b"File too large" in done.stderr
    assert done.results == b"x".ljust(4096, b"\0")


async def test_what_a_python_program_executes_does_not_have_the_descriptor(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = REPORT + "os.execv('/bin/sh', ['sh', '-c', f'echo y >&{results}'])"
    assert (await sandbox.run(python(source, results=True))).results == b"x"


async def test_another_language_reports_where_it_is_to() -> None:
    sandbox = UnsafeLocalSandbox(languages={"sh": ("/bin/sh",)})
    files = {"main.sh": b'echo hello > "/dev/fd/${PLANISH_RESULTS_FD:-1}"'}
    program = Program(language="sh", main="main.sh", files=files, results=True)
    assert (await sandbox.run(program)).results == b"hello\n"
    done = await sandbox.run(Program(language="sh", main="main.sh", files=files))
    assert (done.results, done.stdout) == (None, b"hello\n")


async def test_standard_input_is_a_file_that_can_only_be_read(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = """
import mmap, os, sys
whole = os.read(0, os.fstat(0).st_size)
assert mmap.mmap(0, 0, prot=mmap.PROT_READ)[:] == whole
sys.stdin.seek(0)
assert sys.stdin.buffer.read() == whole
try:
    os.write(0, b'x')
except OSError:
    print(len(whole))
"""
    done = await sandbox.run(python(source, stdin=b"x" * 5_000_000))
    assert done.stdout == b"5000000\n", done.stderr

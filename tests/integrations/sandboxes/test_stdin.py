"""Standard input is a regular file: it can be read in one call, mapped, and read again."""

from collections.abc import Callable

import pytest
from tests.integrations.sandboxes.places import Place

from planish.abc import Sandbox
from planish.data.program import Program

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

FAST = """
import mmap, os, stat, sys
about = os.fstat(0)
assert stat.S_ISREG(about.st_mode)
assert about.st_nlink == 0
whole = os.read(0, about.st_size)
assert mmap.mmap(0, 0, prot=mmap.PROT_READ)[:] == whole
os.lseek(0, 0, os.SEEK_SET)
assert sys.stdin.seekable()
assert sys.stdin.readline() == 'first\\n'
sys.stdin.seek(0)
assert sys.stdin.buffer.read() == whole
assert open('/dev/stdin', 'rb').read(5) == b'first'
try:
    os.write(0, b'x')
    print('written')
except OSError:
    print(len(whole))
"""


@pytest.mark.parametrize("size", [0, 65_536, 5_000_000])
async def test_programs_read_it_as_a_file(sandbox: Sandbox, python: Python, size: int) -> None:
    stdin = b"first\n" + bytes(size)
    done = await sandbox.run(python(FAST, stdin=stdin))
    assert done.stdout == b"%d\n" % len(stdin), done.stderr


async def test_its_content_cannot_be_changed(
    sandbox: Sandbox, place: Place, python: Python
) -> None:
    if not place.is_isolated:
        pytest.skip("the program has the same user as the file, and may open it again")
    source = """
import os
for flags in (os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND):
    try:
        os.write(os.open('/proc/self/fd/0', flags), b'x')
        print('written')
    except OSError:
        pass
print(os.read(0, 99))
"""
    done = await sandbox.run(python(source, stdin=b"given"))
    assert done.stdout == b"b'given'\n", done.stderr


async def test_without_input_it_is_an_empty_file(sandbox: Sandbox, python: Python) -> None:
    done = await sandbox.run(python("import os; print(os.fstat(0).st_size, input('>'))"))
    assert b"EOFError" in done.stderr
    assert done.stdout == b">"


async def test_input_need_not_be_read(sandbox: Sandbox, python: Python) -> None:
    assert (await sandbox.run(python("pass", stdin=b"x" * 5_000_000))).ok
    assert (await sandbox.run(python("import os; os.close(0)", stdin=b"x" * 5_000_000))).ok


async def test_programs_of_other_languages_read_it_too(sandbox: Sandbox) -> None:
    program = Program(
        language="sh", main="main.sh", files={"main.sh": b"cat; cat"}, stdin=b"x" * 100_000
    )
    assert (await sandbox.run(program)).stdout == program.stdin

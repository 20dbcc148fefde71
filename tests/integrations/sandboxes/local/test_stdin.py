"""Standard input is a regular file, for programs that read it in one call, map it or seek in it."""

from collections.abc import Callable

import pytest

from planish.data.program import Program
from planish_integrations.local import InSession, LocalSandbox, LocalSession, Tier

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

FAST = """
import mmap, os, stat, sys
about = os.fstat(0)
assert stat.S_ISREG(about.st_mode)
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


async def test_interpreters_that_are_started_read_it_too(tier: Tier, python: Python) -> None:
    shell = Program(
        language="sh", main="main.sh", files={"main.sh": b"cat; cat"}, stdin=b"x" * 100_000
    )
    languages = {"sh": ("/bin/sh",)}
    async with LocalSandbox(tier=tier, fresh_interpreter=True, languages=languages) as sandbox:
        assert (await sandbox.run(shell)).stdout == shell.stdin
        done = await sandbox.run(python(FAST, stdin=b"first\n"))
    assert done.stdout == b"6\n", done.stderr


async def test_programs_beside_a_session_read_it_so(tier: Tier, python: Python) -> None:
    async with LocalSandbox(tier=tier) as sandbox, LocalSession(sandbox) as session:
        done = await InSession(session).run(python(FAST, stdin=b"first\n"))
    assert done.stdout == b"6\n", done.stderr

"""Memory limits of the local sandbox alone."""

from collections.abc import Callable

import pytest

from planish.data.program import Program
from planish_integrations.local import LocalSandbox

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]


async def test_memory_is_shared_by_files_and_not_by_anonymous_mappings(
    sandbox: LocalSandbox, python: Python
) -> None:
    source = """
import mmap, os
try: mmap.mmap(-1, 4096)
except OSError as error: print(error.errno)
mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE)
with open("shared", "wb+") as file:
    file.truncate(1 << 20)
    memory = mmap.mmap(file.fileno(), 1 << 20)
if os.fork() == 0:
    memory[:5] = b"hello"
    os._exit(0)
os.wait()
print(memory[:5])
try: mmap.mmap(os.open("/dev/zero", os.O_RDWR), 4096)
except OSError as error: print(error.errno in (13, 19))
"""
    completed = await sandbox.run(python(source))
    assert completed.stdout == b"12\nb'hello'\nTrue\n", completed

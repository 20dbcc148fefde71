"""A Python program runs as `python main.py` runs it, though no interpreter is started for it."""

import marshal
import signal
from collections.abc import Callable
from dataclasses import replace
from importlib.util import MAGIC_NUMBER

import pytest

from planish.data.program import Program
from planish_integrations.local import LocalSandbox, Tier

Python = Callable[..., Program]


@pytest.mark.anyio
async def test_a_fresh_interpreter_finds_the_same_packages(tier: Tier, python: Python) -> None:
    source = "import anyio, pytest, sys; print(sys.flags.no_site, 'planish' in sys.modules)"
    async with LocalSandbox(tier=tier, fresh_interpreter=True, spare=1) as sandbox:
        completed = await sandbox.run(python(source))
    assert completed.stdout == b"0 False\n", completed.stderr


@pytest.mark.anyio
async def test_what_is_preloaded_is_there_and_fresh(tier: Tier, python: Python) -> None:
    source = "import sys; print('sqlite3' in sys.modules)\nimport sqlite3; print(sqlite3.mark)"
    async with LocalSandbox(tier=tier, preload=["sqlite3"], spare=1) as sandbox:
        assert (await sandbox.run(python("import sqlite3; sqlite3.mark = 1"))).ok
        completed = await sandbox.run(python(source))
    assert completed.stdout == b"True\n"
    assert b"no attribute 'mark'" in completed.stderr


@pytest.mark.anyio
@pytest.mark.one_in(3)  # the tiers fork alike; numpy is slow to import
async def test_random_numbers_of_a_preloaded_numpy_differ_in_each_run(
    tier: Tier, python: Python
) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    source = "import sys; print(sys.modules['numpy.random'].random())"
    async with LocalSandbox(tier=tier, preload=["numpy.random"], spare=1) as sandbox:
        printed = [(await sandbox.run(python(source))).stdout for _ in range(2)]
    assert all(float(number) < 1 for number in printed)
    assert printed[0] != printed[1]


@pytest.mark.anyio
async def test_compiled_modules_of_a_program_come_before_those_that_are_loaded(
    sandbox: LocalSandbox, python: Python
) -> None:
    code = marshal.dumps(compile("mark = 1", "heapq.py", "exec"))
    files = {"random.so": b"", "heapq.pyc": MAGIC_NUMBER + bytes(12) + code}
    files["main.py"] = b"import heapq; print(heapq.mark)\nimport random"
    done = await sandbox.run(replace(python(""), files=files))
    assert done.stdout == b"1\n", done.stderr
    assert b"random.so: file too short" in done.stderr


STATE = """
import os, threading
fields = dict(line.split(':', 1) for line in open('/proc/self/status').read().splitlines())
print({fields[name].strip() for name in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb')})
print(fields['NoNewPrivs'].strip(), fields['Seccomp'].strip(), fields['SigIgn'].strip())
print(threading.main_thread().native_id == threading.get_native_id() == os.getpid())
"""


@pytest.mark.anyio
async def test_a_program_has_no_rights_and_the_signals_of_python(
    sandbox: LocalSandbox, python: Python
) -> None:
    ignored = f"{1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1):016x}"
    for _ in range(3):  # the first process of a sandbox forks one after another
        done = await sandbox.run(python(STATE))
        lines = done.stdout.decode().splitlines()
        assert lines == ["{'0000000000000000'}", f"1 2 {ignored}", "True"], done.stderr

"""A Python program runs as `python main.py` runs it, though no interpreter is started for it."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from planish.data.program import Program
from planish_integrations.local import LocalSandbox, Tier

Python = Callable[..., Program]

BODIES: dict[str, str | bytes] = {
    "nothing": "pass",
    "output": "import sys; print('out'); print('err', file=sys.stderr)",
    "unflushed output": "import sys; sys.stdout.write('no newline')",
    "exit code": "import sys; sys.exit(7)",
    "exit None": "import sys; sys.exit()",
    "exit message": "import sys; print('before'); sys.exit('what went wrong')",
    "exit large": "import sys; sys.exit(300)",
    "exit negative": "import sys; sys.exit(-1)",
    "exit huge": "import sys; sys.exit(10**30)",
    "exit builtin": "exit(4)",
    "os._exit": "import os; print('lost'); os._exit(4)",
    "exception": "def f():\n    1 / 0\nf()",
    "chained": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e",
    "group": "raise ExceptionGroup('g', [ValueError(1), KeyError(2)])",
    "interrupt": "raise KeyboardInterrupt",
    "syntax error": "print('a'\nb = 1",
    "tabs": "if 1:\n\tx = 1\n        y = 2",
    "not utf-8": b"# \xff\nprint('never')",
    "not utf-8 in a text": b"x = '\xff'",
    "latin-1 cookie": b"# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))",
    "unknown cookie": b"# -*- coding: klingon -*-\nprint('\xe9')",
    "bom": b"\xef\xbb\xbfprint(ascii('\xc3\xa9'))",
    "nul": b"print(1)\0print(2)",
    "atexit": "import atexit; atexit.register(print, 'bye'); print('hi')",
    "atexit fails": "import atexit; atexit.register(lambda: 1 / 0)",
    "objects say goodbye": "class A:\n    def __del__(self): print('gone')\na = A()",
    "cycles say goodbye": "class A:\n    def __del__(self): print('gone')\na = A(); a.a = a; del a",
    "threads": "import threading, time\n"
    "threading.Thread(target=lambda: (time.sleep(.05), print('thread'))).start()\nprint('main')",
    "thread fails": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='t')\n"
    "t.start(); t.join()",
    "excepthook": "import sys; sys.excepthook = lambda *a: print('hook', a[0]); 1 / 0",
    "excepthook fails": "import sys\ndef hook(*a): raise ValueError\nsys.excepthook = hook\n1 / 0",
    "excepthook exits": "import sys\nsys.excepthook = lambda *a: sys.exit(9)\n1 / 0",
    "recursion": "def f(n):\n    return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError as e:\n"
    "    print(e)",
    "main module": "import sys; m = sys.modules['__main__']\n"
    "print(__name__, m.__dict__ is globals(), __spec__, __file__, __builtins__, __doc__)\n"
    "print(sorted(globals()), __loader__.__class__)",
    "docstring": "'''About it.'''\nprint(__doc__)",
    "annotations": "x: int = 1\nprint(__annotations__)",
    "sys": "import sys; print(sys.argv, sys.path[0], sys.warnoptions)",
    "streams": "import sys; print([(s.encoding, s.errors, s.line_buffering, s.isatty(), s.mode, "
    "s.name) for s in (sys.stdin, sys.stdout, sys.stderr)])",
    "stdin": "import sys; print(repr(sys.stdin.read())); print(sys.stdin.fileno())",
    "input": "try:\n    input('? ')\nexcept EOFError as e:\n    print(repr(e))",
    "signals": "import signal; print([(s, signal.getsignal(s)) for s in signal.Signals])\n"
    "print(signal.pthread_sigmask(0, []))",
    "warning": "import warnings; warnings.warn('old', DeprecationWarning)",
    "syntax warning": "x = 1\nprint(x is 1)",
    "locals": "print(sorted(locals()) == sorted(globals()))",
    "future": "from __future__ import annotations\ndef f(x: nothing): pass\n"
    "print(f.__annotations__)",
    "pickle": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
    "import itself": "if __name__ == '__main__':\n    import main\nprint(__name__)",
    "broken pipe": "import os, sys; sys.stdout.write('x'); os.close(1)",
    "fork": "import os\nif os.fork() == 0:\n    print('child'); os._exit(0)\n"
    "os.wait(); print('me')",
    "pool": "import multiprocessing as m\nif __name__ == '__main__':\n"
    "    with m.get_context('fork').Pool(2) as pool:\n        print(pool.map(abs, [-1, -2]))",
    "spawn": "import multiprocessing as m\nif __name__ == '__main__':\n"
    "    with m.get_context('spawn').Pool(1) as pool:\n        print(pool.map(abs, [-3]))",
    "futures": "from concurrent.futures import ThreadPoolExecutor as T\n"
    "with T(2) as pool: print(list(pool.map(abs, [-1, -2])))",
    "asyncio": "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    print('ran')\n"
    "asyncio.run(main())",
    "subprocess": "import subprocess, sys\n"
    "print(subprocess.run([sys.executable, '-c', 'print(3)'], capture_output=True).stdout)",
    "temporary files": "import tempfile\nwith tempfile.TemporaryFile() as f: print(f.write(b'x'))",
    "dies by signal": "import os, signal; os.kill(os.getpid(), signal.SIGUSR1)",
    "aborts": "import os; os.abort()",
    "pids": "import os; print(os.getpid() == os.getpgrp() == os.getsid(0))",
}

SEMAPHORES = ("pool", "spawn")  # they lie in /dev/shm, which only a namespace can make private


def _expected(program: Program, folder: Path) -> tuple[int, bytes, bytes]:
    """What CPython itself makes of the same file in a like directory."""
    work, home, tmp = (folder / name for name in ("work", "home", "tmp"))
    for place in (work, home, tmp):
        place.mkdir()
    (work / "main.py").write_bytes(program.files["main.py"])
    env = {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(tmp),
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
    }
    command = [sys.executable, "-s", "main.py", *program.args]
    done = subprocess.run(
        command,
        cwd=work,
        env=env,
        capture_output=True,
        check=False,
        input=b"",
        start_new_session=True,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("tier", ["namespaces", "landlock"], indirect=True)
def test_a_program_ends_and_prints_as_under_cpython(
    name: str, tier: Tier, sandbox: LocalSandbox, python: Python, tmp_path: Path
) -> None:
    if name in SEMAPHORES and tier != "namespaces":
        pytest.skip("this tier has no shared memory")
    program = python(BODIES[name], args=("a", "-b"))

    completed = anyio.run(sandbox.run, program)

    code, stdout, stderr = _expected(program, tmp_path)
    status = -completed.signal if completed.signal else completed.exit_code
    assert _placeless(completed.stdout) == _placeless(stdout, bytes(tmp_path))
    assert _placeless(completed.stderr) == _placeless(stderr, bytes(tmp_path))
    assert status == code


def _placeless(text: bytes, root: bytes = b"") -> bytes:
    text = re.sub(rb"0x[0-9a-f]{8,}", b"ADDRESS", text)
    text = text.replace(root + b"/work", b"/work") if root else text
    return re.sub(rb"(/tmp/planish-[0-9]+-[0-9]+)?/work\b", b"WORK", text)


@pytest.mark.anyio
async def test_the_environment_is_small_and_nothing_of_the_hosts(
    sandbox: LocalSandbox, python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET_OF_THE_HOST", "x")
    source = "import json, os; print(json.dumps(dict(os.environ)))"
    completed = await sandbox.run(python(source, env={"MINE": "é"}))
    env = json.loads(completed.stdout)
    assert set(env) == {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONHASHSEED", "MINE"}
    assert env["MINE"] == "é"


@pytest.mark.anyio
async def test_variables_of_the_interpreter_count(sandbox: LocalSandbox) -> None:
    source = "import lib, os, sys; print(lib.x, os.environ['PYTHONPATH'], sys.flags.optimize)"
    program = Program(
        main="main.py",
        files={"main.py": source.encode(), "src/lib.py": b"x = 1"},
        env={"PYTHONPATH": "src", "PYTHONOPTIMIZE": "2"},
    )
    completed = await sandbox.run(program)
    assert completed.stdout == b"1 src 2\n", completed.stderr


@pytest.mark.anyio
async def test_a_fresh_interpreter_finds_the_same_packages(tier: Tier, python: Python) -> None:
    source = "import anyio, pytest, sys; print(sys.flags.no_site, 'planish' in sys.modules)"
    async with LocalSandbox(tier=tier, fresh_interpreter=True, spare=1) as sandbox:
        completed = await sandbox.run(python(source))
    assert completed.stdout == b"0 False\n", completed.stderr


@pytest.mark.anyio
async def test_a_main_file_in_a_folder_or_with_an_odd_name_runs(sandbox: LocalSandbox) -> None:
    for name in ("pkg/main.py", "-x.py", "--version", "a b\n$x'.py", "é.txt"):
        completed = await sandbox.run(Program(main=name, files={name: b"print(__name__)"}))
        assert completed.stdout == b"__main__\n", (name, completed.stderr)


@pytest.mark.anyio
async def test_the_interpreters_own_packages_are_there(
    sandbox: LocalSandbox, python: Python
) -> None:
    completed = await sandbox.run(python("import anyio, pytest; print(anyio.__name__)"))
    assert completed.stdout == b"anyio\n", completed.stderr


@pytest.mark.anyio
async def test_the_same_program_does_the_same_again_but_for_chance(
    sandbox: LocalSandbox, python: Python
) -> None:
    program = python("print({'a', 'b', 'c', 'd', 'e', 'f'})")
    assert len({(await sandbox.run(program)).stdout for _ in range(3)}) == 1
    program = python("import random; print(random.random())")
    assert len({(await sandbox.run(program)).stdout for _ in range(3)}) == 3


@pytest.mark.anyio
async def test_what_is_preloaded_is_there_and_fresh(tier: Tier, python: Python) -> None:
    source = "import sys; print('sqlite3' in sys.modules)\nimport sqlite3; print(sqlite3.mark)"
    async with LocalSandbox(tier=tier, preload=["sqlite3"], spare=1) as sandbox:
        assert (await sandbox.run(python("import sqlite3; sqlite3.mark = 1"))).ok
        completed = await sandbox.run(python(source))
    assert completed.stdout == b"True\n"
    assert b"no attribute 'mark'" in completed.stderr


@pytest.mark.anyio
async def test_other_languages_run_in_the_same_walls(sandbox: LocalSandbox) -> None:
    source = b'echo "$1 $HOME"; cat - ; cat /etc/passwd; exit 3'
    completed = await sandbox.run(
        Program(language="sh", main="m.sh", files={"m.sh": source}, args=("a b",), stdin=b"in\n")
    )
    assert completed.exit_code == 3
    assert completed.stdout.startswith(b"a b /tmp/")
    assert completed.stdout.endswith(b"in\n")
    assert b"/etc/passwd" in completed.stderr


STATE = """
import os, threading
fields = dict(line.split(':', 1) for line in open('/proc/self/status').read().splitlines())
print({fields[name].strip() for name in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb')})
print(fields['NoNewPrivs'].strip(), fields['Seccomp'].strip(), fields['SigIgn'].strip())
print(threading.main_thread().native_id == threading.get_native_id() == os.getpid())
"""


@pytest.mark.anyio
async def test_a_program_has_no_rights_and_the_signals_of_python(
    sandbox: LocalSandbox, python: Callable[..., Program]
) -> None:
    ignored = f"{1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1):016x}"
    for _ in range(3):  # the first process of a sandbox forks one after another
        done = await sandbox.run(python(STATE))
        lines = done.stdout.decode().splitlines()
        assert lines == ["{'0000000000000000'}", f"1 2 {ignored}", "True"], done.stderr


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["json", "signal", "random", "types"])
async def test_a_module_of_its_own_goes_before_one_that_is_loaded(
    sandbox: LocalSandbox, name: str
) -> None:
    files = {
        "main.py": f"import {name}; print({name}.mine)".encode(),
        f"{name}.py": b"mine = 'own'",
    }
    completed = await sandbox.run(Program(main="main.py", files=files))
    assert completed.stdout == b"own\n", completed.stderr

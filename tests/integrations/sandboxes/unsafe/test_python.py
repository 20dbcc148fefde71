"""A Python program runs as `python main.py` runs it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planish.data.program import Completed, Program
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("nothing_left")]

Python = Callable[..., Program]

BODIES = {
    "nothing": "pass",
    "output": "import sys; print('out'); print('err', file=sys.stderr)",
    "unflushed output": "import sys; sys.stdout.write('no newline')",
    "exit code": "import sys; sys.exit(7)",
    "exit None": "import sys; sys.exit()",
    "exit message": "import sys; sys.exit('what went wrong')",
    "exit large": "import sys; sys.exit(300)",
    "os._exit": "import os; print('lost'); os._exit(4)",
    "exception": "def f():\n    1 / 0\nf()",
    "chained": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e",
    "group": "raise ExceptionGroup('g', [ValueError(1), KeyError(2)])",
    "interrupt": "raise KeyboardInterrupt",
    "syntax error": "print('a'\nb = 1",
    "tabs": "if 1:\n\tx = 1\n        y = 2",
    "not utf-8": b"# \xff\nprint('never')",
    "latin-1 cookie": b"# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))",
    "nul": b"print(1)\0print(2)",
    "atexit": "import atexit; atexit.register(print, 'bye'); print('hi')",
    "threads": "import threading, time\n"
    "threading.Thread(target=lambda: (time.sleep(.05), print('thread'))).start()\nprint('main')",
    "thread fails": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='t')\n"
    "t.start(); t.join()",
    "excepthook": "import sys; sys.excepthook = lambda *a: print('hook', a[0]); 1 / 0",
    "excepthook fails": "import sys\ndef hook(*a): raise ValueError\nsys.excepthook = hook\n1 / 0",
    "recursion": "def f(n):\n    return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError as e:\n"
    "    print(e)",
    "depth": "import sys\nn = 0\ndef f():\n    global n\n    n += 1\n    f()\ntry:\n    f()\n"
    "except RecursionError:\n    print(n)",
    "stack": "import inspect; print(len(inspect.stack()))",
    "main module": "import sys; m = sys.modules['__main__']\n"
    "print(__name__, m.__dict__ is globals(), __spec__, __file__, __builtins__, __doc__)\n"
    "print(sorted(globals()), __loader__.__class__)",
    "sys": "import sys; print(sys.argv, sys.path, sys.flags, sys.warnoptions, sys.executable)",
    "modules": "import sys; print([m for m in sys.modules if 'planish' in m or 'custom' in m])\n"
    "print(sorted(sys.path_importer_cache))",
    "streams": "import sys; print([(s.encoding, s.errors, s.line_buffering, s.isatty()) "
    "for s in (sys.stdin, sys.stdout, sys.stderr)])",
    "signals": "import signal; print([(s, signal.getsignal(s)) for s in signal.Signals])\n"
    "print(signal.pthread_sigmask(0, []))",
    "descriptors": "import os\nfor one in os.listdir('/proc/self/fd'):\n"
    "    path = '/proc/self/fd/' + one\n"
    "    if os.path.exists(path) and 'libffi' not in os.readlink(path):\n"  # ctypes keeps it open
    "        print(one)",
    "warning": "import warnings; warnings.warn('old', DeprecationWarning)",
    "locals": "print(sorted(locals()) == sorted(globals()))",
    "pool": "import multiprocessing as m\nif __name__ == '__main__':\n"
    "    with m.get_context('fork').Pool(2) as pool:\n        print(pool.map(abs, [-1, -2]))",
    "spawn": "import multiprocessing as m\nif __name__ == '__main__':\n"
    "    with m.get_context('spawn').Pool(1) as pool:\n        print(pool.map(abs, [-3]))",
    "dies by signal": "import os, signal; os.kill(os.getpid(), signal.SIGUSR1)",
}


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
    done = subprocess.run(command, cwd=work, env=env, capture_output=True, check=False, input=b"")
    return done.returncode, done.stdout, done.stderr


def _same_place(text: bytes, folder: str) -> bytes:
    return text.replace(folder.encode(), b"ROOT")


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
async def test_a_program_ends_and_prints_as_under_cpython(
    body: str | bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    runs, folder = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("plain")
    content = body if isinstance(body, bytes) else body.encode()
    program = Program(main="main.py", files={"main.py": content}, args=("a", "-b"))

    completed = await UnsafeLocalSandbox(directory=runs).run(program)

    code, stdout, stderr = _expected(program, folder)
    status = -completed.signal if completed.signal else completed.exit_code
    assert status == code
    root = _root(completed, str(runs))
    assert _same_place(completed.stdout, root) == _same_place(stdout, str(folder))
    assert _same_place(completed.stderr, root) == _same_place(stderr, str(folder))


def _root(completed: Completed, runs: str) -> str:
    said = (completed.stdout + completed.stderr).decode(errors="replace")
    _, found, rest = said.partition(f"{runs}/planish-")
    return f"{runs}/planish-{rest[:8]}" if found else runs


async def test_the_environment_is_small_and_nothing_of_the_hosts(
    sandbox: UnsafeLocalSandbox, python: Python, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET_OF_THE_HOST", "x")
    source = "import json, os; print(json.dumps(dict(os.environ)))"

    completed = await sandbox.run(python(source, env={"MINE": "é", "LANG": "C"}))

    env = json.loads(completed.stdout)
    assert set(env) - {"LC_CTYPE"} == {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONHASHSEED", "MINE"}
    assert env["MINE"] == "é"
    assert env["LANG"] == "C"
    assert env["HOME"].startswith(str(tmp_path))
    assert env["TMPDIR"].startswith(str(tmp_path))


async def test_variables_of_the_interpreter_count(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = "import lib, os, sys; print(lib.x, os.environ['PYTHONPATH'], sys.flags.optimize)"
    program = Program(
        main="main.py",
        files={"main.py": source.encode(), "src/lib.py": b"x = 1"},
        env={"PYTHONPATH": "src", "PYTHONOPTIMIZE": "2"},
    )

    completed = await sandbox.run(program)

    assert completed.stdout == b"1 src 2\n", completed.stderr


async def test_a_main_file_in_a_folder_or_with_an_odd_name_runs(
    sandbox: UnsafeLocalSandbox,
) -> None:
    for name in ("pkg/main.py", "-x.py", "--version", "a b\n$x'.py", "é.txt"):
        completed = await sandbox.run(Program(main=name, files={name: b"print(__name__)"}))
        assert completed.stdout == b"__main__\n", (name, completed.stderr)


async def test_the_interpreters_own_site_packages_are_importable(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    completed = await sandbox.run(python("import anyio, pytest; print(anyio.__name__)"))
    assert completed.stdout == b"anyio\n", completed.stderr


async def test_the_same_program_does_the_same_again(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    program = python("print({'a', 'b', 'c', 'd', 'e', 'f'})")
    assert len({(await sandbox.run(program)).stdout for _ in range(5)}) == 1


def test_inherited_signal_dispositions_do_not_reach_the_program(anyio_backend: str) -> None:
    # Under nohup and some supervisors these are ignored, and SIGCHLD ignored loses exit codes.
    source = "import signal\nprint(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    script = (
        "import signal, sys, anyio\n"
        "for s in (signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGTERM):\n"
        "    signal.signal(s, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGALRM])\n"
        "from planish_integrations.unsafe import UnsafeLocalSandbox\n"
        "from planish.data.program import Program\n"
        "program = Program(main='m.py', files={'m.py': sys.argv[1].encode()})\n"
        "print(anyio.run(UnsafeLocalSandbox().run, program, backend=sys.argv[2]))\n"
    )
    source += (
        "\nprint(signal.pthread_sigmask(0, []), signal.getsignal(signal.SIGHUP).name)\nexit(5)"
    )

    done = subprocess.run(
        [sys.executable, "-c", script, source, anyio_backend],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "exit_code=5" in done.stdout
    assert r"True\nset() SIG_DFL\n" in done.stdout

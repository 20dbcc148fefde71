"""The verdict of plain Python: candidate and tests in one process, with nothing in between."""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.honesty.program import Honest

__all__ = ["passes"]

_SECONDS = 120

_CHECKS = """
import sys, types, unittest, asyncio
name = sys.argv[1]
module = types.ModuleType(name)
module.__file__ = "solution.py"
sys.modules[name] = sys.modules["solution"] = module
sys.argv = ["solution.py"]
space = vars(module)
exec(compile(open("solution.py").read(), "solution.py", "exec", dont_inherit=True), space)
before = set(space)
exec(compile(open("tests.py").read(), "tests.py", "exec", dont_inherit=True), space)
new = {n: v for n, v in space.items() if n not in before}
suite = unittest.TestSuite()
for key, value in new.items():
    if isinstance(value, type) and issubclass(value, unittest.TestCase):
        suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(value))
    elif key.startswith("test") and isinstance(value, types.FunctionType):
        result = value()
        if asyncio.iscoroutine(result):
            asyncio.run(result)
result = unittest.TextTestRunner().run(suite)
sys.exit(0 if result.wasSuccessful() else 1)
"""

_CASES = """
import sys, ast, asyncio, inspect, solution
entry, pairs = ast.literal_eval(open("pairs.txt").read())
function = solution
for part in entry.split("."):
    function = getattr(function, part)
for args, expected in pairs:
    args = args if isinstance(args, tuple) else (args,)
    got = function(*args)
    if inspect.iscoroutine(got):
        got = asyncio.run(got)
    assert got == expected, (args, got, expected)
"""

_ENV = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # as planish judges; they take longer than the tests
}


def passes(program: Honest) -> tuple[bool, str]:
    """Whether the program passes its tests, and what was printed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "solution.py").write_text(program.code, encoding="utf-8")
        if program.kind == "stdio":
            return _stdio(program, folder)
        if program.kind == "pytest":
            (folder / "test_solution.py").write_text(program.tests, encoding="utf-8")
            (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
            return _run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest")
        if program.kind == "cases":
            (folder / "pairs.txt").write_text(
                repr((program.entry, list(program.pairs))), encoding="utf-8"
            )
            (folder / "main.py").write_text(_CASES, encoding="utf-8")
            return _run(folder, "main.py")
        (folder / "tests.py").write_text(program.tests, encoding="utf-8")
        (folder / "main.py").write_text(_CHECKS, encoding="utf-8")
        return _run(folder, "main.py", "__main__" if program.kind == "script" else "solution")


def _stdio(program: Honest, folder: Path) -> tuple[bool, str]:
    for given, wanted in program.pairs:
        (folder / "input.txt").write_text(given, encoding="utf-8")
        with (folder / "input.txt").open(encoding="utf-8") as file:
            done = subprocess.run(
                [sys.executable, "solution.py"],
                stdin=file,
                cwd=folder,
                env=_ENV,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        if done.returncode or done.stdout.split() != str(wanted).split():
            return False, done.stdout + done.stderr
    return True, ""


def _run(folder: Path, *command: str) -> tuple[bool, str]:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**_ENV, "HOME": str(folder), "PYTHONPATH": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    return done.returncode == 0, done.stdout + done.stderr

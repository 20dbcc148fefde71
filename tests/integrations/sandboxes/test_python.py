"""A Python program ends and prints as under `python main.py`, in every sandbox."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.integrations.sandboxes.places import PLACES, Place
from tests.integrations.sandboxes.python_bodies import BODIES, SAMPLE, SEMAPHORES, STARTED

from planish.abc import Sandbox
from planish.data.program import Program

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

FORKED = ("namespaces", "landlock")  # bubblewrap forks in the same way as these
STARTING = ("unsafe",)
ROWS = [
    *((place, name) for place in FORKED for name in BODIES if not name.endswith("of a start")),
    *((place, name) for place in STARTING for name in BODIES),
    *((place, name) for place in ("bwrap_container", "container", "e2b") for name in SAMPLE),
]
BY_NAME = {place.name: place for place in PLACES}


@cache
def expected(name: str) -> tuple[int, bytes, bytes]:
    """Return the exit status and the output of CPython itself, in a folder made like a place."""
    body = BODIES[name]
    with tempfile.TemporaryDirectory() as folder:
        work, home, tmp = (Path(folder, one) for one in ("work", "home", "tmp"))
        for made in (work, home, tmp):
            made.mkdir()
        (work / "main.py").write_bytes(body if isinstance(body, bytes) else body.encode())
        env = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "TMPDIR": str(tmp),
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
        }
        done = subprocess.run(
            [sys.executable, "-s", "main.py", "a", "-b"],
            cwd=work,
            env=env,
            capture_output=True,
            check=False,
            input=b"",
            start_new_session=True,
        )
    return done.returncode, _placeless(done.stdout), _placeless(done.stderr)


def _placeless(text: bytes) -> bytes:
    """Replace addresses, and the path of the working directory."""
    text = re.sub(rb"0x[0-9a-f]{8,}", b"ADDRESS", text)
    return re.sub(rb"(/[\w.-]+)*/work\b", b"WORK", text)


@pytest.mark.parametrize(
    ("place", "name"),
    [pytest.param(BY_NAME[place], name, id=f"{place}-{name}") for place, name in ROWS],
    indirect=["place"],
)
async def test_a_program_ends_and_prints_as_under_cpython(
    sandbox: Sandbox, place: Place, name: str, python: Python
) -> None:
    if name in SEMAPHORES and place.tier not in (None, "namespaces"):
        pytest.skip("this tier has no shared memory for semaphores")
    if place.name not in (*FORKED, *STARTING):
        version = await sandbox.run(python("import sys; print(sys.version)"))
        if version.stdout.decode().strip() != sys.version:
            pytest.skip("another Python runs there, which prints other messages")
    done = await sandbox.run(python(BODIES[name], args=("a", "-b")))
    status = -done.signal if done.signal else done.exit_code
    assert (status, _placeless(done.stdout), _placeless(done.stderr)) == expected(name)


def test_all_programs_run_somewhere() -> None:
    assert {name for _, name in ROWS} == set(BODIES)
    assert len(BODIES) >= 60
    assert len(STARTED) == 5


async def test_the_environment_is_small_and_without_the_hosts_variables(
    sandbox: Sandbox, python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET_OF_THE_HOST", "x")
    source = "import json, os; print(json.dumps(dict(os.environ)))"
    done = await sandbox.run(python(source, env={"MINE": "é", "LANG": "C"}))
    env = json.loads(done.stdout)
    assert set(env) - {"LC_CTYPE"} == {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONHASHSEED", "MINE"}
    assert (env["MINE"], env["LANG"], env["PYTHONHASHSEED"]) == ("é", "C", "0")


async def test_variables_of_the_interpreter_have_their_effect(sandbox: Sandbox) -> None:
    source = b"import lib, os, sys; print(lib.x, os.environ['PYTHONPATH'], sys.flags.optimize)"
    program = Program(
        main="main.py",
        files={"main.py": source, "src/lib.py": b"x = 1"},
        env={"PYTHONPATH": "src", "PYTHONOPTIMIZE": "2"},
    )
    done = await sandbox.run(program)
    assert done.stdout == b"1 src 2\n", done.stderr


@pytest.mark.parametrize(
    "name", ["pkg/main.py", "-x.py", "--version", "a b\n$x'.py", "é.txt"], ids=ascii
)
async def test_a_main_file_may_have_any_name(sandbox: Sandbox, name: str) -> None:
    done = await sandbox.run(Program(main=name, files={name: b"print(__name__)"}))
    assert done.stdout == b"__main__\n", done.stderr


async def test_the_hosts_packages_can_be_imported(
    sandbox: Sandbox, place: Place, python: Python
) -> None:
    if place.tier is None and place.name != "unsafe":
        pytest.skip(f"{place} has an interpreter of its own")
    done = await sandbox.run(python("import anyio, pytest; print(anyio.__name__)"))
    assert done.stdout == b"anyio\n", done.stderr


async def test_a_second_run_differs_in_random_numbers_only(
    sandbox: Sandbox, python: Python
) -> None:
    program = python("print({'a', 'b', 'c', 'd', 'e', 'f'}); import random; print(random.random())")
    printed = [(await sandbox.run(program)).stdout.splitlines() for _ in range(3)]
    assert len({order for order, _ in printed}) == 1
    assert len({number for _, number in printed}) == 3


@pytest.mark.parametrize("name", ["json", "signal", "random", "types"])
async def test_a_module_of_the_program_precedes_the_standard_library(
    sandbox: Sandbox, place: Place, name: str
) -> None:
    if place.tier is None and name != "json":
        pytest.skip("a new interpreter has imported none of these before the program runs")
    files = {
        "main.py": f"import {name}; print({name}.mine)".encode(),
        f"{name}.py": b"mine = 'own'",
    }
    done = await sandbox.run(Program(main="main.py", files=files))
    assert done.stdout == b"own\n", done.stderr

"""Tests run a file whose path the candidate chooses: whatever its name, the verdict says so."""

import os
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.forging.places import local_sandbox

from planish import Candidate, CodeExecution, Task, Validator, Verdict
from planish.abc import Sandbox
from planish.data import Assertions, PytestFile

LIBRARY = str(Path(os.__file__).parent)

RUN = {
    "runpy": "import runpy\nvalue = runpy.run_path(path)['value']",
    "spec": (
        "from importlib.util import module_from_spec, spec_from_file_location\n"
        "spec = spec_from_file_location('found', path)\n"
        "module = module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        "value = module.value"
    ),
    "loader": (
        "from importlib.machinery import SourceFileLoader\n"
        "value = SourceFileLoader('found', path).load_module().value"
    ),
    "compile": (
        "space = {}\nexec(compile(open(path).read(), path, 'exec'), space)\nvalue = space['value']"
    ),
    "compiled file": (
        "from importlib.machinery import SourcelessFileLoader\n"
        "from importlib.util import module_from_spec, spec_from_loader\n"
        "import py_compile\n"
        "loader = SourcelessFileLoader('found', py_compile.compile(path, cfile='found.pyc'))\n"
        "module = module_from_spec(spec_from_loader('found', loader))\n"
        "loader.exec_module(module)\n"
        "value = module.value"
    ),
    "false origin": (
        "from importlib.machinery import ModuleSpec, SourceFileLoader\n"
        "from importlib.util import module_from_spec\n"
        "import os\n"
        "loader = SourceFileLoader('found', path)\n"
        "module = module_from_spec(ModuleSpec('found', loader, origin=os.__file__))\n"
        "loader.exec_module(module)\n"
        "value = module.value"
    ),
}
"""Ways to run a file, each sets `value`."""

NAMES = (
    "x.py",
    "<planish>/x.py",
    "<planish>/judge.py",
    "<frozen x.py",
    "<frozen importlib._bootstrap>x.py",
    "frozen",
    "built-in",
    "_planish.pyx.py",
    "main.py",
    "verifier/main.pyx.py",
    f"{LIBRARY}/../../..{{here}}/x.py",
    f"{sys.prefix}/../{'../' * 12}{{here}}/x.py",
    f"{LIBRARY}x.py",
    "dataclasses.py",
    "_pytest/x.py",
    "numpy/x.py",
)
"""Names of such a file; what cannot be written is written as `x.py`."""

CANDIDATE = """
import os
import pathlib

def place():
    here = os.getcwd()
    path = {name!r}.replace('{{here}}', here)
    for one in (path, 'x.py'):
        try:
            pathlib.Path(os.path.dirname(one) or '.').mkdir(parents=True, exist_ok=True)
            pathlib.Path(one).write_text('value = 42')
            return one
        except OSError:
            continue
"""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def sandbox(anyio_backend: str) -> AsyncGenerator[Sandbox]:
    del anyio_backend
    async with local_sandbox("namespaces") as one:
        yield one


async def verdict_of(sandbox: Sandbox, code: str, tests: Assertions | PytestFile) -> Verdict:
    task = Task("Find a place.", tests=tests, entry_point="place")
    report = await (CodeExecution(sandbox) >> Validator()).run(Candidate(task=task, code=code))
    assert report.best is not None
    return report.best.verdict


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", RUN)
@pytest.mark.anyio
async def test_the_verdict_does_not_say_isolated(sandbox: Sandbox, way: str, name: str) -> None:
    tests = Assertions(f"path = place()\n{RUN[way]}\nassert value == 42")
    verdict = await verdict_of(sandbox, CANDIDATE.format(name=name), tests)
    assert (verdict.label, str(verdict.evidence.separation)) != ("passed", "isolated")
    if way != "compile" and name == "x.py":  # such tests can pass
        assert verdict.label == "passed", verdict.execution.failure


IMPORTED = {
    "test_found": "tests rewrite the asserts of files with such a name",
    "conftest": "and of these",
    "found": "and not of others",
}


@pytest.mark.parametrize("name", IMPORTED)
@pytest.mark.anyio
async def test_a_module_that_pytest_imports_does_not(sandbox: Sandbox, name: str) -> None:
    tests = PytestFile(
        "import importlib\nimport os\nfrom solution import place\n"
        "def test_it(monkeypatch):\n"
        "    folder, name = os.path.split(place())\n"
        "    monkeypatch.syspath_prepend(folder)\n"
        "    assert importlib.import_module(name[:-3]).value == 42\n"
    )
    path = f"{{here}}/new/{name}.py"
    verdict = await verdict_of(sandbox, CANDIDATE.format(name=path), tests)
    assert verdict.label == "passed", verdict.execution.failure
    assert str(verdict.evidence.separation) != "isolated"


@pytest.mark.parametrize("way", ["spec", "loader", "false origin"])
@pytest.mark.anyio
async def test_a_file_of_python_keeps_it_isolated(sandbox: Sandbox, way: str) -> None:
    code = "import keyword\ndef place():\n    return keyword.__file__\n"
    run = RUN[way].replace(".value", ".kwlist")
    verdict = await verdict_of(sandbox, code, Assertions(f"path = place()\n{run}\nassert value"))
    assert verdict.label == "passed", verdict.execution.failure
    assert str(verdict.evidence.separation) == "isolated"


@pytest.mark.anyio
async def test_a_folder_that_the_candidate_goes_to_is_shown_to_the_tests(sandbox: Sandbox) -> None:
    code = (
        "import os\ndef place():\n"
        "    os.makedirs('new', exist_ok=True)\n"
        "    os.chdir('new')\n"
        "    with open('wanted.txt', 'w') as file: file.write('wrong')\n"
        "    return 'wrong'\n"
    )
    tests = Assertions("assert place() == open('wanted.txt').read()")
    verdict = await verdict_of(sandbox, code, tests)
    assert verdict.label == "passed", verdict.execution.failure
    assert verdict.execution.weakened_by == (
        "the code changed the working directory, which the tests see",
    )

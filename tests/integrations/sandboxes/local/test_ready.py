"""What cannot run here is refused before a model is asked; each in an interpreter of its own."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
FILE = "from solution import f\ndef test_f(): assert f(1) == 1\n"
PROGRAM = """
import sys
import anyio
from planish import CodeExecution, CodeGenerator, Task
from planish.data import Completed, PytestFile
from planish.effects import intercept
from planish.errors import UnsupportedError
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

async def journal(effect, proceed):
    return Completed(exit_code=0) if effect.kind == "sandbox" else await proceed()

async def main():
    model = ScriptedModel(["```python\\nf = int\\n```"] * 2)
    tests = {"": None, "file": PytestFile(FILE)}[sys.argv[1]]
    pipeline = CodeGenerator(model) >> CodeExecution(LocalSandbox(OPTIONS))
    try:
        await pipeline.run(Task("Write f.", tests=tests))
    except UnsupportedError as error:
        print(len(model.requests), str(error))
    else:
        print(len(model.requests), "has run")
    if not tests:
        async with intercept(journal):
            await pipeline.run(Task("Write f."))
        print(len(model.requests), "from the journal")

anyio.run(main)
"""


def outcome(python: str, path: str, tests: str, options: str) -> list[str]:
    """Return what the program prints: the number of requests to the model, and the error."""
    code = PROGRAM.replace("FILE", repr(FILE)).replace("OPTIONS", options)
    roots = [str(ROOT / name) for name in ("primitives", "integrations")]
    done = subprocess.run(
        [python, "-c", code, tests],
        env={"PATH": path, "PYTHONPATH": os.pathsep.join(roots)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    return done.stdout.splitlines()


def test_a_tier_that_does_not_work_is_refused_before_a_model_is_asked(tmp_path: Path) -> None:
    lines = outcome(sys.executable, str(tmp_path), "", "tier='bubblewrap'")
    assert lines[0].startswith("0 LocalSandbox: programs cannot be isolated here as required")
    assert "bubblewrap" in lines[1]
    # What a journal has needs no sandbox, so a run is resumed on any machine.
    assert lines[-1] == "1 from the journal"


@pytest.fixture(scope="module")
def without_pytest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter with the packages of this one but for pytest."""
    folder = tmp_path_factory.mktemp("without")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    packages = folder / "packages"
    packages.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "pytest" not in entry.name:
            (packages / entry.name).symlink_to(entry)
    (site,) = (folder / "venv/lib").glob("*/site-packages")
    (site / "packages.pth").write_text(f"{packages}\n")
    return str(folder / "venv/bin/python")


def test_a_pytest_file_is_refused_before_a_model_is_asked_where_there_is_no_pytest(
    without_pytest: str, tmp_path: Path
) -> None:
    (refused,) = outcome(without_pytest, os.environ["PATH"], "file", "")
    assert refused.startswith("0 pytest is not installed in the sandbox's Python 3.")
    assert refused.endswith("install it there, or give the tests as Assertions or Cases")
    # Packages of one's own may have it: here they do not, which the run finds out.
    (late,) = outcome(without_pytest, os.environ["PATH"], "file", f"packages=[{str(tmp_path)!r}]")
    assert late.startswith("1 pytest is not installed in the sandbox's Python 3.")

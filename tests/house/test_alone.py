"""Tests that depend on a clock run alone, and none is run a second time."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# In the copy where a mutation stands a failure counts if it repeats: no test of this tree passes
# by it.
MUTATIONS = ROOT / "tests" / "mutation" / "plugin.py"
TESTS = sorted({*(ROOT / "tests").rglob("*.py")} - {MUTATIONS})
# Plugins that run a failed test again, and the marks by which they are asked to.
PLUGINS = {"flaky", "pytest_rerunfailures", "pytest_retry", "pytest_flakefinder"}
MARKS = {"flaky", "retry"}
HOOKS = {"pytest_runtest_protocol", "pytest_runtestloop"}  # with these a conftest could do it
OPTIONS = re.compile(r"--(reruns|retries|last-failed|lf|failed-first|ff|force-flaky)\b")

SUITE = """
import pytest

@pytest.mark.clock({reason})
def test_with_a_clock(): ...

def test_without(): ...
"""


def _suite(folder: Path, reason: str) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", folder / "conftest.py")
    (folder / "test_it.py").write_text(SUITE.format(reason=reason), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = clock\naddopts = -rs\n", "utf-8")


def _pytest(folder: Path, *arguments: str) -> tuple[int, str]:
    # Third-party plugins take longer to import than these tests take.
    plugin = ["-p", "xdist.plugin"] if "-n" in arguments else []
    options = ["-p", "no:cacheprovider", *plugin, *arguments]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(folder)],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_clock_test_never_runs_beside_others(tmp_path: Path) -> None:
    _suite(tmp_path, "reason='a race'")
    assert "1 passed, 1 deselected" in _pytest(tmp_path, "-m", "clock")[1]
    assert "2 passed" in _pytest(tmp_path)[1]
    code, shown = _pytest(tmp_path, "-n", "1")
    assert code == 0
    assert "1 passed" in shown
    assert "2 passed" not in shown
    assert "left out, with commands of their own" in shown
    assert "pytest -m clock" in shown


def test_several_workers_are_refused_where_none_would_run(tmp_path: Path) -> None:
    _suite(tmp_path, "reason='a race'")
    code, shown = _pytest(tmp_path, "-n", "1", "-m", "clock")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "pytest -m clock runs alone: without -n" in shown


def test_a_clock_mark_gives_its_reason(tmp_path: Path) -> None:
    _suite(tmp_path, "")
    code, shown = _pytest(tmp_path)
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "test_with_a_clock: @pytest.mark.clock(reason=...) says why" in shown


def test_no_plugin_runs_a_test_again(pytestconfig: pytest.Config) -> None:
    loaded = {dist.project_name for _, dist in pytestconfig.pluginmanager.list_plugin_distinfo()}
    assert {name.replace("-", "_") for name in loaded} & PLUGINS == set()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [line for lines in project["optional-dependencies"].values() for line in lines]
    names = {re.split(r"[^\w-]", line)[0].replace("-", "_") for line in wanted}
    assert names & PLUGINS == set()


def test_no_test_file_asks_for_a_second_run() -> None:
    found = {path: list(_again(path.read_text(encoding="utf-8"))) for path in TESTS}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("name", [".ci/run", "pyproject.toml", "README.md"])
def test_no_command_asks_for_a_second_run(name: str) -> None:
    assert OPTIONS.search((ROOT / name).read_text(encoding="utf-8")) is None


@pytest.mark.parametrize(
    "text",
    [
        "import pytest\n@pytest.mark.flaky(reruns=2)\ndef test(): ...",
        "import pytest\npytestmark = [pytest.mark.retry]",
        "from flaky import flaky",
        "import pytest_rerunfailures",
        "def pytest_runtest_protocol(item, nextitem): ...",
    ],
)
def test_a_second_run_is_seen(text: str) -> None:
    assert list(_again(text))


@pytest.mark.parametrize("text", ["pytest --lf", "pytest --reruns 3", "pytest --last-failed-no"])
def test_an_option_for_a_second_run_is_seen(text: str) -> None:
    assert OPTIONS.search(text)


def _again(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                yield from (one.name for one in names if one.name.partition(".")[0] in PLUGINS)
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in PLUGINS:
                yield module
            case ast.Attribute(value=ast.Attribute(attr="mark"), attr=attr) if attr in MARKS:
                yield f"mark.{attr}"
            case ast.FunctionDef(name=name) if name in HOOKS:
                yield name
            case _:
                pass

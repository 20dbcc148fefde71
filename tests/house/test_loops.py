"""Which cases run: on one event loop where it is not the subject, and of many tests one in n."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUITE = """
import pytest

pytestmark = pytest.mark.anyio

@pytest.mark.parametrize("number", [1, 2])
async def test_plain(number, anyio_backend): ...

async def test_cancelled(anyio_backend): ...

@pytest.mark.both_loops
async def test_marked(anyio_backend): ...
"""
BOTH = {f"test_{name}[{loop}]" for name in ("cancelled", "marked") for loop in ("asyncio", "trio")}


def _collected(folder: Path, *arguments: str) -> list[str]:
    options = ["--collect-only", "-q", "-p", "anyio.pytest_plugin", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *arguments],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return [line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """The same tests in a folder where the loop is the subject and in one where it is not."""
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    for room in ("integrations", "laws"):
        (tmp_path / "tests" / room).mkdir()
        (tmp_path / "tests" / room / f"test_{room}.py").write_text(SUITE, encoding="utf-8")
    marks = "both_loops one_in long attack replay".replace(" ", "\n ")
    ini = f"[pytest]\ntestpaths = tests\nmarkers =\n {marks}\n"
    (tmp_path / "pytest.ini").write_text(ini, encoding="utf-8")
    return tmp_path


def test_cases_take_turns_where_the_loop_is_not_the_subject(suite: Path) -> None:
    found = _collected(suite, "tests/integrations")
    assert len(found) == 6
    assert set(found) > BOTH
    plain = [name for name in found if name.startswith("test_plain")]
    assert sorted("asyncio" in name for name in plain) == [False, True]
    assert sorted("1" in name for name in plain) == [False, True]


def test_with_one_loop_cases_take_turns_everywhere(suite: Path) -> None:
    found = _collected(suite, "tests/laws", "--loops=one")
    assert len(found) == 6
    assert set(found) > BOTH


@pytest.mark.parametrize(
    "arguments",
    [
        ("tests/laws",),
        ("tests/integrations", "--loops=both"),
        ("tests/integrations/test_integrations.py::test_plain", "tests/integrations"),
    ],
)
def test_elsewhere_and_where_it_is_wanted_every_case_runs_on_both(
    suite: Path, arguments: tuple[str, ...]
) -> None:
    assert len(set(_collected(suite, *arguments))) == 8


SAMPLED = """
import pytest

@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
def test_sampled(number, anyio_backend): ...
"""


def test_of_a_sampled_test_one_case_in_n_runs_and_the_others_are_long(suite: Path) -> None:
    (suite / "tests/laws/test_laws.py").write_text(SAMPLED, encoding="utf-8")
    some = _collected(suite, "tests/laws")
    others = _collected(suite, "tests/laws", "-m", "long")
    assert len(some) == 4
    assert len({re.sub("asyncio|trio", "", name) for name in some}) == 2
    assert len(others) == 8
    assert not {*some} & {*others}


TABLE = """
import pytest

@pytest.mark.parametrize("word", ["x", "y", "z"])
@pytest.mark.parametrize("number", range(3))
def test_table(number, word): ...

@pytest.mark.parametrize("number", range(3))
def test_cancelled(number): ...

@pytest.mark.parametrize("number", range(2))
def test_pair(number): ...

@pytest.mark.both_loops
@pytest.mark.parametrize("number", range(3))
def test_marked(number): ...
"""


@pytest.fixture
def tables(suite: Path) -> Path:
    for room in ("integrations", "laws"):
        (suite / "tests" / room / f"test_{room}.py").write_text(TABLE, encoding="utf-8")
    return suite


def test_where_all_tests_run_one_case_in_three_does_but_of_the_laws(tables: Path) -> None:
    found = _collected(tables)
    drawn = [name for name in found if name.startswith("test_table")]
    assert len(found) == 2 * 17 - 6
    assert len(drawn) == 9 + 3
    assert {*drawn} == {f"test_table[{n}-{word}]" for n in range(3) for word in "xyz"}


def test_of_the_drawn_ones_each_value_has_its_turn(tables: Path) -> None:
    found = _collected(tables, "tests/integrations", "--cases=few")
    drawn = [name for name in found if name.startswith("test_table")]
    others = _collected(tables, "tests/integrations", "-m", "long", "--cases=few")
    assert len(drawn) == 3
    assert {name[-4] for name in drawn} == {*"012"}
    assert {name[-2] for name in drawn} == {*"xyz"}
    assert len(others) == 6
    assert not {*drawn} & {*others}


@pytest.mark.parametrize(
    ("arguments", "cases"),
    [
        ((), 28),
        (("--cases=all",), 34),
        (("--cases=few",), 28),
        (("tests/integrations",), 17),
        (("tests/laws", "--cases=few"), 17),
        (("tests/integrations", "--cases=few"), 11),
    ],
)
def test_all_cases_run_where_they_are_wanted(
    tables: Path, arguments: tuple[str, ...], cases: int
) -> None:
    assert len(_collected(tables, *arguments)) == cases

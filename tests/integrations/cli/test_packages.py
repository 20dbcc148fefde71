"""`planish exec --package`: what a program may import, from an index of the test's own."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.integrations.environments.wheels import wheel

Exec = Callable[..., "CompletedProcess[bytes]"]


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """With a folder of wheels for pip, and no index."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel(wheels, "tiny", "1.0")
    own = {"PIP_FIND_LINKS": str(wheels), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null"}
    return environment | own | {"XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_a_package_is_there_when_it_is_named(run: Exec) -> None:
    code = "import tiny; print(tiny.version)"
    without = run(code)
    assert without.returncode == 1
    assert b"ModuleNotFoundError" in without.stderr
    done = run(code, "--package", "tiny")
    assert (done.returncode, done.stdout) == (0, b"1.0\n"), done.stderr


@pytest.mark.parametrize("package", ["no-such-package", "tiny>=99", "../tiny", "tiny; x", ""])
def test_one_that_cannot_be_had_is_exit_2_and_nothing_runs(run: Exec, package: str) -> None:
    done = run("print('ran')", "--package", package)
    assert (done.returncode, done.stdout) == (2, b"")
    assert package.partition(">")[0].encode() in done.stderr
    assert b"Traceback" not in done.stderr

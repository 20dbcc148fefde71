"""All compositions of fits.py pass mypy and pyright, and none of misfits.py does."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.types

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
CHECKERS = {
    "mypy": ["mypy", "--no-pretty", "--hide-error-context"],
    "pyright": ["pyright", "--pythonpath", sys.executable],
}
# Nothing is wrong with it, so that its ignores ignore nothing: both checkers must say so. Were
# they silent here, they would be where a misfit begins to fit.
CAREFUL = """
from planish import Primitive, Report, Retry, Task

def loop(step: Primitive[Task, Report]) -> Retry[Task, Report]:
    return Retry(step, attempts=3)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
"""


@pytest.mark.parametrize("checker", CHECKERS)
def test_what_fits_passes_and_what_does_not_is_seen(checker: str, tmp_path: Path) -> None:
    careful = tmp_path / "careful.py"
    careful.write_text(CAREFUL, encoding="utf-8")
    files = [HERE / "fits.py", HERE / "misfits.py", careful]
    done = subprocess.run(
        [sys.executable, "-m", *CHECKERS[checker], *map(str, files)],
        cwd=ROOT,  # where their configuration stands
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in done.stdout.splitlines() if " error: " in line]
    assert len(errors) == 1, done.stdout + done.stderr
    assert "careful.py:5" in errors[0]


def test_every_misfit_is_held_to_both_checkers() -> None:
    lines = (HERE / "misfits.py").read_text(encoding="utf-8").splitlines()
    wrong = [line for line in lines if line.strip().startswith("wire(")]
    assert len(wrong) > 100
    assert [one for one in wrong if "# type: ignore[" not in one] == []
    assert [one for one in wrong if "# pyright: ignore[" not in one] == []

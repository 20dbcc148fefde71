"""The documentation's Python passes mypy --strict, as a reader's own copy of it would."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.house.arrows import ROOT
from tests.house.blocks import blocks
from tests.house.test_docs import PAGES, is_python

pytestmark = pytest.mark.types


def as_module(page: Path) -> str:
    """Return the blocks of a page as one coroutine, each line at its place in the page."""
    lines = ["async def page() -> None:"]
    for block in blocks(page):
        if is_python(block):
            lines += [""] * (block.line - 1 - len(lines))
            lines += textwrap.indent(block.text, "    ").splitlines()
    return "\n".join([*lines, "    pass", ""])


def test_every_page_passes_mypy_strict(tmp_path: Path) -> None:
    names: dict[str, str] = {}
    for page in PAGES:
        module = tmp_path / f"{page.stem.lower().replace('-', '_')}_page.py"
        module.write_text(as_module(page), encoding="utf-8")
        names[module.name] = str(page.relative_to(ROOT))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file",
        str(ROOT / "pyproject.toml"),
    ]
    done = subprocess.run(
        [*command, *map(str, sorted(tmp_path.glob("*_page.py")))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    shown = done.stdout
    for name, where in names.items():
        shown = shown.replace(str(tmp_path / name), where)
    assert done.returncode == 0, shown + done.stderr

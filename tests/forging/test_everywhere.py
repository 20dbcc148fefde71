"""Every trick in every place and kind of tests, and as another user: the long version."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.forging.judged import judge
from tests.forging.places import ISOLATED, PLACES, WITHOUT_PYTEST, sandbox_of
from tests.forging.tricks import CLASSES
from tests.integrations.sandboxes.local.abuse.users import leg_named

from planish.errors import SandboxLostError

HERE = Path(__file__).resolve().parent
BOXED = ("unsafe", "e2b")
"""Where nothing keeps a trick from other processes of this machine."""

ON_THE_HOST = (("e2b", "stdio"), ("session", "stdio"))
"""Where what was printed is compared on the host, out of the candidate's reach."""

SOME = ("reading", "recording", "starving")


@pytest.mark.long
@pytest.mark.parametrize("place", [place for place in PLACES if place not in BOXED])
@pytest.mark.parametrize("group", CLASSES)
@pytest.mark.anyio
async def test_no_trick_passes_anywhere(place: str, group: str) -> None:
    forged: list[str] = []
    for name, trick in CLASSES[group].items():
        for kind in trick.kinds:
            if kind == "pytest" and place in WITHOUT_PYTEST:
                continue
            seconds = 30.0 if kind == "pytest" else 5.0
            async with sandbox_of(place) as sandbox:
                try:
                    found = await judge(
                        sandbox, trick.about, kind, trick.candidate, seconds=seconds
                    )
                except SandboxLostError:
                    # What kills the processes around it ends the session: docs/sandbox.md.
                    assert place == "session", name
                    continue
            may_be = place in ISOLATED or (place, kind) in ON_THE_HOST
            if found.forged or (found.separation == "isolated" and not may_be):
                forged.append(f"{name} ({kind}): {found.why}")
    assert not forged


@pytest.mark.long
@pytest.mark.parametrize("place", BOXED)
@pytest.mark.parametrize("group", CLASSES)
def test_no_trick_passes_where_nothing_is_isolated(place: str, group: str, tmp_path: Path) -> None:
    # Some kill or write to every process they see: a box keeps them from those of this machine.
    box = shutil.which("bwrap")
    if box is None:
        pytest.skip("no bubblewrap (bwrap) to keep the tricks from this machine")
    rows = [
        (name, kind, place)
        for name, trick in CLASSES[group].items()
        for kind in trick.kinds
        if kind != "pytest" or place not in WITHOUT_PYTEST
    ]
    own = f"--unshare-all --die-with-parent --ro-bind / / --dev /dev --proc /proc --bind {tmp_path}"
    done = subprocess.run(
        [box, *own.split(), str(tmp_path), sys.executable, str(HERE / "many.py")],
        env={
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "TMPDIR": str(tmp_path),
        },
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        check=False,
    )
    # Between the lines of `many.py` is what tricks wrote into all files that they could open.
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    found = [row for row in lines if tuple(row[:3]) in rows]
    assert len(found) == len(rows), done.stderr[-2000:]
    assert not [
        row
        for row in found
        if _forged(row[3])
        or (row[3]["separation"] == "isolated" and (place, row[1]) not in ON_THE_HOST)
    ]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can read. Any other run of pytest closes the parent of its own."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def test_no_trick_passes_as_another_user(open_folder: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    leg = leg_named("user", open_folder)
    if isinstance(leg, str):
        pytest.skip(leg)
    shutil.copytree(
        HERE, open_folder / "tests/forging", ignore=shutil.ignore_patterns("__pycache__")
    )
    rows = [
        (name, kind, "landlock")
        for group in SOME
        for name, trick in CLASSES[group].items()
        for kind in trick.kinds
        if kind in ("checks", "cases")
    ]
    done = subprocess.run(
        [leg.python, str(open_folder / "tests/forging/many.py")],
        user=leg.uid,
        group=leg.uid,
        extra_groups=[],
        cwd=open_folder,
        env={"PYTHONPATH": leg.path, "PATH": os.environ["PATH"], "HOME": str(open_folder)},
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        check=False,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(rows), done.stderr[-2000:]
    assert not [row for row in found if _forged(row[3])]


def _forged(outcome: dict[str, Any]) -> bool:
    return "error" in outcome or (
        outcome["label"] == "passed" and outcome["separation"] == "isolated"
    )

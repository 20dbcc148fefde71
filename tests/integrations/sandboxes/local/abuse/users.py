"""As whom the cases are run, and on which interpreter: root, and a user who may do nothing."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import planish
import planish_integrations

__all__ = ["LEGS", "NOBODY", "Leg", "leg_named"]

# A uid and gid that no account has; one for each process of tests, also of another run on this
# machine: RLIMIT_NPROC counts by user, so a fork bomb in one would stop forks in the other.
NOBODY = 20_000 + os.getpid() % 40_000
LEGS = ("root", "user")

_HERE = Path(__file__).resolve()
_ROOT = _HERE.parents[5]
_INSIDE = "tests/integrations/sandboxes/local/abuse/inside"
# What the host process imports; all of it but planish is found where these tests find it.
_NEEDED = ("anyio", "click", "opentelemetry-api", "structlog")


@dataclass(frozen=True, slots=True)
class Leg:
    """As whom, and how.

    Attributes:
        name: "root" or "user".
        uid: Whom the host process becomes; None to stay who we are.
        python: Its interpreter.
        path: Its PYTHONPATH.
    """

    name: str
    uid: int | None
    python: str
    path: str

    @property
    def owner(self) -> int:
        """Whose files its user's files are."""
        return os.getuid() if self.uid is None else self.uid


def leg_named(name: str, library: Path) -> Leg | str:
    """The leg, or in words why it cannot be run here.

    Args:
        name: One of `LEGS`.
        library: An empty folder that everybody can read, for what another user cannot read
            where it is.
    """
    roots = [Path(p.__file__ or "").parents[1] for p in (planish, planish_integrations)]
    here = os.pathsep.join(dict.fromkeys(map(str, (*roots, _ROOT))))
    if os.getuid() != 0:
        if name == "root":
            return "these tests are not run as root"
        return Leg(name, None, sys.executable, here)
    if name == "root":
        return Leg(name, None, sys.executable, here)
    python = _python_for(NOBODY)
    if python is None:
        return (
            "no Python 3.11 or later that another user can start: "
            f"tried {sys.executable} and those in /usr/bin and /usr/local/bin"
        )
    _copy(library)
    return Leg(name, NOBODY, python, str(library))


@cache
def _python_for(uid: int) -> str | None:
    names = ("python3", "python3.14", "python3.13", "python3.12", "python3.11")
    elsewhere = [f"{folder}/{name}" for folder in ("/usr/bin", "/usr/local/bin") for name in names]
    for python in (sys.executable, *elsewhere):
        code = "import ctypes, sys; sys.exit(sys.version_info < (3, 11))"
        try:
            done = subprocess.run(
                [python, "-c", code],
                user=uid,
                group=uid,
                extra_groups=[],
                cwd="/",
                capture_output=True,
                check=False,
            )
        except OSError:
            continue  # it is not there, or is nobody else's
        if done.returncode == 0:
            return python
    return None


def _copy(library: Path) -> None:
    """What the host process imports, where another user can read it.

    Nothing compiled is among it, so it does for any Python.
    """
    for package in (planish, planish_integrations):
        source = Path(package.__file__ or "").parent
        shutil.copytree(source, library / source.name, ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copytree(_HERE.parent / "inside", library / _INSIDE)
    for name in _distributions(_NEEDED):
        for file in importlib.metadata.files(name) or ():
            if ".." in file.parts or file.suffix in (".pyc", ".so"):
                continue
            target = library / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(file.locate()), target)


def _distributions(names: tuple[str, ...]) -> set[str]:
    """These and what they need, as far as it is installed."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        try:
            needs = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        if name not in found:
            found.add(name)
            todo += [re.split(r"[^\w.-]", need)[0] for need in needs if "extra ==" not in need]
    return found

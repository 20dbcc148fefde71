"""The command that starts a zygote."""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from planish.errors import UnsupportedError

from ._configuration import Recipe, links

__all__ = ["launcher"]

_INSIDE = "/planish/guest"  # where bwrap shows our own files; programs may not read them
_UNSHARED = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
# What the zygote of a root host needs to become another user and to clear up after it.
_CAPABILITIES = ("SETUID", "SETGID", "SETPCAP", "CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL")


def launcher(recipe: Recipe, guest: str) -> list[str]:
    """The command; the numbers of its two descriptors follow it.

    Args:
        recipe: What the zygote is made of.
        guest: The folder of its own files.

    Raises:
        UnsupportedError: bwrap is not installed.
    """
    start = ["-s", "-S"]
    if recipe.tier != "bubblewrap":
        return [sys.executable, *start, f"{guest}/zygote/_start.py"]
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise UnsupportedError("the command bwrap is not on PATH")
    shown = recipe.shown(sys.executable)
    return [bwrap, *_view(recipe, guest), "--", shown, *start, f"{_INSIDE}/zygote/_start.py"]


def _view(recipe: Recipe, guest: str) -> list[str]:
    view = [*_UNSHARED, "--hostname", "planish"] if os.geteuid() == 0 else [*_UNSHARED]
    if os.geteuid() == 0:
        view += ["--cap-drop", "ALL"]
        for name in _CAPABILITIES:
            view += ["--cap-add", f"CAP_{name}"]
    else:
        view += ["--unshare-user", "--hostname", "planish"]
    view += ["--dev", "/dev", "--dev-bind", "/dev/full", "/dev/zero"]  # see linux/namespaces.py
    view += ["--proc", "/proc", "--tmpfs", "/tmp", "--dir", "/work"]  # noqa: S108
    for folder in _parents(map(recipe.shown, recipe.grants())):
        view += ["--dir", folder]  # made by itself, it would be for its owner only
    for path in recipe.grants():
        view += ["--ro-bind", str(Path(path).resolve()), recipe.shown(path)]
    for place, text in links().items():
        view += ["--symlink", text, place]
    return [*view, "--ro-bind", guest, _INSIDE, "--remount-ro", "/", "--chdir", "/"]


def _parents(paths: Iterable[str]) -> list[str]:
    parents = {str(parent) for path in paths for parent in Path(path).parents}
    return sorted(parents - {"/", "/tmp"})  # noqa: S108  # the latter is there

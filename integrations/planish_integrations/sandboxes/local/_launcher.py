"""The command that starts a template process."""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from planish.errors import UnsupportedError

from ._configuration import ZygoteConfig, links

__all__ = ["launcher"]

_INSIDE = "/planish/guest"  # where bwrap mounts the guest; programs may not read it
_UNSHARED = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
# What the template process of a root host needs to become another user and to clear up after it.
_CAPABILITIES = ("SETUID", "SETGID", "SETPCAP", "CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL")


def launcher(config: ZygoteConfig, guest: str) -> list[str]:
    """Return the command; the numbers of its two descriptors follow it.

    Args:
        config: Its configuration.
        guest: The folder of its own files.

    Raises:
        UnsupportedError: bwrap is not installed.
    """
    start = ["-s", "-S"]
    if config.tier != "bubblewrap":
        return [sys.executable, *start, f"{guest}/zygote/_start.py"]
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise UnsupportedError("the command bwrap is not on PATH")
    shown = config.path_inside(sys.executable)
    return [bwrap, *_view(config, guest), "--", shown, *start, f"{_INSIDE}/zygote/_start.py"]


def _view(config: ZygoteConfig, guest: str) -> list[str]:
    view = [*_UNSHARED, "--hostname", "planish"] if os.geteuid() == 0 else [*_UNSHARED]
    if os.geteuid() == 0:
        view += ["--cap-drop", "ALL"]
        for name in _CAPABILITIES:
            view += ["--cap-add", f"CAP_{name}"]
    else:
        view += ["--unshare-user", "--hostname", "planish"]
    view += ["--dev", "/dev", "--dev-bind", "/dev/full", "/dev/zero"]  # see linux/namespaces.py
    view += ["--proc", "/proc", "--tmpfs", "/tmp", "--dir", "/work"]  # noqa: S108
    for folder in _parents(map(config.path_inside, config.grants())):
        view += ["--dir", folder]  # made by itself, it would be for its owner only
    for path in config.grants():
        view += ["--ro-bind", str(Path(path).resolve()), config.path_inside(path)]
    for place, text in links().items():
        view += ["--symlink", text, place]
    return [*view, "--ro-bind", guest, _INSIDE, "--remount-ro", "/", "--chdir", "/"]


def _parents(paths: Iterable[str]) -> list[str]:
    parents = {str(parent) for path in paths for parent in Path(path).parents}
    return sorted(parents - {"/", "/tmp"})  # noqa: S108  # the latter is there

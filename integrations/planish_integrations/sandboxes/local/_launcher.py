"""Start a template process: its command, and what it inherits."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from planish.errors import UnsupportedError
from planish.guest.protocol import GUEST, source

from ._configuration import ZygoteConfig, links

__all__ = ["start_template"]

_INSIDE = "/planish/guest"  # where bwrap mounts the guest; programs may not read it
_UNSHARED = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
# What the template process of a root host needs to become another user and to clear up after it.
_CAPABILITIES = ("SETUID", "SETGID", "SETPCAP", "CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL")
# Nothing of the host's environment; and an interpreter that does the same again every time.
# With LD_BIND_NOW, functions of libraries are looked up once, and not in each fork.
_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "LD_BIND_NOW": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


def start_template(
    config: ZygoteConfig, control: int, output: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Start a template process.

    Args:
        config: Its configuration.
        control: Its end of the socket to this process.
        output: A file for what it prints.

    Raises:
        OSError: no process can be started.
        UnsupportedError: bwrap is not installed.
    """
    host = os.pidfd_open(os.getpid())  # readable at its end, in any namespace
    try:
        return subprocess.Popen(  # noqa: S603  # running programs is what this is for
            [*_command(config, str(GUEST)), str(control), str(host)],
            cwd=GUEST,  # where it finds its modules
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(control, host),
            start_new_session=True,  # a Ctrl-C is for the host, which then ends its programs
        )
    finally:
        os.close(host)


def _command(config: ZygoteConfig, guest: str) -> list[str]:
    """Return the command; the numbers of its two descriptors follow it.

    Args:
        config: Its configuration.
        guest: The folder of its own files.

    Raises:
        UnsupportedError: bwrap is not installed.
    """
    # Not as a file: programs could read its path in the traceback of a signal (`faulthandler`).
    start = ["-s", "-S", "-c", source("zygote/_start").decode()]
    if config.tier != "bubblewrap":
        return [sys.executable, *start]
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise UnsupportedError("the command bwrap is not on PATH")
    shown = config.path_inside(sys.executable)
    return [bwrap, *_view(config, guest), "--", shown, *start]


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
    return [*view, "--ro-bind", guest, _INSIDE, "--remount-ro", "/", "--chdir", _INSIDE]


def _parents(paths: Iterable[str]) -> list[str]:
    parents = {str(parent) for path in paths for parent in Path(path).parents}
    return sorted(parents - {"/", "/tmp"})  # noqa: S108  # the latter is there

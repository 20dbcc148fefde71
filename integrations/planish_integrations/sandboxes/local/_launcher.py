"""Start a template process, and end it."""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from planish.errors import UnsupportedError
from planish.guest.protocol import GUEST, removal, source

from ._configuration import ZygoteConfig, links
from ._worker import Worker

__all__ = ["end_template", "start_template"]

_TO_END = 20.0  # seconds for it to end by itself, on a busy machine
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


def end_template(
    host: int,
    process: subprocess.Popen[bytes],
    control: socket.socket,
    output: IO[bytes],
    idle: list[Worker],
    runs: Path,
) -> None:
    """Close the descriptors; in the process that started it, also wait for its end.

    Then nothing of its runs is left, unless it was killed together with its supervisors, which
    remove their directories.

    Args:
        host: The process that started it.
        process: The template process.
        control: The socket to it.
        output: What it has printed.
        idle: The workers to close.
        runs: What the paths of the directories of its runs begin with.
    """
    while idle:
        idle.pop().close()
    control.close()
    output.close()
    if os.getpid() != host:  # a fork of the host, whose child it is not
        process.returncode = 0
        return
    give_up = time.monotonic() + _TO_END
    while process.poll() is None:
        if time.monotonic() > give_up:
            process.send_signal(signal.SIGKILL)
        select.select([], [], [], 0.0005)
    for left in runs.parent.glob(f"{runs.name}*"):
        removal.remove(str(left))


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

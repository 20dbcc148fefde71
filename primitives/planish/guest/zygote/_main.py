"""The template process (zygote): a warm interpreter that workers are forked from."""

import _socket
import marshal
import os
import signal
import sys

from . import _landlock, _namespaces
from ._messages import BROKEN, READY
from ._preloaded import freeze, load, load_pytest
from ._program import Program, start_program
from ._python import prepare
from ._serve import serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ._requests import Config
    from ._tier import Tier

__all__ = ["main"]

_CONFIG = 1 << 20  # bytes: more than any list of folders and modules
_DEFAULT = (signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT, signal.SIGALRM)
_TIERS: "dict[str, Callable[[Config, int], Tier]]" = {
    "namespaces": _namespaces.enter,
    "bubblewrap": _landlock.enter,  # bwrap has made the namespaces; this does the rest
    "landlock": _landlock.enter,
}

_objects: "list[object]" = []  # kept to the end: a fork that frees them copies their pages


def main() -> Program:
    """Serve the host until it ends. Returns only in the process of a program."""
    control = _socket.socket(fileno=int(sys.argv[1]))
    host = int(sys.argv[2])
    for descriptor in (control.fileno(), host):
        os.set_inheritable(descriptor, False)
    try:
        _reset_signals()
        config: Config = marshal.loads(control.recv(_CONFIG))  # noqa: S302  # our own host
        _set_paths(config)
        tier = _TIERS[config["tier"]](config, host)
        load(config["preload"])
        if config["pytest"]:
            load_pytest()
        prepare()
        freeze()
        _set_environment(tier)
        control.send(READY)
        _objects.extend((control, config, tier))
        start_fd = serve(control, config, tier)
    except Exception as error:  # noqa: BLE001  # nothing is above: tell the host, then end
        _send_failure(control, error)
        os._exit(1)
    if start_fd is None:
        os._exit(0)
    control.detach()  # closed in this process already; its number may be in use again
    return start_program(start_fd, tier)


def _send_failure(control: "_socket.socket", error: Exception) -> None:
    try:
        control.send(BROKEN + f"{type(error).__name__}: {error}".encode(errors="replace")[:60_000])
    except OSError:
        return  # the host has ended


def _reset_signals() -> None:
    """Undo what was inherited from the host: ignored and blocked signals, and the umask."""
    os.umask(0o022)
    for number in _DEFAULT:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _set_paths(config: "Config") -> None:
    """Do what `site` does, without its `.pth` files: those run code, here as trusted code."""
    sys.path[:] = config["path"]
    sys.prefix, sys.exec_prefix = config["prefix"], config["prefix"]
    sys.executable = config["executable"]
    import site  # noqa: PLC0415  # does nothing by itself: the interpreter was started with -S

    site.PREFIXES[:] = [config["prefix"]]
    site.setquit()
    site.setcopyright()
    site.sethelper()
    site.ENABLE_USER_SITE = False


def _set_environment(tier: "Tier") -> None:
    """Set the variables that every program has, as far as they are known here."""
    own = {"PATH": tier.search, "HOME": tier.home, "TMPDIR": tier.tmp}
    os.environ.clear()
    os.environ.update(own, LANG="C.UTF-8", PYTHONHASHSEED="0")

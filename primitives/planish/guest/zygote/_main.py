"""The zygote: a warm interpreter that forks a sandbox ahead of each program."""

import _socket
import gc
import marshal
import os
import signal
import sys

from . import _landlock, _namespaces
from ._messages import BROKEN, READY
from ._program import Program, wait
from ._python import prepare
from ._serve import serve
from ._shadowed import AHEAD, PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ._requests import Config
    from ._serve import Tier

__all__ = ["main"]

_CONFIG = 1 << 20  # bytes: more than a list of folders and modules ever takes
_DEFAULT = (signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT, signal.SIGALRM)
_TIERS: "dict[str, Callable[[Config, int], Tier]]" = {
    "namespaces": _namespaces.enter,
    "bubblewrap": _landlock.enter,  # bwrap has made the namespaces; this does the rest
    "landlock": _landlock.enter,
}

# What nearly every program imports, and what the interpreter itself imports when it has to
# (a traceback, a random seed): loaded once here, instead of in each of them. Each module more
# makes every fork and every end a little slower, so it is not all there is.
_COMMON = [
    "bisect",
    "collections",
    "contextlib",
    "copy",
    "dataclasses",
    "datetime",
    "enum",
    "functools",
    "heapq",
    "itertools",
    "json",
    "linecache",
    "math",
    "operator",
    "random",
    "re",
    "signal",
    "string",
    "threading",
    "time",
    "tokenize",
    "traceback",
    "types",
    "typing",
    "warnings",
]


_kept: "list[object]" = []  # to take apart what the template process has would copy its pages


def main() -> Program:
    """Serve the host until it goes. Comes back only in the process of a program."""
    control = _socket.socket(fileno=int(sys.argv[1]))
    host = int(sys.argv[2])
    for descriptor in (control.fileno(), host):
        os.set_inheritable(descriptor, False)
    try:
        _clean_signals()
        config: Config = marshal.loads(control.recv(_CONFIG))  # noqa: S302  # our own host
        _set_paths(config)
        tier = _TIERS[config["tier"]](config, host)
        _load(config["preload"])
        _set_environment(tier)
        control.send(READY)
        _kept.extend((control, config, tier))
        go = serve(control, config, tier)
    except Exception as error:  # noqa: BLE001  # nobody is above: tell the host, then end
        _complain(control, error)
        os._exit(1)
    if go is None:
        os._exit(0)
    control.detach()  # closed already in this process; and its number may be another's
    return wait(go, tier)


def _complain(control: "_socket.socket", error: Exception) -> None:
    try:
        control.send(BROKEN + f"{type(error).__name__}: {error}".encode(errors="replace")[:60_000])
    except OSError:
        return  # the host is gone: nobody to tell


def _clean_signals() -> None:
    """Undo what was inherited: ignored and blocked signals, and the mask, are the host's affair."""
    os.umask(0o022)
    for number in _DEFAULT:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _set_paths(config: "Config") -> None:
    """What `site` would do, without its `.pth` files: those run code, here as trusted code."""
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
    """The few variables that every program has, as far as they are known here."""
    own = {"PATH": tier.search, "HOME": tier.home, "TMPDIR": tier.tmp}
    os.environ.clear()
    os.environ.update(own, LANG="C.UTF-8", PYTHONHASHSEED="0")


def _load(preload: "list[str]") -> None:
    for name in (*_COMMON, *preload):
        __import__(name)
    AHEAD.update(name for name in {*sys.modules} - PLAIN if "." not in name)
    prepare()
    gc.collect()
    gc.freeze()  # what is here is shared by all programs: no collection is to touch its pages

"""The process that pip runs in: a program of its own, started by `_process.py`.

It and all it starts end when the process that started it does, however that ends: standard
input is a pipe that stays empty, and its end means that the other side is gone.
"""

import os
import runpy
import signal
import sys
from pathlib import Path
from threading import Thread


def _watch() -> None:
    while os.read(0, 1):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _find_pip() -> bool:
    """Make pip importable: as it is installed, or as Python itself brings it."""
    from importlib.util import find_spec  # noqa: PLC0415 - after the watch has begun

    if find_spec("pip") is None and find_spec("ensurepip") is not None:
        import ensurepip  # noqa: PLC0415

        bundled = Path(ensurepip.__file__).parent / "_bundled"
        sys.path[:0] = [str(wheel) for wheel in bundled.glob("pip-*.whl")]
    return find_spec("pip") is not None


def _main() -> None:
    lock = int(sys.argv.pop(1))
    os.set_inheritable(lock, False)  # this process holds the lock; what pip starts does not
    os.umask(0o022)  # a sandbox may read the environment as another user
    Thread(target=_watch, daemon=True).start()
    if not _find_pip():
        sys.exit("ERROR: planish: this Python has no pip")
    sys.argv[0] = "pip"
    runpy.run_module("pip", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()

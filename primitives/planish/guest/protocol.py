"""What the host knows of the guest: the names that both sides use, and the guest's files.

The one module of `planish.guest` that the host imports.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from planish.guest.verifier.bounds import STREAM, TRACEBACK, VALUE, bounded
from planish.guest.verifier.channel import seal
from planish.guest.verifier.compare import Rules, difference

if TYPE_CHECKING:
    from planish.guest.unsafe.planish_warden import _clock as unsafe_clock
    from planish.guest.unsafe.planish_warden import files as unsafe_files
    from planish.guest.unsafe.planish_warden import wire as unsafe_frames
    from planish.guest.unsafe.planish_warden._request import Request as UnsafeRequest
    from planish.guest.zygote import _clock as zygote_clock
    from planish.guest.zygote import _wire as zygote_frames
    from planish.guest.zygote._requests import Config as ZygoteConfig
    from planish.guest.zygote._requests import Request as ZygoteRequest
    from planish.guest.zygote._requests import Start as ZygoteStart

__all__ = [
    "GUEST",
    "STREAM",
    "TRACEBACK",
    "VALUE",
    "Rules",
    "UnsafeRequest",
    "ZygoteConfig",
    "ZygoteRequest",
    "ZygoteStart",
    "bounded",
    "difference",
    "seal",
    "source",
    "sources",
    "unsafe_clock",
    "unsafe_files",
    "unsafe_frames",
    "zygote_clock",
    "zygote_frames",
]

GUEST: Path = Path(__file__).resolve().parent
"""The folder of the guest's files, for those that are started by their path."""

_UNSAFE, _ZYGOTE = "planish.guest.unsafe.planish_warden", "planish.guest.zygote"
_LAZY = {
    "UnsafeRequest": (f"{_UNSAFE}._request", "Request"),
    "ZygoteConfig": (f"{_ZYGOTE}._requests", "Config"),
    "ZygoteRequest": (f"{_ZYGOTE}._requests", "Request"),
    "ZygoteStart": (f"{_ZYGOTE}._requests", "Start"),
    "unsafe_clock": (f"{_UNSAFE}._clock", ""),
    "unsafe_files": (f"{_UNSAFE}.files", ""),
    "unsafe_frames": (f"{_UNSAFE}.wire", ""),
    "zygote_clock": (f"{_ZYGOTE}._clock", ""),
    "zygote_frames": (f"{_ZYGOTE}._wire", ""),
}
"""Where the names of one sandbox are: loaded when used, so that judging loads none of them."""


def source(module: str) -> bytes:
    """Read one of the guest's files.

    Args:
        module: Its path below the guest's folder, without ".py": "e2b/main".
    """
    return (GUEST / f"{module}.py").read_bytes()


def sources(room: str) -> dict[str, bytes]:
    """Read all files of one folder of the guest, by file name: "main.py".

    Args:
        room: The folder's name: "session".
    """
    return {path.name: path.read_bytes() for path in sorted((GUEST / room).glob("*.py"))}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _LAZY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, attribute = _LAZY[name]
        found: object = import_module(module)
        return getattr(found, attribute) if attribute else found

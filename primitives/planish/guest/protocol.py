"""What the host knows of the guest: the names that both sides use, and the guest's files.

The one module of `planish.guest` that the host imports.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from planish.guest.verifier.bounds import STREAM, TRACEBACK, VALUE, bounded
from planish.guest.verifier.channel import Seals
from planish.guest.verifier.compare import Rules, difference
from planish.guest.verifier.compiled_tests import compile_tests
from planish.guest.verifier.conditions import HOST_NAMES, is_of_host
from planish.guest.verifier.place import CANDIDATE_FILES

if TYPE_CHECKING:
    from planish.guest.session.previews import preview
    from planish.guest.supervisor import clock, descriptors, frames, removal
    from planish.guest.supervisor.request import Launch, Request
    from planish.guest.zygote import _messages as zygote_messages
    from planish.guest.zygote._requests import Config as ZygoteConfigFields
    from planish.guest.zygote._requests import Request as ZygoteRequest
    from planish.guest.zygote._requests import Start as ZygoteStart

__all__ = [
    "CANDIDATE_FILES",
    "GUEST",
    "HOST_NAMES",
    "STREAM",
    "TRACEBACK",
    "VALUE",
    "Launch",
    "Request",
    "Rules",
    "Seals",
    "ZygoteConfigFields",
    "ZygoteRequest",
    "ZygoteStart",
    "bounded",
    "clock",
    "compile_tests",
    "descriptors",
    "difference",
    "frames",
    "is_of_host",
    "modules",
    "package",
    "preview",
    "removal",
    "source",
    "sources",
    "zygote_messages",
]

GUEST: Path = Path(__file__).resolve().parent
"""The folder of the guest's files, for those that are started by their path."""

_PACKAGE = "planish_guest"
_SUPERVISOR, _ZYGOTE = "planish.guest.supervisor", "planish.guest.zygote"
_LAZY = {
    "preview": ("planish.guest.session.previews", "preview"),
    "Launch": (f"{_SUPERVISOR}.request", "Launch"),
    "Request": (f"{_SUPERVISOR}.request", "Request"),
    "ZygoteConfigFields": (f"{_ZYGOTE}._requests", "Config"),
    "ZygoteRequest": (f"{_ZYGOTE}._requests", "Request"),
    "ZygoteStart": (f"{_ZYGOTE}._requests", "Start"),
    "clock": (f"{_SUPERVISOR}.clock", ""),
    "descriptors": (f"{_SUPERVISOR}.descriptors", ""),
    "frames": (f"{_SUPERVISOR}.frames", ""),
    "removal": (f"{_SUPERVISOR}.removal", ""),
    "zygote_messages": (f"{_ZYGOTE}._messages", ""),
}
"""Where the names of the sandboxes are: loaded when used, so that judging loads none of them."""


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


def modules(*rooms: str) -> dict[str, bytes]:
    """Read the guest's files by the names that their modules have where they run.

    There the guest is a package of its own: "planish_guest.supervisor.clock".

    Args:
        rooms: Names of folders.
    """
    return {
        path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): text
        for path, text in package(*rooms).items()
    }


def package(*rooms: str) -> dict[str, bytes]:
    """Read the guest's files by their paths in a folder to import them from.

    Args:
        rooms: Names of folders.
    """
    found = {f"{_PACKAGE}/__init__.py": b""}
    for room in rooms:
        found |= {f"{_PACKAGE}/{room}/{name}": text for name, text in sources(room).items()}
    return found


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _LAZY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, attribute = _LAZY[name]
        found: object = import_module(module)
        return getattr(found, attribute) if attribute else found

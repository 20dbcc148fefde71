"""How results leave the sandbox: a file of JSON lines, written at each change of state."""

from __future__ import annotations

from os import O_APPEND, O_CREAT, O_WRONLY, getpid, write
from os import open as open_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Put = Callable[..., None]

__all__ = ["channel", "encode"]

_ESCAPES = {number: f"\\u{number:04x}" for number in range(32)}
_ESCAPES.update({ord('"'): '\\"', ord("\\"): "\\\\"})


def encode(value: Any) -> str:
    """JSON text of None, bool, int, float and str."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return '"' + value.translate(_ESCAPES) + '"'
    return repr(value)


def channel(path: str, nonce: str) -> Put:
    """Open the file of results; what is returned writes one record of a kind to it.

    Every record carries the nonce, which is nowhere else. Only this process writes: a fork of
    the program is not the program.
    """
    owner = getpid()
    file = open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)

    def put(kind: str, **fields: Any) -> None:
        nonlocal file
        if getpid() != owner:
            return
        facts = {"nonce": nonce, "kind": kind, **fields}
        text = ", ".join([f"{encode(name)}: {encode(fact)}" for name, fact in facts.items()])
        line = ("{" + text + "}\n").encode("utf-8", "backslashreplace")
        try:
            write(file, line)
        except OSError:  # the program has closed what is not its own
            file = open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            write(file, line)

    return put

"""How results leave the sandbox: a file of JSON lines, written at each change of state."""

from __future__ import annotations

from os import O_APPEND, O_CREAT, O_WRONLY, getpid, write
from os import open as open_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Put = Callable[..., None]

__all__ = ["channel", "encode", "seal"]

_ESCAPES = {number: f"\\u{number:04x}" for number in range(32)}
_ESCAPES.update({ord('"'): '\\"', ord("\\"): "\\\\"})


def encode(value: Any) -> str:
    """JSON text of None, bool, int, float and str."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return '"' + value.translate(_ESCAPES) + '"'
    return repr(value)


def seal(key: bytes, count: int, record: bytes) -> bytes:
    """The digest that goes before a record."""
    try:
        from _blake2 import blake2b  # noqa: PLC0415  # hashlib loads OpenSSL
    except ImportError:  # a Python that is built otherwise
        from hashlib import blake2b  # noqa: PLC0415

    digest: str = blake2b(b"%d %b" % (count, record), key=key, digest_size=16).hexdigest()
    return digest.encode()


def channel(path: str, nonce: str) -> Put:
    """Open the file of results; what is returned writes one record of a kind to it.

    Every line begins with a seal: a digest of the record, of its place in the row and of the
    nonce, which itself is nowhere. Whoever reads the file learns nothing that would let him
    write another line, put one elsewhere or leave one out unseen. Only this process writes: a
    fork of the program is not the program.
    """
    owner = getpid()
    file = open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    key = nonce.encode()
    count = 0

    def put(kind: str, **fields: Any) -> None:
        nonlocal file, count
        if getpid() != owner:
            return
        facts = {"kind": kind, **fields}
        text = ", ".join([f"{encode(name)}: {encode(fact)}" for name, fact in facts.items()])
        record = ("{" + text + "}").encode("utf-8", "backslashreplace")
        line = seal(key, count, record) + b" " + record + b"\n"
        count += 1
        try:
            write(file, line)
        except OSError:  # the program has closed what is not its own
            file = open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            write(file, line)

    return put

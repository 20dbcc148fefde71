"""How results leave the sandbox: JSON lines, one written at each change of state."""

from __future__ import annotations

from os import (
    O_APPEND,
    O_CLOEXEC,
    O_CREAT,
    O_EXCL,
    O_WRONLY,
    environ,
    getpid,
    unlink,
    write,
)
from os import open as open_file

from .guard import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Put = Callable[..., None]

__all__ = ["Seals", "channel", "encode", "granted"]

_VARIABLE = "PLANISH_RESULTS_FD"  # what the sandbox names the descriptor for results in
_SAFE = 1 << 63  # CPython refuses to read numbers of over 4,300 digits
_ESCAPES = {number: f"\\u{number:04x}" for number in range(32)}
_ESCAPES.update({ord('"'): '\\"', ord("\\"): "\\\\"})


def encode(value: Any) -> str:
    """Give the JSON text of None, bool, int, float or str, and "null" of anything else.

    What an object of the candidate's own class shows as its text never stands in a record.
    """
    kind = kind_of(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if issubclass(kind, str):
        return '"' + str.translate(value, _ESCAPES) + '"'
    if issubclass(kind, int):
        return int.__repr__(value) if -_SAFE < value < _SAFE else "null"
    text = float.__repr__(value) if issubclass(kind, float) else "null"
    return text if "n" not in text else "null"  # nan and inf are no JSON


class Seals:
    """Give the seals of records, in order: digests of the record, its place and the secret.

    The state of the hash changes one way with each record. So code that comes to run in this
    process, as what the tests unpickle may, can find how to seal the next records, but none of
    those that have been written: that it has run stays on record.

    Args:
        secret: The key. It is in no object here afterwards, if the caller forgets it.
    """

    def __init__(self, secret: bytes | bytearray) -> None:
        try:
            from _blake2 import blake2b  # noqa: PLC0415  # hashlib loads OpenSSL
        except ImportError:  # a Python that is built otherwise
            from hashlib import blake2b  # noqa: PLC0415

        self._state: Any = blake2b(key=secret, digest_size=16)
        self._state.update(_BLOCK)  # until then the hash holds the key as it is

    def next(self, record: bytes) -> bytes:
        """Return the digest that precedes the next record."""
        one = self._state.copy()
        one.update(record)
        self._state.update(_BLOCK)
        digest: str = one.hexdigest()
        return digest.encode()


_BLOCK = bytes(128)  # of blake2b; no record begins with it


def granted() -> int | None:
    """Take the descriptor for results out of the environment; None where the sandbox has none."""
    number = environ.pop(_VARIABLE, "")
    return int(number) if number.isdigit() else None


def channel(descriptor: int | None, path: str, secret: bytes | bytearray) -> Put:
    """Open the way of the results; give the function that writes one record of a kind to it.

    Args:
        descriptor: What `granted` gave: a file that no other process can open.
        path: A file in the working directory, made here where there is no descriptor.
        secret: The key of the seals; only the host has it, too.

    Every line begins with a seal. A line that anyone else writes, puts elsewhere or leaves out is
    seen. Only this process writes: a fork of the program is not the program.
    """
    owner = getpid()
    file = _made(path) if descriptor is None else descriptor
    seals = Seals(secret)

    def put(kind: str, **fields: Any) -> None:
        if getpid() != owner:
            return
        facts = {"kind": kind, **fields}
        text = ", ".join([f"{encode(name)}: {encode(fact)}" for name, fact in facts.items()])
        record = ("{" + text + "}").encode("utf-8", "backslashreplace")
        line = memoryview(seals.next(record) + b" " + record + b"\n")
        try:
            while line:
                line = line[write(file, line) :]
        except OSError:  # it is full, or closed: what is missing is seen by the host
            return

    return put


def _made(path: str) -> int:
    flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC
    try:
        unlink(path)  # noqa: PTH108  # pathlib costs 10 ms
    except OSError:
        return open_file(path, flags, 0o600)
    return open_file(path, flags, 0o600)

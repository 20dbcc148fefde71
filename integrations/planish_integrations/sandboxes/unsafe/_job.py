"""What the host asks the warden for."""

import marshal
from typing import Any, cast

from planish.data.program import Program
from planish.guest.protocol import UnsafeRequest as Request

__all__ = ["request"]

_MIB = 1024 * 1024


_CROWD = 256  # what a user at work starts within seconds: a build, a browser


def request(program: Program, argv: list[str], env: dict[str, str], neighbours: int) -> bytes:
    """The message that asks for a program, which may have so many neighbours of its kind."""
    limits = program.limits
    asked = Request(
        files=list(program.files.items()),
        collect=list(program.collect),
        outputs=program.outputs,
        results=program.results,
        argv=argv,
        env=env,
        seconds=limits.seconds,
        memory=limits.memory_mb * _MIB,
        file_bytes=limits.file_bytes,
        processes=limits.processes,
        crowd=_CROWD + neighbours * limits.processes,
    )
    body = marshal.dumps(cast("Any", asked))  # its stub knows no TypedDict
    return len(body).to_bytes(8, "big") + body

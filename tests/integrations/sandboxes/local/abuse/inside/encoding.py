"""Programs and results as JSON, between the judge and the process that uses the sandbox."""

import base64
from typing import Any

from planish.data.program import Completed, Program, ResourceLimits

__all__ = ["LEAST", "program_from", "told"]

LEAST = 65536
"""So much of what a program printed is passed on; a flood is told by its length."""


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def program_from(request: dict[str, Any]) -> Program:
    """The program a request asks to run."""
    return Program(
        main="main.py",
        files={name: _bytes(content) for name, content in request["files"].items()},
        args=tuple(request["args"]),
        stdin=_bytes(request["stdin"]),
        env=request["env"],
        collect=tuple(request["collect"]),
        outputs=request["outputs"],
        limits=ResourceLimits(**request["limits"]),
    )


def told(completed: Completed) -> dict[str, Any]:
    """How it ended, for the judge."""
    return {
        "exit_code": completed.exit_code,
        "signal": completed.signal,
        "limit": completed.limit,
        "stdout": _text(completed.stdout[:LEAST]),
        "stderr": _text(completed.stderr[:LEAST]),
        "stdout_length": len(completed.stdout),
        "files": {name: _text(content) for name, content in completed.files.items()},
        "artifacts": {name: _text(content) for name, content in completed.artifacts.items()},
        "findings": list(completed.findings),
        "isolation": completed.isolation,
        "guarantees": list(completed.guarantees),
        "duration": completed.duration,
    }

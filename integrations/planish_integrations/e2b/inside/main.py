"""Runs one program in the sandbox: its first process is this one.

It comes as a zip with the program's files and a description of the job. What it has to tell goes
out as one line, after a word that only the sender and this process know: a stream that was cut
off cannot be mistaken for a whole one, and a program cannot speak for it.
"""

from __future__ import annotations

import base64
import ctypes
import hashlib
import json
import shutil
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

from .collect import collect, gather
from .program import run

__all__ = ["main"]

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_INLINE = 512 * 1024  # bytes of a result that are printed; a larger one is left in a file


def main(archive: str) -> None:
    """Run the program in an archive, and print what came of it."""
    with zipfile.ZipFile(archive) as packed:
        job = json.loads(packed.read("job.json"))
        files = {name: packed.read(f"files/{number}") for number, name in enumerate(job["files"])}
        stdin = packed.read("stdin")
    Path(archive).unlink()
    _out_of_reach()
    place = Path(tempfile.mkdtemp(prefix="planish-", dir=Path(archive).absolute().parent))
    try:
        told = _work(place, job, files, stdin)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    _tell(job["word"], told, archive + ".out")


def _out_of_reach() -> None:
    """Keep what the program starts below this process, and its hands off this process."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _work(
    place: Path, job: dict[str, Any], files: dict[str, bytes], stdin: bytes
) -> dict[str, Any]:
    work = place / "work"
    for folder in ("work", "home", "tmp"):
        (place / folder).mkdir()
    for name, content in files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if job["outputs"] is not None:
        (work / job["outputs"]).mkdir(parents=True, exist_ok=True)
    told = run(place, job, stdin)
    if "missing" in told:
        return told
    limits = job["limits"]
    found = collect(work, job["collect"], limits["file_bytes"])
    artifacts: dict[str, bytes] = {}
    findings: list[str] = []
    if job["outputs"] is not None:
        artifacts, findings = gather(work, job["outputs"], limits)
    told["files"] = {name: _text(data) for name, data in found.items()}
    told["artifacts"] = {name: _text(data) for name, data in artifacts.items()}
    told["findings"] = findings
    for stream in ("stdout", "stderr"):
        told[stream] = _text(told[stream])
    if told["results"] is not None:
        told["results"] = _text(told["results"])
    return told


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _tell(word: str, told: dict[str, Any], path: str) -> None:
    packed = zlib.compress(json.dumps(told).encode())
    if len(packed) <= _INLINE:
        line = f"{word} inline {_text(packed)}"
    else:
        Path(path).write_bytes(packed)
        line = f"{word} file {hashlib.sha256(packed).hexdigest()}"
    sys.stdout.write(line + "\n")
    sys.stdout.flush()

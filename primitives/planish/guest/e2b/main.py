"""Runs one program in the sandbox: its first process is this one.

It comes as a zip with the program's files and a description of the job. It prints lines that begin
with a word that only the sender and this process know, so that a program cannot speak for it and a
stream that was cut off cannot be mistaken for a whole one: "running" before the program starts
and every two seconds while it runs, and at the end "inline" or "file" with the result.
"""

from __future__ import annotations

import base64
import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
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
    home = Path(archive).absolute().parent
    place = Path(tempfile.mkdtemp(prefix="planish-", dir=home))
    word: str = job["word"]
    try:
        told = _work(place, job, files, stdin, lambda: _say(f"{word} running"))
    finally:
        _remove(place)
    _tell(word, told, home)


def _out_of_reach() -> None:
    """Keep what the program starts below this process, and its hands off this process."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _work(
    place: Path,
    job: dict[str, Any],
    files: dict[str, bytes],
    stdin: bytes,
    beat: Callable[[], object],
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
    beat()
    told = run(place, job, stdin, beat)
    if "missing" in told:
        return told
    limits = job["limits"]
    found: dict[str, bytes] = {}
    artifacts: dict[str, bytes] = {}
    findings: list[str] = []
    try:
        found = collect(work, job["collect"], limits["file_bytes"])
        if job["outputs"] is not None:
            artifacts, findings = gather(work, job["outputs"], limits)
    except Exception as error:  # noqa: BLE001  # a program can leave what cannot be walked
        findings = [f"outputs: they could not all be read: {type(error).__name__}"]
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


def _remove(place: Path) -> None:
    try:
        shutil.rmtree(place, ignore_errors=True)
    except RecursionError:  # folders can be nested deeper than Python follows
        subprocess.run(["rm", "-rf", str(place)], check=False)  # noqa: S603, S607


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _tell(word: str, told: dict[str, Any], home: Path) -> None:
    packed = zlib.compress(json.dumps(told).encode())
    if len(packed) > _INLINE:
        with suppress(OSError):  # the disk is full
            # Under a new name: one that the program knew could be anything by now.
            handle, path = tempfile.mkstemp(prefix="planish-", suffix=".out", dir=home)
            with os.fdopen(handle, "wb") as file:
                file.write(packed)
            _say(f"{word} file {Path(path).name} {hashlib.sha256(packed).hexdigest()}")
            return
    _say(f"{word} inline {_text(packed)}")

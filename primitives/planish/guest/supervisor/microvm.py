"""Supervise a program in a microVM: this process is what the host's command starts.

It comes as a zip with the request in it. It prints lines that begin with a word that only the host
and this process know, so that a program cannot speak for it and a stream that was cut off cannot
be mistaken for a whole one: "running" before the program starts and every two seconds while it
runs, and at the end "inline" or "file" with the frames of the answer.
"""
# ruff: noqa: PTH100, PTH102, PTH108, PTH119, PTH120  # its own paths are texts

import base64
import hashlib
import json
import os
import sys
import tempfile
import zipfile
import zlib

from .facts import powerless
from .files import lay_out
from .frames import FACTS, FAILED, Answer, decode
from .removal import remove
from .run import run_program
from .system import become_subreaper, ignore_signals, not_dumpable, reset_signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .request import Launch

__all__ = ["main"]

_INLINE = 512 * 1024  # bytes of an answer that are printed; a larger one is left in a file


def main(archive: str) -> None:
    """Run the program in an archive, and print what came of it."""
    home = os.path.dirname(os.path.abspath(archive))
    with zipfile.ZipFile(archive) as packed:
        request: Launch = decode(packed.read("request"))
        word = packed.read("word").decode()
    os.unlink(archive)
    not_dumpable()
    become_subreaper()
    reset_signals()
    ignore_signals()
    answer = Answer(None)
    place = tempfile.mkdtemp(prefix="planish-", dir=home)
    try:
        # What fails in there, a program can have caused: it gets no answer, but a traceback.
        _run(place, request, answer, word)
    finally:
        os.chdir(home)
        remove(place)
    _print_answer(word, bytes(answer.data), home)


def _run(place: str, request: "Launch", answer: Answer, word: str) -> None:
    for folder in ("work", "home", "tmp"):
        os.mkdir(f"{place}/{folder}")
    os.chdir(f"{place}/work")
    try:
        lay_out(request["files"], request["outputs"])
    except OSError as error:
        answer.add(FAILED, f"{type(error).__name__}: {error}".encode(errors="replace"))
        return
    request["env"] = {
        "PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"),
        "HOME": f"{place}/home",
        "TMPDIR": f"{place}/tmp",  # noqa: S108  # its own
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        **request["env"],
    }
    request["argv"][0] = request["argv"][0] or sys.executable

    def running() -> None:
        _print(f"{word} running")

    def started(pid: int) -> None:
        answer.add(FACTS, json.dumps({"powerless": powerless(pid)}).encode())

    running()
    run_program(request, answer, heartbeat=running, started=started, root=place)


def _print_answer(word: str, data: bytes, home: str) -> None:
    packed = zlib.compress(data)
    if len(packed) > _INLINE:
        try:
            # Under a new name: one that the program knew could be anything by now.
            handle, path = tempfile.mkstemp(prefix="planish-", suffix=".out", dir=home)
            with os.fdopen(handle, "wb") as file:
                file.write(packed)
        except OSError:
            pass  # the disk is full
        else:
            digest = hashlib.sha256(packed).hexdigest()
            _print(f"{word} file {os.path.basename(path)} {digest}")
            return
    _print(f"{word} inline {base64.b64encode(packed).decode()}")


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()

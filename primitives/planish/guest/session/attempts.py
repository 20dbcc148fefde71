"""Run one program beside the session: it sees variables and files, and leaves neither."""

from __future__ import annotations

import base64
import os
import stat
import tempfile

from ..supervisor.collection import send_back  # noqa: TID252  # beside us, in both interpreters
from ..supervisor.descriptors import input_file, read_back, results_file  # noqa: TID252
from ..supervisor.frames import FILE, LEFT_OUT, OUTPUT  # noqa: TID252
from ..supervisor.removal import remove  # noqa: TID252
from .displays import FILE_BYTES, read_displays
from .files import Copy, Room, put, put_back, regular, writable
from .watching import Pipes, result, watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .files import Tree
    from .processes import Process

__all__ = ["attempt"]


def attempt(
    worker: Process, root: str, host: int, kill_orphans: Callable[[], None], request: dict[str, Any]
) -> dict[str, Any]:
    """Run a program in a fork of the session, in a copy of its files.

    Args:
        worker: Holds the variables.
        root: The session's files.
        host: The host's descriptor: whatever comes there means to stop.
        kill_orphans: Kills what the program has left running.
        request: "files", "main", "args", "env", "stdin", "collect", "outputs", "seconds",
            "memory", "file_bytes", "output_bytes", "disk", "inodes", "results".
    """
    before = Copy(writable(root))
    folder = tempfile.mkdtemp(prefix="attempt-")
    displays = f"{folder}.displays"
    try:
        _copy_files(before[root], folder)
        room = Room(writable(root), request["disk"], request["inodes"], more=True)
        for path, content in request["files"].items():
            _make_way(folder, path)
            put(folder, path, base64.b64decode(content))
        if request["outputs"] is not None:
            _make_way(folder, request["outputs"])
            os.makedirs(f"{folder}/{request['outputs']}", exist_ok=True)  # noqa: PTH103
        results = results_file(tempfile.gettempdir()) if request["results"] else ()
        try:
            try:
                put(tempfile.gettempdir(), os.path.basename(displays), b"")  # noqa: PTH119
                full = {**request, "displays": displays}
                answer = _run(worker, folder, host, full, results[:1], room)
            finally:
                kill_orphans()
            if results:
                answer["results"] = _encoded(read_back(results[1], request["file_bytes"]))
        finally:
            for number in results:
                os.close(number)
        written = regular(tempfile.gettempdir(), os.path.basename(displays), FILE_BYTES)  # noqa: PTH119
        answer["displays"] = read_displays(written or b"")
        return {**answer, **_brought_back(folder, request)}
    finally:
        remove(folder)
        remove(displays)
        before.restore()  # no folder of the session is out of the program's reach


def _copy_files(tree: Tree, folder: str) -> None:
    """Copy the session's files.

    Raises:
        OSError: the session has filled its file system; the message says what to do.
    """
    try:
        put_back(folder, tree)
    except OSError as error:
        raise OSError(
            f"there is no room for a copy of the {len(tree):,} files of the session "
            f"({error.strerror}): let a step remove some, or restore a snapshot"
        ) from error


def _make_way(folder: str, path: str) -> None:
    """Remove files and links of the session that stand in the way of a program's file."""
    full = folder
    for part in path.split("/"):
        full = f"{full}/{part}"
        if os.path.lexists(full) and not stat.S_ISDIR(os.lstat(full).st_mode):
            os.unlink(full)  # noqa: PTH108


def _run(
    worker: Process,
    folder: str,
    host: int,
    request: dict[str, Any],
    results: tuple[int, ...],
    room: Room,
) -> dict[str, Any]:
    own = worker.copy()
    try:
        stdin = input_file(base64.b64decode(request["stdin"]), tempfile.gettempdir())
        with Pipes() as pipes:
            names = ("main", "args", "env", "memory", "file_bytes", "displays")
            become = {"do": "become", "folder": folder, **{name: request[name] for name in names}}
            own.send(become, [*pipes.theirs, stdin, *results])
            os.close(stdin)
            pipes.close_theirs()
            most = request["output_bytes"]
            outcome = watch(own, pipes.ours, host, request["seconds"], most, room)
            return result(outcome)
    finally:
        own.end()


def _brought_back(folder: str, request: dict[str, Any]) -> dict[str, Any]:
    """Return what the program has left, by the bounds of all sandboxes."""
    found: dict[bytes, list[tuple[str, str]]] = {FILE: [], OUTPUT: [], LEFT_OUT: []}

    def add(kind: bytes, content: bytes) -> None:
        path, _, rest = content.partition(b"\0")
        found[kind].append((os.fsdecode(path), _encoded(rest)))

    typed: Any = request
    send_back(add, typed, work_folder=folder)
    return {
        "files": dict(found[FILE]),
        "outputs": dict(found[OUTPUT]),
        "left_out": found[LEFT_OUT],
    }


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()

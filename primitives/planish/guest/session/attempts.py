"""One program, run beside the session: it sees the variables and the files, and leaves neither."""

from __future__ import annotations

import base64
import os
import stat
import tempfile
from contextlib import ExitStack

from .files import content_of, empty, kept, put, put_back, regular, seen, unlinked, walk
from .watching import Pipes, result, watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .processes import Process

__all__ = ["attempt"]

_ALL = 16  # times the largest file: the most that is brought back of all outputs


def attempt(
    worker: Process, root: str, host: int, sweep: Callable[[], None], asked: dict[str, Any]
) -> dict[str, Any]:
    """Run a program in a fork of the session, in a copy of its files.

    Args:
        worker: Holds the variables.
        root: The session's files.
        host: The host's descriptor: whatever comes there means to stop.
        sweep: Kills what the program has left running.
        asked: "files", "main", "args", "env", "stdin", "collect", "outputs", "seconds",
            "memory", "file_bytes", "output_bytes", "results".
    """
    folder = tempfile.mkdtemp(prefix="attempt-")
    before, session = seen(root), kept(root)
    try:
        put_back(folder, session)
        for path, content in asked["files"].items():
            _make_way(folder, path)
            put(folder, path, base64.b64decode(content))
        if asked["outputs"] is not None:
            _make_way(folder, asked["outputs"])
            os.makedirs(f"{folder}/{asked['outputs']}", exist_ok=True)  # noqa: PTH103
        with ExitStack() as opened:
            results = opened.enter_context(unlinked(b"")) if asked["results"] else None
            try:
                answer = _run(worker, folder, host, asked, results[:1] if results else ())
            finally:
                sweep()
            if results:
                answer["results"] = _encoded(content_of(results[1], asked["file_bytes"]))
            return {**answer, **_brought_back(folder, asked)}
    finally:
        empty(folder)
        os.rmdir(folder)  # noqa: PTH106
        if seen(root) != before:  # it went there: the session's folder is not out of its reach
            put_back(root, session)


def _make_way(folder: str, path: str) -> None:
    """A program's own file goes before one of the session's, or a link of it on the way."""
    full = folder
    for part in path.split("/"):
        full = f"{full}/{part}"
        if os.path.lexists(full) and not stat.S_ISDIR(os.lstat(full).st_mode):
            os.unlink(full)  # noqa: PTH108


def _run(
    worker: Process, folder: str, host: int, asked: dict[str, Any], results: tuple[int, ...]
) -> dict[str, Any]:
    own = worker.copy()
    try:
        with unlinked(base64.b64decode(asked["stdin"])) as (_, stdin), Pipes() as pipes:
            names = ("main", "args", "env", "memory", "file_bytes")
            become = {"do": "become", "folder": folder, **{name: asked[name] for name in names}}
            own.tell(become, [*pipes.theirs, stdin, *results])
            pipes.close_theirs()
            outcome = watch(own, pipes.ours, host, asked["seconds"], asked["output_bytes"])
            return result(outcome, pipes, asked["output_bytes"])
    finally:
        own.end()


def _brought_back(folder: str, asked: dict[str, Any]) -> dict[str, Any]:
    most = asked["file_bytes"]
    files = {path: _encoded(regular(folder, path, most)) for path in asked["collect"]}
    found: dict[str, str | None] = {}
    if asked["outputs"] is not None:
        found = _outputs(f"{folder}/{asked['outputs']}", most)
    return {
        "files": {path: content for path, content in files.items() if content is not None},
        "outputs": found,
    }


def _outputs(root: str, most: int) -> dict[str, str | None]:
    """The regular files below a folder; None for what is left out, "" for the folder itself."""
    found: dict[str, str | None] = {}
    left = _ALL * most
    try:
        for path, about in walk(root):
            if stat.S_ISDIR(about.st_mode):
                continue
            content = None
            if stat.S_ISREG(about.st_mode) and about.st_size <= min(most, left):
                content = regular(root, path, most)
                left -= len(content or b"")
            found[path] = _encoded(content)
    except OSError:
        found[""] = None
    return found


def _encoded(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()

"""Supervise a session: talk to the host, and hold the worker, its copy, and the snapshots.

Whatever a step does, the state of the session is the worker's. A step that has to be killed
takes the worker with it, and the copy that was forked before the step replaces it.
"""

from __future__ import annotations

import base64
import os
import stat

from ..supervisor.system import silence_streams  # noqa: TID252  # beside us, in both interpreters
from .attempts import attempt
from .files import Room, copy_tree, put, put_back, regular, used, walk, writable
from .frames import Gone, read, write
from .processes import Process, adopt_orphans, clear, first
from .watching import Pipes, result, watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["main"]

_PATIENCE = 10.0  # seconds to look at the variables


def main() -> None:
    """Serve the host until it closes."""
    requests, replies = os.dup(0), os.dup(1)
    silence_streams()
    adopt_orphans()
    supervisor = Supervisor(requests, replies)
    try:
        while True:
            write(replies, supervisor.answer(read(requests)))
    except Gone:
        pass
    finally:
        os._exit(0)


class Supervisor:
    """The state of a session, and what the host asks of it.

    Args:
        requests: The host's messages.
        replies: Where the answers go.
    """

    def __init__(self, requests: int, replies: int) -> None:
        self._host = requests
        self._root = os.getcwd()  # noqa: PTH109  # pathlib is slow
        self._worker = first([requests, replies])
        self._snapshots: dict[str, tuple[Process, dict[str, tuple[int, bytes | None]]]] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one message; "error" where it cannot be done."""
        try:
            answer: dict[str, Any] = getattr(self, f"_{request.pop('do')}")(**request)
        except Gone:
            return {"lost": "the process that holds the variables is gone, or answers no more"}
        except Exception as error:  # noqa: BLE001  # the session goes on
            return {"error": f"{type(error).__name__}: {error}"}
        return answer

    def _hello(self) -> dict[str, Any]:
        return {"root": self._root}

    def _cancel(self) -> dict[str, Any]:
        return {}  # it came too late: what it was for is over

    def _step(
        self, code: str, seconds: float, output_bytes: int, disk: int, inodes: int
    ) -> dict[str, Any]:
        room = Room(writable(self._root), disk, inodes)
        with Pipes() as pipes:
            copy = self._worker.copy()
            try:
                self._worker.send({"do": "step", "code": code}, pipes.theirs)
                pipes.close_theirs()
                ours = pipes.ours
                outcome = watch(self._worker, ours, self._host, seconds, output_bytes, room)
            except BaseException:
                self._go_on(copy, answered=False)
                raise
            ended = self._go_on(copy, answered=outcome.answer is not None)
            return result(outcome, ended)

    def _go_on(self, copy: Process, *, answered: bool) -> int | None:
        """Go on with the worker; or, where it was stopped or has ended, with the copy."""
        if answered:
            copy.end()
            return None
        lost, self._worker = self._worker, copy
        ended = lost.end()
        self._kill_orphans()
        return ended

    def _variables(self) -> dict[str, Any]:
        copy = self._worker.copy()  # a class of the user's can make its `repr` hang
        self._worker.send({"do": "variables"})
        outcome = watch(self._worker, (), self._host, _PATIENCE, 0)
        self._go_on(copy, answered=outcome.answer is not None)
        if outcome.answer is not None:
            return outcome.answer
        why = f"takes more than {_PATIENCE:g} s" if outcome.stop else "ends the process"
        return {"error": f"to look at them {why}"}

    def _snapshot(self, key: str) -> dict[str, Any]:
        asleep = self._worker.copy()
        try:
            self._snapshots[key] = (asleep, copy_tree(self._root))
        except BaseException:
            asleep.end()
            raise
        return {}

    def _restore(self, key: str) -> dict[str, Any]:
        asleep, tree = self._snapshots[key]
        self._worker.end()  # first: what it has started may have left no room for one more
        self._kill_orphans()
        self._worker = asleep.copy()
        put_back(self._root, tree)
        return {}

    def _drop(self, key: str) -> dict[str, Any]:
        self._snapshots.pop(key)[0].end()
        return {}

    def _put(self, files: dict[str, str], disk: int, inodes: int) -> dict[str, Any]:
        contents = {path: base64.b64decode(content) for path, content in files.items()}
        size, count = used(writable(self._root))
        replaced = [path for path in files if os.path.lexists(f"{self._root}/{path}")]
        more = sum(map(len, contents.values()))
        more -= sum(os.lstat(f"{self._root}/{path}").st_size for path in replaced)
        if size + more > disk or count + len(files) - len(replaced) > inodes:
            return {"error": f"there is no room: it holds {size:,} bytes in {count:,} files"}
        for path, content in contents.items():
            put(self._root, path, content)
        return {}

    def _get(self, path: str, most: int) -> dict[str, Any]:
        content = regular(self._root, path, most)
        return {"content": None if content is None else base64.b64encode(content).decode()}

    def _list(self) -> dict[str, Any]:
        found = walk(self._root)
        return {"files": [[path, f.st_size] for path, f in found if stat.S_ISREG(f.st_mode)]}

    def _attempt(self, **request: Any) -> dict[str, Any]:
        return attempt(self._worker, self._root, self._host, self._kill_orphans, request)

    def _kill_orphans(self) -> None:
        clear(self._known())

    def _known(self) -> set[int]:
        asleep = [process.pid for process, _ in self._snapshots.values()]
        return {self._worker.pid, *asleep}

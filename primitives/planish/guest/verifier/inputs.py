"""Keep the task's files, which the candidate can write, from deciding unnoticed.

The tests import the task's Python files as texts of the plan. What they read of the other files,
or start programs for that could read them, is put on record: the verdict says that the candidate
was not kept apart.
"""
# ruff: noqa: PTH109, PTH118, PTH119, PTH120  # pathlib costs 10 ms

from __future__ import annotations

import sys
from os import O_ACCMODE, O_WRONLY, fsdecode, getcwd
from os.path import basename, dirname, join, realpath

from . import link
from .frozen import FrozenFiles
from .place import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["watch_inputs"]

_LISTS = ("os.listdir", "os.scandir")
_NAMES = ("os.link", "os.rename", "os.symlink", "sqlite3.connect")
_frame: Any = getattr(sys, "_getframe")  # noqa: B009  # the one way to it, if private by name
_PROGRAMS = ("os.exec", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen")


def watch_inputs(files: dict[str, Any], weakened: Callable[[str], None]) -> None:
    """Serve the task's modules to the tests, and from now on report what reads its other files.

    Args:
        files: "paths": of the task's files; "modules": texts of its Python files by path.
        weakened: Called with a sentence.
    """
    finder: Any = FrozenFiles(files["modules"])
    sys.meta_path.append(finder)  # what is installed goes before it
    for path in files["modules"]:
        link.TASKS.add(path[:-3].replace("/", ".").removesuffix(".__init__"))
    inputs = _Inputs(files["paths"])
    busy: list[bool] = []

    def hook(event: str, args: Any) -> None:
        if busy or event not in _EVENTS:
            return
        busy.append(True)
        try:
            why = "" if _is_of_pytest(_frame(1)) else inputs.check(event, args)
            if why:
                weakened(why)
        finally:
            busy.clear()

    sys.addaudithook(hook)


_EVENTS = frozenset(("open", *_LISTS, *_NAMES, *_PROGRAMS))


def _is_of_pytest(frame: Any) -> bool:
    """Tell whether pytest itself asks: it lists the folder that it collects from."""
    return frame is not None and "/_pytest/" in frame.f_code.co_filename


class _Inputs:
    """Know the task's files and the folders that have them.

    Args:
        paths: Of the files, relative to the working directory.
    """

    def __init__(self, paths: list[str]) -> None:
        self._root = realpath(home())
        # By name alone, whatever folder or link leads there: a false report only weakens.
        self._names = {basename(path) for path in paths}
        self._folders = {self._root}
        for path in paths:
            folder = dirname(path)
            while folder:
                self._folders.add(join(self._root, folder))
                folder = dirname(folder)

    def check(self, event: str, args: Any) -> str:
        """Return a sentence if an event reads what the candidate can write in place of a file."""
        if event in _PROGRAMS:
            return "the tests start programs, which can read files that the code can write"
        if event == "open" and args[2] & O_ACCMODE == O_WRONLY:
            return ""
        path = args[0]
        if event in _LISTS and path is None:
            path = "."
        if not isinstance(path, (str, bytes)):  # a descriptor, opened before
            return ""
        path = fsdecode(path)
        if basename(path) in self._names or self._is_inside(path, event):
            return f"the tests read files that the code can write: {path[:200]!r}"
        return ""

    def _is_inside(self, path: str, event: str) -> bool:
        """Tell whether a path is a folder of the task's files, or leads to a file in one."""
        place = realpath(join(getcwd(), path))
        if event in _LISTS:
            return place in self._folders
        return basename(place) in self._names or (
            dirname(place) in self._folders and dirname(place) != self._root
        )

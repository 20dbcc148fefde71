"""Lay out a program's files in its working directory."""
# ruff: noqa: PTH103, PTH120, PTH123  # pathlib costs milliseconds at each start

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["lay_out"]


def lay_out(files: "Sequence[tuple[str, bytes]]", outputs: "str | None") -> "dict[str, None]":
    """Write files into the working directory, and make the folder for outputs.

    Args:
        files: Relative path and content of each.
        outputs: The folder's relative path; None for none.

    Returns:
        Every file and folder made, by its relative path.

    Raises:
        OSError: the system refuses.
    """
    made: dict[str, None] = {}
    for path, content in files:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(path, "wb", buffering=0) as file:
            rest = memoryview(content)
            while rest:
                rest = rest[file.write(rest) :]
        made.update(dict.fromkeys(_with_parents(path)))
    if outputs is not None:
        os.makedirs(outputs, exist_ok=True)
        made.update(dict.fromkeys(_with_parents(outputs)))
    return made


def _with_parents(path: str) -> "Iterator[str]":
    while path:
        yield path
        path = os.path.dirname(path)

"""What a program left goes into a folder of the host: names and contents nobody has read."""

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import click

__all__ = ["fail_unless_new", "save_outputs"]


def fail_unless_new(folder: Path | None) -> None:
    """Find out before the program runs, not after it.

    Only a new or empty folder will do: nothing of the host's is overwritten, and no link that
    lies there is followed.

    Raises:
        click.UsageError: it is no such folder.
    """
    if folder is None:
        return
    try:
        if not os.path.lexists(folder):
            if not folder.absolute().parent.is_dir():
                raise click.UsageError(f"--outputs {str(folder)!r}: its parent is no directory")
        elif not folder.is_dir() or any(folder.iterdir()):
            raise click.UsageError(f"--outputs {str(folder)!r}: not an empty directory")
    except (OSError, ValueError) as error:
        raise click.UsageError(f"--outputs {str(folder)!r}: {error}") from error


def save_outputs(folder: Path, artifacts: Mapping[str, bytes]) -> None:
    """Write what was brought back.

    Raises:
        click.UsageError: the folder cannot be written.
        ValueError: a path leads out of the folder, which a sandbox never gives.
    """
    try:
        folder.mkdir(exist_ok=True)
        for name, content in artifacts.items():
            path = folder / _inside(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise click.UsageError(f"--outputs {str(folder)!r}: {error}") from error


def _inside(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError(f"an output named {name!r} leads out of its folder")
    return path

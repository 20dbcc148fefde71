"""Where results go: JSON to a file or standard output, tables for people."""

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

__all__ = ["JSON_FILE", "STDOUT", "fail_unless_writable", "table", "write_json"]

STDOUT = Path("-")

JSON_FILE = click.option(
    "--json",
    "json_file",
    metavar="FILE|-",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    help="Write all figures as JSON; with - to standard output, and nothing else there.",
)
"""The option `--json`."""


def fail_unless_writable(path: Path | None) -> None:
    """Find out before the work, not after it.

    Raises:
        click.UsageError: a file cannot be written there.
    """
    if path is None or path == STDOUT:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise click.UsageError(f"--json {path}: there is no directory {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise click.UsageError(f"--json {path}: it cannot be written")


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a value whole: a file is there entirely or as it was before.

    Args:
        path: Where to; `STDOUT` for standard output.
        value: What JSON can hold.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    content = text.encode("utf-8", "replace")  # half a surrogate pair has no form in UTF-8
    if path == STDOUT:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # a pipe or a device cannot be put in place of
        return
    folder = path.absolute().parent
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{path.name}.", delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o666 & ~_umask())
    Path(file.name).replace(path)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def table(rows: Sequence[Sequence[object]]) -> str:
    """Rows as aligned columns; the first row is the head."""
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    )

"""Files of `planish exec`: read the program and its inputs, and write its outputs."""

import io
import os
import sys
import tokenize
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import click

from planish.data.program import Program, ResourceLimits
from planish_integrations.cli._options import OUTPUTS, ExecOptions

__all__ = ["build_program", "require_empty_folder", "save_outputs"]

_SOURCE_MB = 8  # of the program; larger data belongs in a separate file
_INPUT_MB = 256  # of each input file, which stays in memory while the program runs
_HIGHEST = {"--timeout": 366 * 86_400, "--memory": 1 << 27}  # the sandbox refuses more
_DASH = Path("-")

_LANGUAGES = {
    ".bash": "bash",
    ".js": "javascript",
    ".lua": "lua",
    ".php": "php",
    ".pl": "perl",
    ".r": "r",
    ".rb": "ruby",
    ".sh": "sh",
}


def build_program(options: ExecOptions) -> Program:
    """Return the program to run.

    Raises:
        click.UsageError: a file cannot be read or is too large, the program is not text, or a limit
            is not more than 0, or beyond any machine.
    """
    if options.file == options.stdin == _DASH:
        raise click.UsageError("FILE and --stdin cannot both be standard input")
    main = "main.py" if options.file == _DASH else options.file.name
    language = options.language or _LANGUAGES.get(Path(main).suffix.lower(), "python")
    source = _read(options.file, _SOURCE_MB, "FILE", "pass its data with --file or --stdin")
    _require_text(source, options.file, language)
    stdin = b"" if options.stdin is None else _read(options.stdin, _INPUT_MB, "--stdin")
    return Program(
        language=language,
        main=main,
        files={main: source} | _extra_files(options, main),
        args=options.args,
        stdin=stdin,
        outputs=None if options.outputs is None else OUTPUTS,
        limits=_limits(options),
    )


def _limits(options: ExecOptions) -> ResourceLimits:
    for name, value in (("--timeout", options.timeout), ("--memory", options.memory)):
        if not 0 < value < float("inf"):
            raise click.UsageError(f"{name} {value}: must be more than 0, and finite")
        if value > _HIGHEST[name]:
            raise click.UsageError(f"{name} {value}: must be at most {_HIGHEST[name]:,}")
    return ResourceLimits(seconds=options.timeout, memory_mb=options.memory)


def _read(path: Path, megabytes: int, option: str, advice: str = "") -> bytes:
    most = megabytes * 1024 * 1024
    try:
        if path == _DASH:
            data = sys.stdin.buffer.read(most + 1)
        else:
            with path.open("rb") as file:
                data = file.read(most + 1)
    except OSError as error:
        raise click.UsageError(f"{option} {str(path)!r}: {error.strerror or error}") from error
    except ValueError as error:  # a NUL in the path
        raise click.UsageError(f"{option} {str(path)!r}: {error}") from error
    if len(data) > most:
        hint = f"; {advice}" if advice else ""
        raise click.UsageError(f"{option} {str(path)!r}: more than {megabytes} MiB{hint}")
    return data


def _require_text(source: bytes, path: Path, language: str) -> None:
    """Raise a clear error for a program that an interpreter would reject in unclear words."""
    nul = source.find(b"\0")
    if nul >= 0:
        raise click.UsageError(f"FILE {str(path)!r}: not text: a NUL byte in {_line(source, nul)}")
    try:
        source.decode(_encoding(source) if language == "python" else "utf-8")
    except UnicodeDecodeError as error:
        where = f"byte {source[error.start]:#04x} in {_line(source, error.start)}"
        name = error.encoding.upper()
        raise click.UsageError(f"FILE {str(path)!r}: not {name}: {where}") from error


def _encoding(source: bytes) -> str:
    """Return the encoding that a Python program declares; UTF-8 if the declaration is invalid.

    Python reports an invalid declaration itself.
    """
    try:
        return tokenize.detect_encoding(io.BytesIO(source).readline)[0]
    except SyntaxError:
        return "utf-8"


def _line(source: bytes, position: int) -> str:
    before = source.count(b"\n", 0, position)
    return f"line {before + 1}"


def _extra_files(options: ExecOptions, main: str) -> dict[str, bytes]:
    """Return the other files by their path relative to the program's folder, or else by name."""
    folder = Path() if options.file == _DASH else options.file.parent
    files: dict[str, bytes] = {}
    for path in options.files:
        try:
            name = path.resolve().relative_to(folder.resolve()).as_posix()
        except ValueError:
            name = path.name
        if name == main or name in files:
            raise click.UsageError(f"--file {str(path)!r}: {name!r} is another file already")
        if name == OUTPUTS or name.startswith(f"{OUTPUTS}/"):
            raise click.UsageError(
                f"--file {str(path)!r}: {OUTPUTS!r} is for the program's outputs"
            )
        files[name] = _read(path, _INPUT_MB, "--file")
    return files


def require_empty_folder(folder: Path | None) -> None:
    """Raise an error before the program runs if its outputs could not be written.

    Only a new or empty folder is accepted, so that no file of this machine is overwritten and no
    symbolic link in it is followed.

    Raises:
        click.UsageError: it is not such a folder.
    """
    if folder is None:
        return
    try:
        if not os.path.lexists(folder):
            if not folder.absolute().parent.is_dir():
                raise click.UsageError(f"--outputs {str(folder)!r}: its parent is not a directory")
        elif not folder.is_dir() or any(folder.iterdir()):
            raise click.UsageError(f"--outputs {str(folder)!r}: not an empty directory")
    except (OSError, ValueError) as error:
        raise click.UsageError(f"--outputs {str(folder)!r}: {error}") from error


def save_outputs(folder: Path, artifacts: Mapping[str, bytes]) -> None:
    """Write the program's outputs to a folder.

    Raises:
        click.UsageError: the folder cannot be written.
        ValueError: a path leads out of the folder, which no sandbox returns.
    """
    try:
        folder.mkdir(exist_ok=True)
        for name, content in artifacts.items():
            path = folder / _safe_path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise click.UsageError(f"--outputs {str(folder)!r}: {error}") from error


def _safe_path(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError(f"an output named {name!r} leads out of its folder")
    return path

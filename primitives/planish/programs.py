"""What no sandbox that lays out files and starts processes can run, said before anything starts."""

import posixpath
from collections.abc import Iterable

from planish.data._paths import PATH_EXAMPLE, path_fault, text_fault
from planish.data.program import Program
from planish.errors import UnsupportedError

__all__ = ["check_program"]

_MAIN_MAX = 16 << 20  # bytes: CPython takes some 100 bytes of memory to compile each


def check_program(program: Program) -> None:
    """Refuse what cannot be laid out or started.

    What a program says is not looked at: a file that is not of its language ends like one.

    Args:
        program: The program, as `Sandbox.run` is given it.

    Raises:
        UnsupportedError: a path that is absolute, leaves the working directory or is no path;
            a file in the place of a folder; `main` that is not among the files, or of more than
            16 MiB; text that the system does not take as an argument or in the environment.
    """
    outputs = () if program.outputs is None else (program.outputs,)
    for field, paths in (
        ("files", program.files),
        ("collect", program.collect),
        ("outputs", outputs),
    ):
        for path in paths:
            _check_path(path, f"Program.{field}")
    for path in (*program.files, *outputs):
        _check_parents(path, program.files)
    if program.outputs is not None and program.outputs in program.files:
        raise UnsupportedError(f"Program.outputs: {program.outputs!r} is a file, not a folder")
    _check_main(program)
    _check_texts("Program.args", program.args)
    _check_texts("Program.env", program.env.keys())
    _check_texts("Program.env", program.env.values())
    for name in program.env:
        if not name or "=" in name:
            raise UnsupportedError(f"Program.env: {name!r} cannot be the name of a variable")


def _check_main(program: Program) -> None:
    if program.main not in program.files:
        raise UnsupportedError(
            f"Program.main {program.main!r} is not among Program.files "
            f"({', '.join(map(repr, program.files)) or 'which is empty'}): add its content there"
        )
    size = len(program.files[program.main])
    if size > _MAIN_MAX:
        raise UnsupportedError(
            f"Program.main {program.main!r} has {size:,} bytes of source; more than {_MAIN_MAX:,} "
            "are not run: put data in other files of Program.files"
        )


def _check_path(path: str, field: str) -> None:
    fault = path_fault(path)
    if fault is not None:
        raise UnsupportedError(f"{field}: {path[:300]!r} {fault}; {PATH_EXAMPLE}")


def _check_parents(path: str, files: Iterable[str]) -> None:
    parent = posixpath.dirname(path)
    while parent:
        if parent in files:
            raise UnsupportedError(f"Program.files: {parent!r} is a file, and {path!r} is in it")
        parent = posixpath.dirname(parent)


def _check_texts(field: str, texts: Iterable[str]) -> None:
    for text in texts:
        fault = text_fault(text)
        if fault is not None:
            raise UnsupportedError(f"{field}: {text[:300]!r} {fault}")

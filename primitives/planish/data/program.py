"""What a sandbox runs and returns. It knows nothing of tasks or tests."""

import os
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from planish.data.record import BYTES_AS_BASE64, Record
from planish.data.sandbox import Display, Guarantee
from planish.errors import UnsupportedError

__all__ = [
    "PATH_EXAMPLE",
    "Completed",
    "Program",
    "ResourceLimits",
    "check_program",
    "path_fault",
    "text_fault",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceLimits(Record):
    """What one program may use.

    Attributes:
        seconds: Of processor, of all the program's processes together, those that have ended
            included. A program that waits is stopped when it has done nothing for twice as
            long; and any program after twenty times as long. So the load of the machine
            decides nothing. A sandbox that cannot measure this takes it as wall time.
        memory_mb: Address space of each process in MiB; and, where a sandbox promises
            "memory_total", what all of them hold together.
        output_bytes: Of stdout and stderr, each; the program is killed when it writes more.
        file_bytes: The largest file it may write, and the most collected of one.
        processes: Processes and threads alive at once, the first included.
        disk_mb: What all files it leaves lying take together, in MiB, where a sandbox promises
            "disk_total".
        files: How many files and folders it may have at once, where a sandbox promises that.
    """

    seconds: float = 30.0
    memory_mb: int = 2048
    output_bytes: int = 1_000_000
    file_bytes: int = 64 * 1024 * 1024
    processes: int = 64
    disk_mb: int = 256
    files: int = 10_000

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value: object = getattr(self, name)
            kinds = (int, float) if name == "seconds" else int
            if isinstance(value, bool) or not isinstance(value, kinds):
                wanted = "a number" if name == "seconds" else "a whole number"
                raise TypeError(f"ResourceLimits({name}={value!r}): must be {wanted}")
            if not 0 < value < float("inf"):
                raise ValueError(
                    f"ResourceLimits({name}={value!r}): must be more than 0 and finite"
                )


def _no_files() -> dict[str, bytes]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Program(Record):
    """One program to run.

    Attributes:
        language: What runs `main`: "python" always works; others as the sandbox has them.
        main: The file to run, one of `files`.
        files: Relative path to content. They are laid out in a fresh working directory.
        args: Arguments after `main`.
        stdin: What the program reads on standard input.
        env: Added to the sandbox's own small environment; nothing of the host's is inherited.
        collect: Relative paths to bring back after the program has ended, where they exist.
        outputs: A folder, made before the program starts, whose regular files are all brought
            back as `Completed.artifacts`; None for none.
        results: Give the first process, which runs `main`, a descriptor for its results: a file
            without a name, whose number stands in the variable PLANISH_RESULTS_FD. What was
            written to it by the end, whatever the end, is `Completed.results`.
        limits: What it may use.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = BYTES_AS_BASE64

    language: str = "python"
    main: str
    files: Mapping[str, bytes]
    args: tuple[str, ...] = ()
    stdin: bytes = b""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    collect: tuple[str, ...] = ()
    outputs: str | None = None
    results: bool = False
    limits: ResourceLimits = field(default_factory=ResourceLimits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed(Record):
    """How a program ended. It ended: trouble of the sandbox itself is a `SandboxError`.

    Attributes:
        exit_code: None when a signal ended it.
        signal: The signal's number, when one ended it.
        limit: The limit it was killed for ("seconds", "memory_mb", "output_bytes",
            "processes", "disk_mb", "files"), or None.
        stdout: At most `ResourceLimits.output_bytes` of it.
        stderr: The same.
        duration: Wall seconds from start to end.
        cpu_seconds: Of processor, of all its processes together; None where the sandbox does
            not measure it.
        files: What was collected.
        results: What the first process wrote to its descriptor for results, at most
            `ResourceLimits.file_bytes`; None where it was not asked for, or the sandbox has none.
        artifacts: The regular files of `Program.outputs`, by their path in that folder.
        displays: What it showed, in order.
        findings: What the sandbox noticed that whoever wrote the program should know: a package
            that may not be installed, an output that was left out, and why.
        isolation: What stood between the program and the host, as the sandbox names it: a
            tier of the local sandbox, "container", "microvm", "none".
        guarantees: What held for this run, sorted.
        sandbox_id: The provider's id for the place it ran in, where there is one.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = BYTES_AS_BASE64

    exit_code: int | None
    signal: int | None = None
    limit: str | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    duration: float = 0.0
    cpu_seconds: float | None = None
    files: Mapping[str, bytes] = field(default_factory=_no_files)
    results: bytes | None = None
    artifacts: Mapping[str, bytes] = field(default_factory=_no_files)
    displays: tuple[Display, ...] = ()
    findings: tuple[str, ...] = ()
    isolation: str = "none"
    guarantees: tuple[Guarantee, ...] = ()
    sandbox_id: str | None = None

    @property
    def ok(self) -> bool:
        """It ended by itself with exit code 0."""
        return self.exit_code == 0 and self.limit is None


PATH_EXAMPLE = "use a path like 'pkg/data.json', relative to the working directory"

_NAME_MAX = 255  # bytes of one part of a path, on every common file system
_PATH_MAX = 1000  # bytes of a path: macOS takes 1,024 with the zero byte, Linux 4,096


def path_fault(path: str) -> str | None:
    """Return why a text cannot be the path of a file in the working directory, else None."""
    fault = text_fault(path)
    if fault is not None:
        return fault
    if path.startswith("/"):
        return "is absolute"
    if ".." in path.split("/"):
        return "leads out of the working directory"
    if path in ("", ".") or posixpath.normpath(path) != path:
        return "is not a plain path to a file"
    if max(len(os.fsencode(part)) for part in path.split("/")) > _NAME_MAX:
        return f"has a part of more than {_NAME_MAX} bytes"
    if len(os.fsencode(path)) > _PATH_MAX:
        return f"is longer than {_PATH_MAX} bytes"
    return None


def text_fault(text: str) -> str | None:
    """Return why the system cannot take a text as a name or an argument, else None."""
    try:
        usable = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        usable = False
    return None if usable else "has a NUL or lone surrogate, which the system cannot take"


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
    for name, paths in (
        ("files", program.files),
        ("collect", program.collect),
        ("outputs", outputs),
    ):
        for path in paths:
            _check_path(path, f"Program.{name}")
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

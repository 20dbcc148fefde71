"""`Program` and `Completed`, the input and output of a sandbox, and `check_program`."""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from planish.arguments import PATH_EXAMPLE, escape_fault, path_fault, text_fault
from planish.data.record import Base64, Record
from planish.data.sandbox import Display, Guarantee
from planish.errors import UnsupportedError

__all__ = [
    "Completed",
    "LimitName",
    "Program",
    "ResourceLimits",
    "check_program",
    "check_returned_paths",
    "limit_name",
]

LimitName = Literal["seconds", "memory_mb", "output_bytes", "processes", "disk_mb", "files"]
"""The limit that a program was stopped at: a field of `ResourceLimits`."""

_LIMIT_NAMES: tuple[LimitName, ...] = get_args(LimitName)


def limit_name(text: str | None) -> LimitName | None:
    """Return the limit that a supervisor reported; None if the text names none."""
    return next((name for name in _LIMIT_NAMES if name == text), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceLimits(Record):
    """Limits on the resources of one program.

    Attributes:
        seconds: CPU seconds of all the program's processes together, including those that have
            ended. A program that waits is stopped after twice as many wall-clock seconds
            without activity, any program after twenty times as many, so that the load of the
            machine does not decide the result. A sandbox that cannot measure CPU time takes
            this as wall-clock time.
        memory_mb: Address space of each process in MiB. In a sandbox that guarantees
            "memory_total" also the memory of all processes together.
        output_bytes: Bytes of stdout, and bytes of stderr. The program is killed if it writes
            more.
        file_bytes: Size in bytes of the largest file it may write, and of the largest one that
            is collected.
        processes: Processes and threads alive at once, including the first.
        disk_mb: Total size of all files in MiB. A sandbox that does not guarantee "disk_total"
            counts those in the run's own directory.
        files: Number of files and folders at once, counted in the same way.

    Raises:
        TypeError: a limit is not a number, or one other than `seconds` not a whole number.
        ValueError: a limit is not positive, or not finite.
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
                expected = "a number" if name == "seconds" else "a whole number"
                raise TypeError(f"ResourceLimits({name}={value!r}): must be {expected}")
            if not 0 < value < float("inf"):
                raise ValueError(
                    f"ResourceLimits({name}={value!r}): must be more than 0 and finite"
                )


def _no_files() -> dict[str, bytes]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Program(Record):
    """A program for a sandbox to run.

    Attributes:
        language: Language of `main`. Every sandbox runs "python"; others depend on the sandbox.
        main: The file to run, one of `files`.
        files: Relative path to content. They are written to a fresh working directory.
        args: Arguments after `main`.
        stdin: The content of standard input.
        env: Variables added to the sandbox's own small environment. The host's environment is
            not inherited.
        collect: Relative paths of files to return as `Completed.files`, if they exist after
            the program has ended.
        outputs: A folder that is created before the program starts. Its regular files are
            returned as `Completed.artifacts`. None (the default) for no folder.
        results: Whether to give the first process, which runs `main`, a descriptor for its
            results: a file without a name. The variable PLANISH_RESULTS_FD holds its number.
            Its content is returned as `Completed.results`, however the program ends.
        limits: Limits on its resources.
        packages: Python packages that it needs besides those of its imports, with optional
            versions, as its author names them. A sandbox installs what it may, and no more.
        system_packages: Packages of the operating system that it needs, as its author names them.
            A sandbox installs what it may, and names those in `Completed.installed`.
    """

    language: str = "python"
    main: str
    files: Mapping[str, Base64]
    args: tuple[str, ...] = ()
    stdin: Base64 = b""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    collect: tuple[str, ...] = ()
    outputs: str | None = None
    results: bool = False
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    packages: tuple[str, ...] = ()
    system_packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed(Record):
    """How a program ended, and its output. A failure of the sandbox itself is a `SandboxError`.

    Attributes:
        exit_code: The exit code; None if a signal ended the program.
        signal: The number of the signal that ended it; None if none did.
        limit: The limit that the program was killed for ("seconds", "memory_mb",
            "output_bytes", "processes", "disk_mb", "files"), or None.
        stdout: Standard output, at most `ResourceLimits.output_bytes`.
        stderr: Standard error, at most `ResourceLimits.output_bytes`.
        duration: Wall-clock seconds from start to end.
        cpu_seconds: CPU seconds of all its processes together; None if the sandbox does not
            measure them.
        files: The files of `Program.collect` that exist, by path.
        results: What the first process wrote to its results descriptor, at most
            `ResourceLimits.file_bytes`; None if `Program.results` is False or the sandbox does
            not support it.
        artifacts: The regular files of `Program.outputs`, by their path in that folder.
        displays: What the program displayed, in order.
        findings: What the author of the program should know, for example a package that may not
            be installed, or an output that was left out, and why.
        isolation: The isolation between program and host, as the sandbox names it: a tier of
            the local sandbox, "container", "microvm" or "none".
        guarantees: The guarantees that held for this run, sorted.
        sandbox_id: The provider's id of the sandbox, if it has one.
        installed: The packages of `Program.system_packages` that the sandbox has installed.
    """

    exit_code: int | None
    signal: int | None = None
    limit: LimitName | None = None
    stdout: Base64 = b""
    stderr: Base64 = b""
    duration: float = 0.0
    cpu_seconds: float | None = None
    files: Mapping[str, Base64] = field(default_factory=_no_files)
    results: Base64 | None = None
    artifacts: Mapping[str, Base64] = field(default_factory=_no_files)
    displays: tuple[Display, ...] = ()
    findings: tuple[str, ...] = ()
    isolation: str = "none"
    guarantees: tuple[Guarantee, ...] = ()
    sandbox_id: str | None = None
    installed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_returned_paths(self, "files", "artifacts")

    @property
    def ok(self) -> bool:
        """Whether the program ended by itself with exit code 0."""
        return self.exit_code == 0 and self.limit is None


def check_returned_paths(record: object, *fields: str) -> None:
    """Raise an error if files that a sandbox returned have paths that lead out of their folder.

    Raises:
        ValueError: a path is absolute, is empty, has a NUL, or has a part "..".
    """
    for name in fields:
        files: Mapping[str, bytes] = getattr(record, name)
        for path in files:
            if fault := escape_fault(path):
                raise ValueError(f"{type(record).__name__}.{name}: {path!r} {fault}")


_MAIN_MAX = 16 << 20  # bytes: CPython takes some 100 bytes of memory to compile each


def check_program(program: Program) -> None:
    """Raise an error if no sandbox can lay out the files of a program or start it.

    The content of files is not checked: source that does not parse is run, and fails there.

    Args:
        program: The program that `Sandbox.run` received.

    Raises:
        UnsupportedError: a path is absolute, leaves the working directory or is not a path; a
            file has the path of a folder; `main` is not among the files, or has more than
            16 MiB; a text cannot be an argument or an environment variable; it is no `Program`.
    """
    if not isinstance(cast("object", program), Program):
        raise UnsupportedError(
            f"a sandbox runs a planish.data.Program, not {program!r:.80}: "
            "Program(main='main.py', files={'main.py': code})"
        )
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

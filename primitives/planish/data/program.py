"""What a sandbox is given and what it gives back. It knows nothing of tasks or tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from planish.data._record import Record
from planish.data.display import BYTES_AS_BASE64, Display
from planish.data.isolation import Guarantee

__all__ = ["Completed", "Program", "ResourceLimits"]


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

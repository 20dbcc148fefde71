"""The configuration of a template process, and the requests that its workers get."""

import marshal
import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from planish.data.program import Program
from planish.guest.protocol import ZygoteConfigFields as Config
from planish.guest.protocol import ZygoteRequest as Request
from planish.guest.protocol import ZygoteStart as Start
from planish.guest.protocol import frames
from planish.verification import PYTEST_INI, VERIFIER, verifier_bundle
from planish_integrations.sandboxes.host import MIB, base_request

from ._tiers import Tier

__all__ = ["ZygoteConfig", "encode_request", "links", "verifies"]

# The programs and libraries of the system; what finds them; and the time of this place.
_SYSTEM = ("/usr", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # links into /usr, or folders
_PATH = "/usr/local/bin:/usr/bin:/bin"  # where POSIX systems keep their commands
_COVERED = ("/tmp/", "/work/", "/dev/", "/proc/")  # noqa: S108  # a run has its own there
_PARTS = ("bin", "lib", "lib64", "pyvenv.cfg")  # of an interpreter's own folder


@dataclass(frozen=True, slots=True)
class ZygoteConfig:
    """The configuration of a template process: sandboxes of equal configuration share one.

    Attributes:
        tier: The isolation of its programs.
        preload: Modules that it imports.
        packages: Folders on `sys.path` before the interpreter's own packages.
        readable: More files and folders that programs may read.
        own_packages: Whether programs see the interpreter's own packages.
        pytest: Whether it imports pytest, if the interpreter has it.
        spare: How many workers are kept ready.
        directory: Where the tier `landlock` makes the directories of runs.
    """

    tier: Tier
    preload: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    own_packages: bool = True
    pytest: bool = False
    spare: int = 2
    directory: str = "/tmp"  # noqa: S108  # its runs make folders of their own in it

    def encode(self, runs: str) -> bytes:
        """Return the message that configures the template process.

        Args:
            runs: What the paths of the directories of runs begin with, on the tier `landlock`.
        """
        path = [*_library(), *self.packages, *(_site() if self.own_packages else ())]
        fields = Config(
            tier=self.tier,
            path=[self.path_inside(folder) for folder in path],
            executable=self.path_inside(sys.executable),
            prefix=self.path_inside(sys.prefix),
            preload=list(self.preload),
            pytest=self.pytest,
            grants=[(path, self.path_inside(path)) for path in self.grants()],
            links=links(),
            search=f"{Path(self.path_inside(sys.executable)).parent}:{_PATH}",
            spare=self.spare,
            runs=runs if self.tier == "landlock" else "/tmp/planish-",  # noqa: S108  # its own
        )
        return marshal.dumps(cast("Any", fields))  # its stub knows no TypedDict

    def for_program(self, program: Program) -> "ZygoteConfig":
        """Return the configuration in which a program runs: pytest has a template of its own.

        To import pytest takes ten times as long as a verdict. Other programs do without: each
        module more makes every fork slower. Packages of others may have a pytest of theirs,
        which is not to be imported outside of the limits.
        """
        runs_pytest = PYTEST_INI in program.files and verifies(program)
        return replace(self, pytest=True) if runs_pytest and not self.packages else self

    def with_packages(self, program: Program, argv: Sequence[str]) -> Program:
        """Return a program with the variable by which a Python that is started finds packages.

        They come after the standard library, as in the interpreter that waits: none of them may
        stand in for a module of Python's, which the verifier or the tests import.

        Args:
            program: The program.
            argv: What to exec; nothing if the interpreter that waits, which has them, runs it.
        """
        if not (argv and self.packages and program.language == "python"):
            return program
        env: Mapping[str, str] = program.env
        folders = map(self.path_inside, (*_library(), *self.packages))
        path = ":".join(filter(None, (env.get("PYTHONPATH"), *folders)))
        return replace(program, env={**env, "PYTHONPATH": path})

    def path_inside(self, path: str) -> str:
        """Return the path at which programs see a file: /tmp and /work are their own."""
        own = self.tier != "landlock" and f"{path}/".startswith(_COVERED)
        return f"/outside{path}" if own else path

    def grants(self) -> list[str]:
        """List what programs may read, each once, outer folders first."""
        wanted = {*_system(), *_interpreter(), *self.packages, *self.readable}
        if self.own_packages:
            wanted.update(_site())
        there = sorted(path for path in wanted if Path(path).exists())
        found: list[str] = []
        for path in there:
            if not any(path == outer or path.startswith(f"{outer}/") for outer in found):
                found.append(path)
        return found


def _system() -> Iterator[str]:
    yield from _SYSTEM
    for name in _MERGED:
        if not Path("/", name).is_symlink():
            yield f"/{name}"


def links() -> dict[str, str]:
    """Return the links at the root of this machine: from, to."""
    places = (Path("/", name) for name in _MERGED)
    return {str(place): str(place.readlink()) for place in places if place.is_symlink()}


def _interpreter() -> Iterator[str]:
    real = Path(sys.executable).resolve()
    for prefix in {sys.prefix, sys.base_prefix, sys.base_exec_prefix, str(real.parent.parent)}:
        for part in _PARTS:
            yield os.path.join(prefix, part)  # noqa: PTH118  # as a text, and no other
    yield from _library()
    yield str(Path(sys.executable).parent)


def _library() -> list[str]:
    """Return the places of the standard library, as `sys.path` has them."""
    names = sysconfig.get_paths()
    version = f"{sys.version_info.major}{sys.version_info.minor}"
    stdlib = names["stdlib"]
    archive = str(Path(sys.base_prefix, sys.platlibdir, f"python{version}.zip"))
    return [
        archive,
        stdlib,
        str(Path(names["platstdlib"].replace(sys.prefix, sys.base_exec_prefix), "lib-dynload")),
    ]


def _site() -> list[str]:
    """Return the folders of this interpreter's packages."""
    names = sysconfig.get_paths()
    return list(dict.fromkeys((names["purelib"], names["platlib"])))


def encode_request(
    program: Program,
    argv: Sequence[str],
    *,
    interactive: bool = False,
    has_verifier: bool = False,
) -> bytes:
    """Return the message that requests a program from a supervisor.

    Args:
        program: What to run.
        argv: What to exec; nothing if the interpreter that waits runs it.
        interactive: Its standard input stays open: a pipe, and no file.
        has_verifier: The interpreter that waits has loaded the verifier's modules.
    """
    limits = program.limits
    loaded = has_verifier and not argv and verifies(program)
    start = Start(
        main=program.main,
        args=list(program.args),
        argv=list(argv),
        verifier=loaded,
        env=dict(program.env),
        stdin=not interactive,
        results=program.results,
        memory=limits.memory_mb * MIB,
        file_bytes=limits.file_bytes,
        processes=limits.processes,
        others=0,
    )
    request: Request = {**base_request(program), "program": start}
    if loaded:
        request["files"] = [one for one in request["files"] if one[0] != VERIFIER]
    if interactive:
        request["stdin"] = None
    return frames.encode(request)


def verifies(program: Program) -> bool:
    """Return whether a program brings the verifier's modules, which a worker may have loaded."""
    return VERIFIER in program.files and program.files[VERIFIER] == verifier_bundle()

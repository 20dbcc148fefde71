"""Make a container image of this machine's own Python and shell, without a registry.

`python -m tests.integrations.sandboxes.containers.image ENGINE NAME` makes the image NAME in an
engine. It holds /usr/bin/python3 with its standard library, a few commands, and the libraries
that these are linked with: about 40 MB, made in seconds.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["NAME", "make_image", "write_root"]

NAME = "localhost/planish-tests:1"
"""The image's usual name."""

_PYTHON = Path("/usr/bin/python3")
_COMMANDS = ("sh", "bash", "cat", "env", "head", "ls", "sleep", "yes")
_MERGED = ("bin", "lib", "lib64", "sbin")  # links to folders of /usr on most systems
_OMITTED = {"__pycache__", "ensurepip", "idlelib", "lib2to3", "test", "tkinter"}
_LINKED = re.compile(r"(?:=> |^\t)(/\S+)", re.MULTILINE)


def make_image(engine: str, name: str = NAME) -> None:
    """Make the image in an engine.

    Args:
        engine: The engine's command: "podman" or "docker".
        name: The image's name.

    Raises:
        CalledProcessError: the engine failed, or /usr/bin/python3 does.
    """
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "root.tar")
        write_root(archive)
        subprocess.run([engine, "import", str(archive), name], check=True)


def write_root(archive: Path) -> None:
    """Write the image's file system as a tar archive."""
    with tarfile.open(archive, "w") as tar:
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(folder)
        for name in _MERGED:
            if Path("/", name).is_symlink():
                tar.add(Path("/", name), name)
        library = _library()
        for path in sorted(set(_files(library))):
            tar.add(path, path.relative_to("/"), recursive=False)
        tar.add(library, library.relative_to("/"), filter=_wanted)


def _library() -> Path:
    """Return the folder of the standard library."""
    code = "import os; print(os.path.dirname(os.__file__))"
    done = subprocess.run([_PYTHON, "-I", "-c", code], capture_output=True, check=True)
    return Path(os.fsdecode(done.stdout.strip()))


def _files(library: Path) -> Iterator[Path]:
    """Yield the programs, and the libraries that they are linked with, with their links."""
    programs = [path for name in _COMMANDS if (path := Path("/usr/bin", name)).exists()]
    programs += [path for name in _COMMANDS if (path := Path("/bin", name)).exists()]
    linked = [*map(str, [_PYTHON, *programs]), *map(str, library.glob("lib-dynload/*.so"))]
    command = ["/usr/bin/ldd", *linked]  # it fails for scripts, and lists the others
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    libraries = [*map(Path, _LINKED.findall(listed.stdout))]
    # Nothing is linked with it: the C library loads it when a thread ends.
    unlinked = [path.with_name("libgcc_s.so.1") for path in libraries if path.name == "libc.so.6"]
    for path in [_PYTHON, *programs, *libraries, *filter(Path.exists, unlinked)]:
        yield from _chain(path)


def _chain(path: Path) -> Iterator[Path]:
    """Yield a file, and each file that it is a link to, below folders that are no links."""
    path = Path(os.path.realpath(path.parent), path.name)
    yield path
    if path.is_symlink():
        yield from _chain(path.parent / path.readlink())


def _wanted(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    name = Path(member.name).name
    return None if name in _OMITTED or name.startswith("config-") else member


if __name__ == "__main__":
    make_image(*sys.argv[1:])

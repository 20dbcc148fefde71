"""A container engine of one file: what Docker's command line does, done by bubblewrap.

For machines without a container engine. A container is a real one: fresh namespaces, an own
process 1, a read-only root, no capability, no network. It has no control group.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

BWRAP = shutil.which("bwrap")
_SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/bin")
_PYTHON = str(Path(sys.executable).resolve().parent.parent)
_VALUED = {
    *("--name", "--label", "--network", "--ipc", "--hostname", "--user", "--cap-drop"),
    *("--security-opt", "--tmpfs", "--shm-size", "--workdir", "--memory", "--memory-swap"),
    *("--pids-limit", "--ulimit", "--entrypoint", "--cpus"),
}


def container(size: int) -> list[str]:
    """Return the command line that starts a container, up to what it runs."""
    assert BWRAP is not None
    system = [word for path in _SYSTEM if Path(path).exists() for word in _bound(path)]
    return [
        *(BWRAP, "--unshare-all", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"),
        *("--as-pid-1", "--die-with-parent", "--clearenv", "--setenv", "PATH", "/usr/local/bin"),
        *system,
        *("--ro-bind", _PYTHON, _PYTHON, "--dir", "/usr/local/bin"),
        *("--symlink", f"{_PYTHON}/bin/python3", "/usr/local/bin/python3"),
        *("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", str(size)),
        *("--tmpfs", "/planish", "--remount-ro", "/", "--chdir", "/"),
    ]


def _bound(path: str) -> tuple[str, ...]:
    if Path(path).is_symlink():
        return ("--symlink", str(Path(path).readlink()), path)
    return ("--ro-bind", path, path)


def works() -> bool:
    """Return whether this machine lets bubblewrap make a container."""
    if BWRAP is None:
        return False
    command = [*container(1 << 20), "python3", "-I", "-S", "-c", ""]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def install(folder: Path) -> str:
    """Write the engine's command to a folder; return its path."""
    path = folder / "docker"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -I {__file__} {folder} "$@"\n')
    path.chmod(0o755)
    return str(path)


def _create(folder: Path, words: list[str]) -> None:
    options: dict[str, str] = {}
    while words and words[0].startswith("--"):
        word = words.pop(0)
        if word in _VALUED:
            options[word] = words.pop(0)
    made = {"run": [options["--entrypoint"], *words[1:]], "options": options}
    (folder / f"{options['--name']}.json").write_text(json.dumps(made))


def _start(folder: Path, name: str) -> None:
    made = json.loads((folder / f"{name}.json").read_text())
    (folder / f"{name}.pid").write_text(str(os.getpid()))
    size = int(made["options"]["--tmpfs"].rpartition("size=")[2].removesuffix("m")) << 20
    processes = int(made["options"]["--pids-limit"])
    resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    command = [*container(size), *made["run"]]
    os.execv(command[0], command)  # noqa: S606  # that is what it is for


def _kill(folder: Path, name: str) -> None:
    with suppress(OSError, ValueError):
        os.kill(int((folder / f"{name}.pid").read_text()), signal.SIGKILL)


def main(folder: Path, verb: str, *words: str) -> None:
    """Do what Docker does for a verb."""
    if verb == "create":
        _create(folder, [*words])
    elif verb == "start":
        _start(folder, words[-1])
    elif verb == "kill":
        _kill(folder, words[-1])
    elif verb == "rm":
        _kill(folder, words[-1])
        for file in folder.glob(f"{words[-1]}.*"):
            file.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])

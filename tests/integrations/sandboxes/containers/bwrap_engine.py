"""A container engine of one file: what Docker's command line does, done by bubblewrap.

For machines without a container engine. A container is a real one: fresh namespaces, an own
process 1, a read-only root, no capability, no network. It has no control group.
"""

import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

BWRAP = shutil.which("bwrap")
_SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/bin")
_PYTHON = str(Path(sys.executable).resolve().parent.parent)
_PATIENCE = 10.0  # seconds for a killed container to have ended
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
        *("--as-pid-1", "--clearenv", "--setenv", "PATH", "/usr/local/bin"),
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
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {__file__} {folder} "$@"\n')
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


def _start(folder: Path, name: str) -> int:
    """Run a container until it ends. It goes on if this client of it is killed, as with Docker."""
    made = json.loads((folder / f"{name}.json").read_text())
    size = int(made["options"]["--tmpfs"].rpartition("size=")[2].removesuffix("m")) << 20
    processes = int(made["options"]["--pids-limit"])
    resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    with subprocess.Popen([*container(size), *made["run"]], start_new_session=True) as running:
        (folder / f"{name}.pid").write_text(str(running.pid))
        return running.wait()


def _kill(folder: Path, name: str) -> None:
    """Kill a container, and wait until its process 1 has ended, and so all others in it."""
    with suppress(OSError, ValueError):
        pid = int((folder / f"{name}.pid").read_text())
        inside = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ends = [os.pidfd_open(number) for number in (pid, *map(int, inside))]
        for end in reversed(ends):
            signal.pidfd_send_signal(end, signal.SIGKILL)
            select.select([end], [], [], _PATIENCE)


def main(folder: Path, verb: str, *words: str) -> int:
    """Do what Docker does for a verb; return the exit status."""
    if verb == "create":
        _create(folder, [*words])
    elif verb == "start":
        return _start(folder, words[-1])
    elif verb == "kill":
        _kill(folder, words[-1])
    elif verb == "rm":
        _kill(folder, words[-1])
        for file in folder.glob(f"{words[-1]}.*"):
            file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))

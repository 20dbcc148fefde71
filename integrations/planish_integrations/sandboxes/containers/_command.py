"""The command line that makes a container, with everything it may not do."""

import base64
import json
import zlib
from collections.abc import Sequence
from functools import cache

from planish.data.program import ResourceLimits
from planish.guest.protocol import modules

from ._engine import Engine

__all__ = ["OVERHEAD_MB", "creation", "supervisor"]

OVERHEAD_MB = 64
"""MiB for the supervisor, beside what the program may use."""

_NOBODY = "65534:65534"
_OPEN_FILES = 1024
_SHARED_MB = 1  # of /dev/shm: enough for the semaphores of multiprocessing
_LABEL = "planish"

_BOOT = """
import base64, json, sys, zlib
from importlib.machinery import ModuleSpec
sources = json.loads(zlib.decompress(base64.b64decode({packed!r})))
class Loader:
    def find_spec(self, name, path, target=None):
        if name in sources:
            return ModuleSpec(name, self, is_package=name.count(".") < 2)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(compile(sources[module.__name__], module.__name__ + ".py", "exec"), vars(module))
sys.meta_path.insert(0, Loader())
from planish_guest.supervisor.container import main
main()
"""


@cache
def supervisor() -> str:
    """Return the program that is process 1 of each container, as text."""
    texts = {name: text.decode() for name, text in modules("supervisor").items()}
    packed = base64.b64encode(zlib.compress(json.dumps(texts).encode())).decode()
    return _BOOT.format(packed=packed)


def creation(
    engine: Engine, image: str, name: str, limits: ResourceLimits, cpus: float | None
) -> Sequence[str]:
    """Return the arguments of `create` for one program.

    Args:
        engine: Which one; Podman needs a word more.
        image: Which image.
        name: What the container is to be called.
        limits: Of the program.
        cpus: Processors it may use; None for all.
    """
    memory = f"{limits.memory_mb + OVERHEAD_MB}m"
    disk = max(1, limits.disk_mb - _SHARED_MB)
    arguments = [
        *("create", "--rm", "--interactive", "--name", name, "--label", _LABEL),
        *("--network", "none", "--ipc", "private", "--hostname", "planish"),
        *("--read-only", "--user", _NOBODY, "--cap-drop", "ALL"),
        *("--security-opt", "no-new-privileges"),
        *("--tmpfs", f"/planish:rw,exec,nosuid,nodev,mode=1777,size={disk}m"),
        *("--shm-size", f"{_SHARED_MB}m", "--workdir", "/"),
        # Swap counts too: the same figure twice means none.
        *("--memory", memory, "--memory-swap", memory),
        *("--pids-limit", str(limits.processes + 1)),
        # Said, because an engine's own default may be more than it is allowed itself.
        *("--ulimit", f"nofile={_OPEN_FILES}:{_OPEN_FILES}"),
        *("--ulimit", "nproc=4096:4096"),
        # Not the engine's init: what is process 1 itself cannot be killed by the program.
        *("--entrypoint", "python3"),
    ]
    if cpus is not None:
        arguments += ["--cpus", f"{cpus:g}"]
    if engine.is_podman:
        arguments.append("--read-only-tmpfs=false")  # else /tmp and /run could be filled
    return [*arguments, image, "-I", "-S", "-B", "-c", supervisor()]

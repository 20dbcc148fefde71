"""Built environments on disk: complete ones only, each under its fingerprint.

::

    <directory>/ready/<fingerprint>/site/               what goes on a program's path
                                   /environment.json    what is in it; its time is its last use
               /building/<fingerprint>-<random>/        not complete, perhaps never
               /locks/<fingerprint>.build, .use         who builds it, who uses it

A folder gets into `ready` by a rename, after all that is in it.
"""

import json
import os
import shutil
import time
from collections.abc import Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from tempfile import mkdtemp

from planish.errors import SandboxLostError

from ._locks import Shared, alone, try_alone
from ._requirements import name_of
from ._spec import EnvSpec

__all__ = ["Built", "Store"]

_DAY = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Built:
    """A complete environment.

    Attributes:
        path: What goes on a program's path.
        versions: Distribution to version, of all that is in it.
        seconds: What building it took.
    """

    path: Path
    versions: dict[str, str]
    seconds: float


class Store:
    """The environments of one directory, which any number of processes share.

    Args:
        directory: Made when it is first needed.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._ready = directory / "ready"
        self._building = directory / "building"
        self._locks = directory / "locks"
        self._uses = Shared()

    def find(self, fingerprint: str) -> Built | None:
        """A complete environment; this is a use of it."""
        record = self._ready / fingerprint / "environment.json"
        try:
            known = json.loads(record.read_bytes())
            os.utime(record)
            return Built(record.parent / "site", dict(known["versions"]), float(known["seconds"]))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, KeyError, TypeError):  # somebody was here; it will be built again
            return None

    def lock(self, fingerprint: str) -> AbstractAsyncContextManager[int]:
        """Be the only one, of all processes, to build an environment.

        Gives the lock's descriptor; see `_locks.alone`.
        """
        for folder in (self._ready, self._building, self._locks):
            folder.mkdir(parents=True, exist_ok=True)
        return alone(self._locks / f"{fingerprint}.build")

    def begin(self, fingerprint: str) -> Path:
        """An empty folder to build in. To be called by the holder of the lock to build it.

        What builders that were killed have left of the same environment is removed.
        """
        self._sweep(fingerprint)
        return Path(mkdtemp(prefix=f"{fingerprint}-", dir=self._building))

    def finish(self, folder: Path, spec: EnvSpec, seconds: float) -> Built:
        """Make what was built in a folder an environment, in one step."""
        site = folder / "site"
        versions = {name_of(one.name): one.version for one in distributions(path=[str(site)])}
        known = {"spec": json.loads(spec.to_json()), "versions": versions, "seconds": seconds}
        (folder / "environment.json").write_text(json.dumps(known, indent=2), encoding="utf-8")
        shutil.rmtree(folder / "tmp", ignore_errors=True)
        folder.chmod(0o755)  # a sandbox may run as another user
        final = self._ready / spec.fingerprint
        if final.exists():  # its record could not be read
            self._retire(final)
        folder.rename(final)
        return Built(final / "site", versions, seconds)

    def discard(self, folder: Path) -> None:
        """Remove a folder that was begun, if it is still there."""
        shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def use(self, fingerprint: str) -> Generator[None]:
        """Keep an environment from being pruned.

        Raises:
            SandboxLostError: it has been pruned.
        """
        with self._uses.hold(self._locks / f"{fingerprint}.use"):
            if self.find(fingerprint) is None:
                raise SandboxLostError(f"the environment {fingerprint[:12]} is gone; resolve again")
            yield

    def prune(self, keep_days: float) -> tuple[str, ...]:
        """Remove what has not been used for so long and is not in use, and what is half-made.

        Returns:
            The fingerprints of the environments that were removed, sorted.
        """
        oldest = time.time() - keep_days * _DAY
        removed = [one.name for one in _folders(self._ready) if self._prune(one, oldest)]
        for fingerprint in {one.name.partition("-")[0] for one in _folders(self._building)}:
            with try_alone(self._locks / f"{fingerprint}.build") as held:
                if held is not None:
                    self._sweep(fingerprint)
        return tuple(sorted(removed))

    def _prune(self, folder: Path, oldest: float) -> bool:
        with try_alone(self._locks / f"{folder.name}.use") as held:
            if held is None:
                return False
            record = folder / "environment.json"
            if record.exists() and record.stat().st_mtime > oldest:
                return False
            retired = self._rename_away(folder)
        self.discard(retired)
        return True

    def _retire(self, folder: Path) -> None:
        self.discard(self._rename_away(folder))

    def _rename_away(self, folder: Path) -> Path:
        """Out of `ready` in one step; to remove its files takes many."""
        place = Path(mkdtemp(prefix=f"{folder.name}-", dir=self._building))
        folder.rename(place / "old")
        return place

    def _sweep(self, fingerprint: str) -> None:
        for folder in _folders(self._building):
            if folder.name.startswith(f"{fingerprint}-"):
                self.discard(folder)


def _folders(parent: Path) -> list[Path]:
    return sorted(parent.iterdir()) if parent.is_dir() else []

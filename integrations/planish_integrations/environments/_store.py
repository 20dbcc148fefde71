"""Store of built environments on disk, each complete and under its fingerprint.

::

    <directory>/ready/<fingerprint>/site/               the folder for a program's path
                                   /environment.json    its content; modified at each use
               /building/<fingerprint>-<random>/        a build in progress or abandoned
               /locks/<fingerprint>.build, .use         locks for building and for use

A folder is renamed into `ready` when all of it is complete.
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

from ._locks import SharedLocks, exclusive_lock, try_exclusive_lock
from ._requirements import canonical_name
from ._spec import EnvSpec

__all__ = ["BuiltEnvironment", "Store"]

_DAY = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class BuiltEnvironment:
    """A complete environment.

    Attributes:
        path: The folder for a program's path.
        versions: Distribution to version, for everything in it.
        seconds: How long building it took.
    """

    path: Path
    versions: dict[str, str]
    seconds: float


class Store:
    """The environments of one directory, which several processes may share.

    Args:
        directory: Created when it is first needed.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._ready = directory / "ready"
        self._building = directory / "building"
        self._locks = directory / "locks"
        self._uses = SharedLocks()

    def find(self, fingerprint: str) -> BuiltEnvironment | None:
        """Return a complete environment and record its use; None if there is none."""
        record = self._ready / fingerprint / "environment.json"
        try:
            content = json.loads(record.read_bytes())
            os.utime(record)
            return BuiltEnvironment(
                record.parent / "site", dict(content["versions"]), float(content["seconds"])
            )
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, KeyError, TypeError):  # the record is damaged: build it again
            return None

    def lock(self, fingerprint: str) -> AbstractAsyncContextManager[int]:
        """Return a context manager that lets one process at a time build an environment.

        It yields the lock's descriptor; see `_locks.exclusive_lock`.
        """
        for folder in (self._ready, self._building, self._locks):
            folder.mkdir(parents=True, exist_ok=True)
        return exclusive_lock(self._locks / f"{fingerprint}.build")

    def begin(self, fingerprint: str) -> Path:
        """Return an empty folder to build in. The caller must have the lock for the build.

        Removes what killed builders of the same environment have left.
        """
        self._sweep(fingerprint)
        return Path(mkdtemp(prefix=f"{fingerprint}-", dir=self._building))

    def finish(self, folder: Path, spec: EnvSpec, seconds: float) -> BuiltEnvironment:
        """Turn a folder into an environment by renaming it."""
        site = folder / "site"
        versions = {
            canonical_name(one.name): one.version for one in distributions(path=[str(site)])
        }
        record = {"spec": json.loads(spec.to_json()), "versions": versions, "seconds": seconds}
        (folder / "environment.json").write_text(json.dumps(record, indent=2), encoding="utf-8")
        shutil.rmtree(folder / "tmp", ignore_errors=True)
        folder.chmod(0o755)  # a sandbox may run as another user
        final = self._ready / spec.fingerprint
        if final.exists():  # its record is damaged
            self._retire(final)
        folder.rename(final)
        return BuiltEnvironment(final / "site", versions, seconds)

    def discard(self, folder: Path) -> None:
        """Remove a folder that `begin` returned, if it still exists."""
        shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def use(self, fingerprint: str) -> Generator[None]:
        """Prevent the pruning of an environment until the block ends.

        Raises:
            SandboxLostError: it was pruned before.
        """
        with self._uses.lock(self._locks / f"{fingerprint}.use"):
            if self.find(fingerprint) is None:
                raise SandboxLostError(
                    f"the environment {fingerprint[:12]} was pruned; resolve again"
                )
            yield

    def prune(self, keep_days: float) -> tuple[str, ...]:
        """Remove environments that are unused and not in use, and abandoned builds.

        Args:
            keep_days: Remove what was not used for more than this number of days.

        Returns:
            The fingerprints of the removed environments, sorted.
        """
        oldest = time.time() - keep_days * _DAY
        removed = [one.name for one in _folders(self._ready) if self._prune(one, oldest)]
        for fingerprint in {one.name.partition("-")[0] for one in _folders(self._building)}:
            with try_exclusive_lock(self._locks / f"{fingerprint}.build") as lock:
                if lock is not None:
                    self._sweep(fingerprint)
        return tuple(sorted(removed))

    def _prune(self, folder: Path, oldest: float) -> bool:
        with try_exclusive_lock(self._locks / f"{folder.name}.use") as lock:
            if lock is None:
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
        """Move a folder out of `ready` in one step, since removing its files takes many."""
        place = Path(mkdtemp(prefix=f"{folder.name}-", dir=self._building))
        folder.rename(place / "old")
        return place

    def _sweep(self, fingerprint: str) -> None:
        for folder in _folders(self._building):
            if folder.name.startswith(f"{fingerprint}-"):
                self.discard(folder)


def _folders(parent: Path) -> list[Path]:
    return sorted(parent.iterdir()) if parent.is_dir() else []

"""The directory of one run, and the environment that points into it."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from planish.guest.protocol import removal

__all__ = ["Place"]

# Where POSIX systems keep their commands; the interpreter's own folder goes before these.
_PATH = "/usr/local/bin:/usr/bin:/bin"


class Place:
    """A fresh directory, for one run.

    Attributes:
        root: Holds the three below; no other files.
        work: Where the program starts.
        home: Its HOME.
        tmp: Its TMPDIR.
    """

    def __init__(self, directory: str | None) -> None:
        """Make it.

        Raises:
            OSError: the system refuses.
        """
        self.root = tempfile.mkdtemp(prefix="planish-", dir=directory)
        self.work, self.home, self.tmp = (f"{self.root}/{n}" for n in ("work", "home", "tmp"))
        try:
            for folder in (self.work, self.home, self.tmp):
                Path(folder).mkdir(mode=0o700)
        except BaseException:
            self.discard()
            raise

    def environment(self, interpreter: str) -> dict[str, str]:
        """Return the variables that every program gets."""
        return {
            "PATH": f"{Path(interpreter).parent}:{_PATH}",
            "HOME": self.home,
            "TMPDIR": self.tmp,
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
        }

    def discard(self) -> None:
        """Remove it before anything was put in; works also when no descriptor is to be had."""
        for folder in (self.work, self.home, self.tmp, self.root):
            with suppress(OSError):
                Path(folder).rmdir()

    def exists(self) -> bool:
        """Return whether it still has to be removed."""
        return os.path.lexists(self.root)

    def remove(self) -> bool:
        """Remove it and all in it. Whether it is gone."""
        return removal.remove(self.root)

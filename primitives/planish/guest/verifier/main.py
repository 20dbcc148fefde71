"""Loads the verifier and starts it: the beginning of the file that the sandbox runs.

The host adds a line that calls `run` with the kind of tests. `_planish.bin` holds the modules
beside this one as the host compiled them, and as source for a Python that is not the host's: to
compile them takes 20 ms. They are loaded with a copy of the builtins, so that a candidate that
replaces some does not change them, and they are not in `sys.modules`.

A sandbox may have called `Bundle.load_ahead` before it knew the program. Then it leaves the
bundle as `__bundle__` among the names of this file, and no `_planish.bin` is written.
"""

import builtins
import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

__all__ = ["Bundle", "run"]

_LATER = ("_blake2", "_ctypes", "select")  # what the modules import when they are used


class Bundle:
    """Modules that load one another.

    Args:
        blob: As the host packed them: see `planish.verification._bundle`.
    """

    def __init__(self, blob: bytes) -> None:
        version, compiled, sources, self._modes, self._ahead = marshal.loads(blob)  # noqa: S302  # the host wrote it
        self._codes: dict[str, bytes] = compiled if version == sys.version else _compiled(sources)
        self._there = set(self._codes)
        self._loaded: dict[str, ModuleType] = {}
        self._import = builtins.__import__
        self._make: Any = type(builtins)
        self._private = {**vars(builtins), "__import__": self._bring}

    def load_ahead(self) -> None:
        """Load now what most programs need."""
        for name in self._ahead:
            self.load(name)
        for name in _LATER:
            try:
                self._import(name)
            except ImportError:  # a Python that is built otherwise
                continue

    def choose(self, mode: str) -> None:
        """Have the modules of one kind of tests only: to the others, no import succeeds."""
        self._there = set(self._modes[mode])

    def load(self, name: str) -> "Any":
        """Return the module of that name, loaded when it is first wanted.

        Raises:
            ImportError: the bundle, or its part that was chosen, has none.
        """
        if name not in self._there:
            raise ImportError(f"{name} is not in this bundle")
        if name not in self._loaded:
            module: ModuleType = self._make(name)
            self._loaded[name] = module
            vars(module)["__builtins__"] = self._private
            exec(marshal.loads(self._codes[name]), vars(module))  # noqa: S102, S302  # this is the import
        return self._loaded[name]

    def _bring(
        self,
        name: str,
        names: "Any" = None,
        places: "Any" = None,
        wanted: "Sequence[str]" = (),
        level: int = 0,
    ) -> "Any":
        if not level:
            return self._import(name, names, places, wanted, level)
        if name:
            return self.load(name)
        package: Any = self._make("")  # `from . import one`
        for one in wanted:
            setattr(package, one, self.load(one))
        return package


def run(mode: str) -> None:
    """Verify as the plan says, with the modules of one kind of tests; ends the process."""
    bundle: Bundle | None = globals().pop("__bundle__", None)
    if bundle is None:
        with open("_planish.bin", "rb") as file:  # noqa: PTH123  # pathlib costs 10 ms
            bundle = Bundle(file.read())
    bundle.choose(mode)
    bundle.load("start").start()


def _compiled(packed: bytes) -> "dict[str, bytes]":
    import zlib  # noqa: PLC0415  # only for a Python that is not the host's

    sources = marshal.loads(zlib.decompress(packed))  # noqa: S302
    return {
        name: marshal.dumps(compile(source, f"<planish>/{name}.py", "exec", dont_inherit=True))
        for name, source in sources.items()
    }

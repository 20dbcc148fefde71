"""Load the verifier's modules from the one piece of data in which the host sends them.

The data holds the modules beside this one as the host compiled them, and as source for a Python
that is not the host's, because to compile them takes 20 ms. They are loaded with a copy of the
builtins, so that a candidate that replaces some does not change them, and they are not in
`sys.modules`. `program.py` is what a sandbox runs; it loads this module, unless the sandbox has
called `Bundle.load_ahead` before it knew the program.
"""

import builtins
import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any

__all__ = ["Bundle"]

# What the modules import when they are used; the last, for themselves alone: programs see no more
# in `sys.modules` than the others, of which most names are private.
_LATER = ("_blake2", "_ctypes", "_signal", "select")
_FOR_THEMSELVES = "faulthandler"


class Bundle:
    """Modules that load one another.

    Args:
        packed: As the host packed them: see `planish.verification._bundle`.

    Attributes:
        mains: The files that a sandbox may run to verify, compiled, by their content; none until
            `load_ahead`.
    """

    def __init__(self, packed: bytes) -> None:
        facts = marshal.loads(packed)  # noqa: S302  # the host wrote it
        _, version, compiled, sources, self._modes, self._ahead, self._files = facts
        self.mains: dict[bytes, CodeType] = {}
        self._codes: dict[str, bytes] = compiled if version == sys.version else _compiled(sources)
        self._there = set(self._codes)
        self._loaded: dict[str, ModuleType] = {}
        self._kept: dict[str, ModuleType] = {}  # modules of Python's that are not in `sys.modules`
        self._import = builtins.__import__
        self._make: Any = type(builtins)
        self._private = {**vars(builtins), "__import__": self._bring}

    def load_ahead(self) -> None:
        """Load now what most programs need, and compile what they run."""
        for file in self._files:
            self.mains[file] = compile(file, "_planish.py", "exec", dont_inherit=True)
        for name in (*_LATER, _FOR_THEMSELVES):
            new = name not in sys.modules
            try:
                module = self._import(name)
            except ImportError:  # a Python that is built otherwise
                continue
            if new and name == _FOR_THEMSELVES:
                self._kept[name] = sys.modules.pop(name, module)
        for name in self._ahead:
            self.load(name)
        self.load("warm_up").warm_up([*self._loaded.values()])
        del self._loaded["warm_up"]

    def run(self, mode: str) -> None:
        """Verify with the modules of one kind of tests only, and end the process.

        Args:
            mode: The kind of tests. An import of a module that it does not have fails.
        """
        self._there = set(self._modes[mode])
        self.load("start").start()

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
            kept = self._kept.get(name)
            return self._import(name, names, places, wanted, level) if kept is None else kept
        if name:
            return self.load(name)
        package: Any = self._make("")  # `from . import one`
        for one in wanted:
            setattr(package, one, self.load(one))
        return package


def _compiled(packed: bytes) -> "dict[str, bytes]":
    import zlib  # noqa: PLC0415  # only for a Python that is not the host's

    sources = marshal.loads(zlib.decompress(packed))  # noqa: S302
    return {
        name: marshal.dumps(compile(source, f"<planish>/{name}.py", "exec", dont_inherit=True))
        for name, source in sources.items()
    }

"""Loads the harness and starts it: the file the sandbox runs.

`_planish.bin` holds the modules beside this one as the host compiled them, and as source for
a Python that is not the host's: to compile them takes 20 ms. They are loaded with a copy of the
builtins, so that a candidate that replaces some does not change them, and they are not in
`sys.modules`. Each is loaded where it is needed, on one side or on both.
"""

import builtins
import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any

__all__ = ["modules"]


def modules(blob: bytes) -> "Callable[[str], Any]":
    """The modules of a bundle by name, each loaded when it is first asked for."""
    version, compiled, sources = marshal.loads(blob)  # noqa: S302  # the host wrote it
    codes: dict[str, bytes] = compiled if version == sys.version else _compiled(sources)
    loaded: dict[str, ModuleType] = {}
    real = builtins.__import__

    def load(name: str) -> "ModuleType":
        if name not in loaded:
            if name not in codes:
                raise ImportError(f"{name} is not in this bundle")
            module: ModuleType = make(name)
            loaded[name] = module
            vars(module)["__builtins__"] = private
            exec(marshal.loads(codes[name]), vars(module))  # noqa: S102, S302  # this is the import
        return loaded[name]

    def bring(
        name: str,
        names: "Any" = None,
        places: "Any" = None,
        wanted: "Sequence[str]" = (),
        level: int = 0,
    ) -> "Any":
        if not level:
            return real(name, names, places, wanted, level)
        if name:
            return load(name)
        package: Any = make("")  # `from . import one`
        for one in wanted:
            setattr(package, one, load(one))
        return package

    kind_of: Any = type
    make: Any = kind_of(builtins)
    private = {**vars(builtins), "__import__": bring}
    return load


def _compiled(packed: bytes) -> "dict[str, bytes]":
    import zlib  # noqa: PLC0415  # only for a Python that is not the host's

    sources = marshal.loads(zlib.decompress(packed))  # noqa: S302
    return {
        name: marshal.dumps(compile(source, f"<planish>/{name}.py", "exec", dont_inherit=True))
        for name, source in sources.items()
    }


if __name__ == "__main__":
    with open("_planish.bin", "rb") as _file:  # noqa: PTH123  # pathlib costs 10 ms
        _blob = _file.read()
    modules(_blob)("start").start()

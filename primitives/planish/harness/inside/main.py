"""Loads the harness and starts it: the file the sandbox runs.

`_planish.bin` holds the modules beside this one as the host compiled them, and as source for
a Python that is not the host's: to compile them takes 20 ms. They are loaded with a copy of the
builtins, so that a candidate that replaces some does not change them, and they are not in
`sys.modules`.
"""

import builtins
import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

__all__ = ["modules"]


def modules(blob: bytes) -> "dict[str, Any]":
    """The modules of a bundle, loaded, by name."""
    version, compiled, sources = marshal.loads(blob)  # noqa: S302  # the host wrote it
    codes: dict[str, Any] = (
        marshal.loads(compiled) if version == sys.version else _compiled(sources)  # noqa: S302
    )
    loaded: dict[str, ModuleType] = {}
    real = builtins.__import__

    def bring(
        name: str,
        names: "Any" = None,
        places: "Any" = None,
        wanted: "Sequence[str]" = (),
        level: int = 0,
    ) -> "Any":
        return loaded[name] if level else real(name, names, places, wanted, level)

    private = {**vars(builtins), "__import__": bring}
    for name, code in codes.items():
        module: ModuleType = type(sys)(name)
        loaded[name] = module
        vars(module)["__builtins__"] = private
        exec(code, vars(module))  # noqa: S102  # this is the import
    return loaded


def _compiled(packed: bytes) -> "dict[str, Any]":
    import zlib  # noqa: PLC0415  # only for a Python that is not the host's

    sources = marshal.loads(zlib.decompress(packed))  # noqa: S302
    return {
        name: compile(source, f"<planish>/{name}.py", "exec", dont_inherit=True)
        for name, source in sources.items()
    }


if __name__ == "__main__":
    with open("_planish.bin", "rb") as _file:  # noqa: PTH123  # pathlib costs 10 ms
        _blob = _file.read()
    modules(_blob)["start"].start()

"""Load modules once, in the template process, for all programs that are forked from it.

A program's own module wins over one that is loaded and has its name: `drop_shadowed`. What only a
verdict needs is loaded when the host sends it: see `verifier/main.py`.
"""

import gc
import os
import sys

from ..verifier.main import Bundle  # noqa: TID252  # beside us, in both interpreters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "bundle",
    "drop_shadowed",
    "freeze",
    "has_verifier",
    "load",
    "load_pytest",
    "load_verifier",
]

# CPython's `python -X importtime`.
_ALWAYS_LOADED = frozenset(sys.builtin_module_names) | {
    *("__main__", "_collections_abc", "_sitebuiltins", "abc", "codecs", "encodings"),
    *("genericpath", "io", "os", "posixpath", "site", "stat", "zipimport"),
}
# What nearly every program imports, and what the interpreter itself imports when it has to
# (a traceback, a random seed). Each module more makes every fork and every end a little slower.
_COMMON = """
    bisect collections contextlib copy dataclasses datetime enum functools heapq itertools json
    linecache math operator random re signal string threading time tokenize traceback types typing
    warnings
"""

_MODULES = (".py", ".pyc", ".so")  # a pytest.ini is no module
_preloaded: "set[str]" = set()  # what a fresh interpreter would not have loaded yet
_bundle: "list[Bundle]" = []


def load(names: "Iterable[str]") -> None:
    """Import what nearly every program imports, and these modules."""
    for name in (*_COMMON.split(), *names):
        __import__(name)


def load_pytest() -> None:
    """Import pytest with the plugins that it always loads; do nothing where it is not installed."""
    try:
        from _pytest.config import default_plugins  # noqa: PLC0415  # few templates need it

        for name in ("pytest", *(f"_pytest.{name}" for name in default_plugins)):
            __import__(name)
    except ImportError:
        return  # the verifier imports what is there, and says what is not


def freeze() -> None:
    """Note what is loaded, and keep the garbage collector of each fork from its pages."""
    _preloaded.update(name for name in {*sys.modules} - _ALWAYS_LOADED if "." not in name)
    gc.collect()
    gc.freeze()


def load_verifier(file: int) -> None:
    """Load the verifier's modules from an open file, and close it; later forks have them."""
    try:
        made = Bundle(os.pread(file, os.fstat(file).st_size, 0))
    finally:
        os.close(file)
    made.load_ahead()
    _bundle[:] = [made]
    freeze()


def has_verifier() -> bool:
    """Return whether the verifier's modules are loaded."""
    return bool(_bundle)


def bundle() -> Bundle:
    """Return the verifier's modules, for the one program of this process."""
    return _bundle[0]


def drop_shadowed(folder: str) -> None:
    """Drop the loaded modules that have the name of a program's own module.

    Args:
        folder: Where the program's main file is, and what it imports from first.
    """
    names = [name for name in os.listdir(folder) if "." not in name or name.endswith(_MODULES)]  # noqa: PTH208
    own = {name.partition(".")[0] for name in names} & _preloaded
    if own:
        for name in [name for name in sys.modules if name.partition(".")[0] in own]:
            del sys.modules[name]

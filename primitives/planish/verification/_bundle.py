"""Pack the verifier's modules as data, to be loaded in the sandbox by its `main.py`."""

import __future__

import ast
import marshal
import sys
import zlib
from functools import cache
from types import CodeType

from planish.compiling import without_warnings
from planish.guest.protocol import source

__all__ = ["bundle", "checker", "loader"]


_ALWAYS = (
    *("place", "bounds", "channel", "guard", "sources", "render", "failure"),
    *("namespace", "load", "script", "far", "watch"),
)
_PARTED = (
    *(
        "apart",
        "judge",
        "serve",
        "harden",
        "pipe",
        "clock",
        "peer",
        "link",
        "wire",
        "sets",
        "views",
        "book",
    ),
    *("kinds", "stand_ins", "classes", "proxy", "special", "operations", "errors", "truth"),
    *("coroutines", "served", "shared", "parts", "arrays", "evidence", "packages"),
    *("show", "instrument", "record"),
)
_TESTS = {
    "script": (),
    "cases": (*_PARTED, "compare", "cases"),
    "checks": (*_PARTED, "checks", "collected", "result"),
    "pytest": (*_PARTED, "pytests", "frozen"),
}
_APART = ("apart", "judge", "serve", "harden", "clock")  # what parts two processes
_MARSHAL = 2  # the version of the format that every Python 3 reads


@cache
def loader() -> bytes:
    """The file to run in the sandbox."""
    return _source("main").encode()


@cache
def checker() -> bytes:
    """Return the program that runs a user's checker on outputs."""
    return _source("checker").encode()


@cache
def bundle(mode: str, *, together: bool = False) -> bytes:
    """The modules that one way of testing needs.

    Args:
        mode: "script", "checks", "cases" or "pytest".
        together: The tests run in the candidate's process.
    """
    own = [name for name in _TESTS[mode] if name not in _APART] + ["together"]
    names = (*_ALWAYS, *(own if together else _TESTS[mode]), "start")
    sources = {name: _source(name) for name in names}
    with without_warnings():
        compiled = {
            name: marshal.dumps(_compiled(name, source), _MARSHAL)
            for name, source in sources.items()
        }
    packed = zlib.compress(marshal.dumps(sources, _MARSHAL), 9)
    return marshal.dumps((sys.version, compiled, packed), _MARSHAL)


def _compiled(name: str, source: str) -> CodeType:
    """Without docstrings, and without loading the module `__future__` for what it says."""
    tree = ast.parse(source)
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
    ]
    flag = __future__.annotations.compiler_flag
    file = f"<planish>/{name}.py"
    code: CodeType = compile(tree, file, "exec", flag, dont_inherit=True, optimize=2)
    return code


def _source(name: str) -> str:

    return source(f"verifier/{name}").decode()

"""The verifier's modules, packed as data that its `main.py` loads in the sandbox."""

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


_COMMON = (
    *("place", "bounds", "channel", "guard", "sources", "render", "failure"),
    *("namespace", "load", "script", "far", "watch"),
)
_TWO_PROCESSES = (
    *("apart", "judge", "serve", "harden", "pipe", "clock", "peer", "link", "wire"),
    *("sets", "views", "book"),
    *("kinds", "stand_ins", "classes", "proxy", "special", "operations", "errors", "truth"),
    *("coroutines", "served", "shared", "parts", "arrays", "evidence", "packages"),
    *("show", "instrument", "record"),
)
_MODULES = {
    "script": (),
    "cases": (*_TWO_PROCESSES, "compare", "cases"),
    "checks": (*_TWO_PROCESSES, "checks", "collected", "result"),
    "pytest": (*_TWO_PROCESSES, "pytests", "frozen"),
}
_SEPARATION = ("apart", "judge", "serve", "harden", "clock")  # not needed in a shared process
_MARSHAL = 2  # a version of the format that every Python 3 reads


@cache
def loader() -> bytes:
    """Return the file that the sandbox runs: it loads the bundle."""
    return _source("main").encode()


@cache
def checker() -> bytes:
    """Return the program that runs a user's checker on outputs."""
    return _source("checker").encode()


@cache
def bundle(mode: str, *, shared_process: bool = False) -> bytes:
    """Return the modules that one kind of tests needs, compiled and as source.

    Args:
        mode: "script", "checks", "cases" or "pytest".
        shared_process: True if the tests run in the candidate's process.
    """
    shared = [name for name in _MODULES[mode] if name not in _SEPARATION] + ["together"]
    names = (*_COMMON, *(shared if shared_process else _MODULES[mode]), "start")
    sources = {name: _source(name) for name in names}
    with without_warnings():
        compiled = {
            name: marshal.dumps(_compiled(name, source), _MARSHAL)
            for name, source in sources.items()
        }
    packed = zlib.compress(marshal.dumps(sources, _MARSHAL), 9)
    return marshal.dumps((sys.version, compiled, packed), _MARSHAL)


def _compiled(name: str, source: str) -> CodeType:
    """Compile a module without docstrings.

    A flag replaces its `__future__` import, so that the sandbox need not load that module.
    """
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

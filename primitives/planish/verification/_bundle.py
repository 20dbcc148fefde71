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

__all__ = ["MARSHAL_VERSION", "PYTEST_INI", "VERIFIER", "checker", "loader", "verifier_bundle"]

VERIFIER = "_planish.bin"
"""The file of a program that has `verifier_bundle()`: the loader reads it."""

PYTEST_INI = "pytest.ini"
"""The file of a program that runs pytest: pytest's search for its configuration stops there."""

MARSHAL_VERSION = 2
"""The version of the marshal format that every Python 3 reads."""

_COMMON = (
    *("place", "bounds", "channel", "guard", "sources", "render", "failure"),
    *("namespace", "watch"),
)
_TWO_PROCESSES = (
    *("fork_candidate", "judge", "serve", "harden", "pipe", "clock", "link", "writer", "reader"),
    "waiting",
    *("rpc_endpoint", "object_table", "remote_objects", "type_codecs", "plain_values"),
    "table_layout",
    *("sets", "arrays", "classes", "special_methods", "proxy", "operations", "errors"),
    *("replacements", "library_values"),
    *("bodies", "untrusted_equality", "coroutines", "candidate_module", "shared", "evidence"),
    *("conditions", "packages", "substitutes", "show", "instrument", "record"),
)
_OWN = {
    "script": (),
    "cases": ("compare", "cases", "inputs", "frozen"),
    "checks": ("checks", "compiled_tests", "collected", "result", "inputs", "frozen"),
    "pytest": ("pytests", "inputs", "frozen"),
}
_SEPARATION = (
    "fork_candidate",
    "judge",
    "serve",
    "harden",
    "clock",
    "waiting",
)  # not needed in a shared process
# What nearly every verdict needs. `result` is not among it: it imports unittest.
_AHEAD = (
    *_COMMON,
    *_TWO_PROCESSES,
    "compare",
    "cases",
    "checks",
    "compiled_tests",
    "collected",
    "start",
    "warm_up",
)
_SHARED = " in the candidate's process"


@cache
def loader(mode: str, *, shared_process: bool = False) -> bytes:
    """Return the file that the sandbox runs: it loads the bundle and verifies.

    Args:
        mode: "script", "checks", "cases" or "pytest".
        shared_process: True if the tests run in the candidate's process.
    """
    return _loader(mode + _SHARED * shared_process)


def _loader(mode: str) -> bytes:
    return f"{_source('program')}\n\nglobals().pop('__bundle__').run({mode!r})\n".encode()


@cache
def checker() -> bytes:
    """Return the program that runs a user's checker on outputs."""
    return _source("checker").encode()


@cache
def verifier_bundle() -> bytes:
    """Return the verifier's modules, compiled and as source.

    All programs have the same, so that a sandbox can load it once for many of them.
    """
    modes = {mode: _names(mode) for mode in _OWN}
    for mode in ("checks", "pytest"):
        modes[mode + _SHARED] = _names(mode, shared_process=True)
    wanted = {*_AHEAD, *(name for names in modes.values() for name in names)}
    sources = {name: _source(name) for name in sorted(wanted)}
    with without_warnings():
        compiled = {
            # Only this version of Python reads them; older formats lack constants of Python 3.14.
            name: marshal.dumps(_compiled(name, source))
            for name, source in sources.items()
        }
    packed = zlib.compress(marshal.dumps(sources, MARSHAL_VERSION), 9)
    files = tuple(_loader(mode) for mode in modes)
    facts = (_source("main"), sys.version, compiled, packed, modes, _AHEAD, files)
    return marshal.dumps(facts, MARSHAL_VERSION)


def _names(mode: str, *, shared_process: bool = False) -> tuple[str, ...]:
    """Return the modules that one kind of tests needs."""
    two = () if mode == "script" else _TWO_PROCESSES
    names = (*two, *_OWN[mode])
    if shared_process:
        names = (*(name for name in names if name not in _SEPARATION), "shared_process")
    return (*_COMMON, *names, "start")


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

"""The harness as data: compiled here, to be loaded in the sandbox by `inside/main.py`."""

import marshal
import sys
from functools import cache
from importlib.resources import files

__all__ = ["bundle", "loader"]

_ALWAYS = (
    *("place", "bounds", "channel", "guard", "sources", "render", "failure"),
    *("namespace", "load", "script"),
)
_TESTS = {
    "script": (),
    "cases": ("show", "instrument", "record", "cases"),
    "checks": ("show", "instrument", "record", "checks", "collected"),
    "pytest": ("show", "instrument", "record", "pytests"),
}
_MARSHAL = 2  # the version of the format that every Python 3 reads


@cache
def loader() -> bytes:
    """The file to run in the sandbox."""
    return _source("main").encode()


@cache
def bundle(mode: str) -> bytes:
    """The modules that one way of testing needs, in the order in which they are loaded.

    Args:
        mode: "script", "checks", "cases" or "pytest".
    """
    names = (*_ALWAYS, *_TESTS[mode], "start")
    sources = {name: _source(name) for name in names}
    compiled = {
        name: compile(source, f"<planish>/{name}.py", "exec", dont_inherit=True)
        for name, source in sources.items()
    }
    return marshal.dumps((sys.version, marshal.dumps(compiled), sources), _MARSHAL)


def _source(name: str) -> str:
    return files(__package__).joinpath("inside", f"{name}.py").read_text(encoding="utf-8")

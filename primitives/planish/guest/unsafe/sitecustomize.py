"""Turn a starting interpreter into two: the supervisor, and the program that it watches.

The host starts `python -s main.py` with this folder first on PYTHONPATH. The interpreter
imports `sitecustomize` when it is ready to run and before it looks at `main.py`. Here it
forks: the parent becomes the supervisor and never comes back, the child goes on to run
`main.py`. So the program runs as CPython itself runs a file (`__main__`, `sys.path`,
tracebacks, exit codes, `atexit`, threads), one interpreter start pays for both, and
nothing of the supervisor is on the program's stack.
"""

import os
import sys

_HERE = os.path.dirname(__file__)  # noqa: PTH120  # pathlib costs milliseconds at every start
_GUEST = os.path.dirname(_HERE)  # noqa: PTH120

# A package of the folder above, under a name that no program uses.
_package = type(sys)("planish_guest")
_package.__path__ = [_GUEST]
sys.modules["planish_guest"] = _package
__import__("planish_guest.supervisor.plain")
sys.modules["planish_guest.supervisor.plain"].main()

# From here on this is the program's process. Leave no trace, then give way to the
# interpreter's own sitecustomize; `site` expects an ImportError where there is none.
sys.path.remove(_HERE)
for _path, _finder in [*sys.path_importer_cache.items()]:
    if _finder is None or _path.startswith(_GUEST):  # None: was not there yet; it may be now
        del sys.path_importer_cache[_path]
for _name in [*sys.modules]:
    if _name == "sitecustomize" or _name.partition(".")[0] == "planish_guest":
        del sys.modules[_name]
__import__("sitecustomize")

"""Turn a starting interpreter into two: the warden, and the program it watches.

The host starts `python -s main.py` with this folder first on PYTHONPATH. The interpreter
imports `sitecustomize` when it is ready to run and before it looks at `main.py`. Here it
forks: the parent becomes the warden and never comes back, the child goes on to run
`main.py`. So the program runs as CPython itself runs a file (`__main__`, `sys.path`,
tracebacks, exit codes, `atexit`, threads), one interpreter start pays for both, and
nothing of the warden is on the program's stack.
"""

import os
import sys

__import__("planish_warden").main()  # by name: a sibling on the path, not in a package

# From here on this is the program's process. Leave no trace, then give way to the
# interpreter's own sitecustomize; `site` expects an ImportError where there is none.
_HERE = os.path.dirname(__file__)  # noqa: PTH120  # pathlib costs milliseconds at every start
sys.path.remove(_HERE)
for _path, _finder in [*sys.path_importer_cache.items()]:
    if _finder is None or _path.startswith(_HERE):  # None: was not there yet; it may be now
        del sys.path_importer_cache[_path]
for _name in [*sys.modules]:
    if _name == "sitecustomize" or _name.partition(".")[0] == "planish_warden":
        del sys.modules[_name]
__import__("sitecustomize")

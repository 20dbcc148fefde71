"""The first module of the zygote's interpreter, and the frame that programs run in.

The zygote forks from deep inside `main`; only the process that is to be a program comes back
here, with nothing of ours on the stack but this module.
"""

import sys
from importlib import import_module

# A package of the folder above, under a name that no program uses.
_guest = type(sys)("planish_guest")
_guest.__path__ = [sys.path[0].rpartition("/")[0]]
sys.modules["planish_guest"] = _guest
main = import_module("planish_guest.zygote._main").main
python = import_module("planish_guest.zygote._python")

program = main()
ended_by = None
try:
    exec(program.code, program.names)  # noqa: S102  # this is what it is all for
except BaseException as error:  # noqa: BLE001  # as CPython does at the end of `python main.py`
    ended_by = error
# No exception is being handled here: what is raised from now on has no other behind it.
python.end(0 if ended_by is None else python.failed(ended_by), program)

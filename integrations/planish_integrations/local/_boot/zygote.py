"""The first module of the zygote's interpreter, and the frame that programs run in.

The zygote forks from deep inside `main`; only the process that is to be a program comes back
here, with nothing of ours on the stack but this module.
"""

import sys
from importlib import import_module

# `_boot` is a package in the folder of this one's folder, for the host and in here alike.
sys.path[0] = sys.path[0].rpartition("/")[0]
main = import_module("_boot.planish_zygote._main").main
python = import_module("_boot.planish_zygote._python")

program = main()
ended_by = None
try:
    exec(program.code, program.names)  # noqa: S102  # this is what it is all for
except BaseException as error:  # noqa: BLE001  # as CPython does at the end of `python main.py`
    ended_by = error
# No exception is being handled here: what is raised from now on has no other behind it.
python.end(0 if ended_by is None else python.failed(ended_by), program)

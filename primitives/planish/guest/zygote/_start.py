"""The first module of the template process, and the frame that programs run in.

The template process forks deep inside `main`. Only the process of a program returns here, with no
other frame of ours on its stack.
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
    exec(program.code, program.names)  # noqa: S102  # the program
except BaseException as error:  # noqa: BLE001  # as CPython does at the end of `python main.py`
    ended_by = error
# No exception is being handled here: what is raised from now on has no other behind it.
python.end(0 if ended_by is None else python.report_exception(ended_by), program)

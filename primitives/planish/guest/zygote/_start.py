"""Start the template process, and run a program in each of its forks.

It is executed as a text, in the folder of the guest, so that its frame has no path. The template
process forks deep inside `main`. Only the process of a program returns here, with no other frame
of ours on its stack.
"""

import posix
import sys

del sys.path[0]  # the current folder
from importlib import import_module  # noqa: E402

# A package of this folder, under a name that no program uses.
_guest = type(sys)("planish_guest")
_guest.__path__ = [posix.getcwd()]
posix.chdir("/")
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

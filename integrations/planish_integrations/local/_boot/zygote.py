"""The first module of the zygote's interpreter, and the frame that programs run in.

The zygote forks from deep inside `main`; only the process that is to be a program comes back
here, with nothing of ours on the stack but this module.
"""

import sys

# `_boot` is a package in the folder of this one's folder, for the host and in here alike.
sys.path[0] = sys.path[0].rpartition("/")[0]
from _boot.planish_zygote._main import main  # noqa: E402  # not before its path is set
from _boot.planish_zygote._python import end, failed  # noqa: E402

program = main()
try:
    exec(program.code, program.names)  # noqa: S102  # this is what it is all for
except BaseException as error:  # noqa: BLE001  # as CPython does at the end of `python main.py`
    end(failed(error), program)
end(0, program)

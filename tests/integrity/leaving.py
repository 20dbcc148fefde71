"""Ending before the tests can fail."""

from tests.integrity.trick import Trick

__all__ = ["LEAVING"]

LEAVING = {
    "sys.exit": Trick(code="import sys; sys.exit(0)", fools="status"),
    "os._exit": Trick(code="import os; os._exit(0)", fools="status"),
    "exit in a call": Trick(
        code="import os\ndef square(n): os._exit(0)", fools="status", whole=True
    ),
    "exit in a thread": Trick(
        code=(
            "import os, threading, time\n"
            "threading.Thread(target=lambda: (time.sleep(0.1), os._exit(0))).start()"
        ),
        fools="status",
    ),
    "exit in a signal handler": Trick(
        code=(
            "import os, signal, time\nsignal.signal(signal.SIGALRM, lambda *a: os._exit(0))\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.05)\n"
            "def square(n):\n    time.sleep(1)\n    return 0"
        ),
        fools="status",
        whole=True,
    ),
    "exit at the end": Trick(
        code="import atexit, os; atexit.register(os._exit, 0)", fools="status"
    ),
    "exit while traced": Trick(
        code=(
            "import os, sys\n"
            "def trace(frame, event, arg):\n"
            "    if 'solution' not in frame.f_code.co_filename: os._exit(0)\n"
            "    return trace\n"
            "sys.settrace(trace)"
        ),
        fools="status",
    ),
    "killed": Trick(
        code="import os, signal; os.kill(os.getpid(), signal.SIGKILL)", fools="silence"
    ),
    "parent killed": Trick(
        code="import os, signal; os.kill(os.getppid(), signal.SIGKILL); os._exit(0)",
        fools="supervised",
    ),
    "parent stopped": Trick(
        code="import os, signal; os.kill(os.getppid(), signal.SIGINT); os._exit(0)",
        fools="supervised",
    ),
}

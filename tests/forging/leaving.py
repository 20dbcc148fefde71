"""Ending before the tests can fail, and skipping them."""

from tests.forging.trick import Trick

__all__ = ["LEAVING"]

_HEAP = "tests in the candidate's process"
_ENDED = "an early end counts as an end"
_SKIPPED = "a skip counts as a pass"


def _skip(code: str, naive: str = "result", kinds: tuple[str, ...] = ("unittest",)) -> Trick:
    return Trick(code=code, naive=naive, kinds=kinds, defence=_SKIPPED)


LEAVING = {
    "sys.exit": Trick(code="import sys; sys.exit(0)", defence=_ENDED),
    "os._exit": Trick(code="import os; os._exit(0)", defence=_ENDED),
    "exit in a call": Trick(code="import os\ndef square(x): os._exit(0)\n", defence=_ENDED),
    "SystemExit in a call": Trick(
        code="def square(x): raise SystemExit(0)\n",
        naive="ended",
        defence=_ENDED,
        kinds=("checks", "cases", "unittest", "pytest"),
    ),
    "exit in a thread": Trick(
        code=(
            "import os, threading, time\n"
            "threading.Thread(target=lambda: (time.sleep(0.1), os._exit(0))).start()\n"
            "def square(x):\n    time.sleep(1)\n    return 0\n"
        ),
        defence=_ENDED,
    ),
    "exit in a signal handler": Trick(
        code=(
            "import os, signal, time\nsignal.signal(signal.SIGALRM, lambda *a: os._exit(0))\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.05)\n"
            "def square(x):\n    time.sleep(1)\n    return 0\n"
        ),
        defence=_ENDED,
    ),
    "exit at the end": Trick(
        code="import atexit, os; atexit.register(os._exit, 0)",
        defence=_ENDED,
        kinds=("checks", "script"),
    ),
    "exit while traced": Trick(
        code=(
            "import os, sys\n"
            "def trace(frame, event, arg):\n"
            "    if 'solution' not in frame.f_code.co_filename: os._exit(0)\n"
            "    return trace\n"
            "sys.settrace(trace)"
        ),
        defence=_ENDED,
    ),
    "exit when it is compared": Trick(
        code=(
            "import os\n"
            "class V:\n    def __eq__(self, other): os._exit(0)\n"
            "def square(x): return V()\n"
        ),
        defence=_ENDED,
    ),
    "another program in its place": Trick(
        code="import os\nos.execv('/bin/true', ['true'])\n", defence=_ENDED
    ),
    "exit hook that clears the status": Trick(
        code=(
            "import os, sys\n"
            "sys.excepthook = lambda *a: os._exit(0)\n"
            "class E(BaseException): pass\n"
            "def square(x): raise E\n"
            "import threading\n"
            "threading.excepthook = sys.unraisablehook = sys.excepthook\n"
            "import builtins; builtins.BaseException = KeyError\n"
        ),
        kinds=("checks", "script"),
        naive="status",
        defence=_ENDED,
    ),
    "main guard that exits": Trick(
        code=(
            "import os, sys\n"
            "def square(x): return 0\n"
            "if __name__ in ('__main__', 'solution'):\n    print('3 passed'); os._exit(0)\n"
        ),
        kinds=("script", "checks"),
        defence=_ENDED,
    ),
    "SkipTest in a call": _skip("import unittest\ndef square(x): raise unittest.SkipTest('x')\n"),
    "SkipTest when it is loaded": _skip(
        "import unittest\nraise unittest.SkipTest('later')\n", naive="discovered"
    ),
    "end without a result": _skip(
        "import unittest.case\ndef square(x): raise unittest.case._ShouldStop\n"
    ),
    "class with the name of a skip": _skip(
        "import unittest\n"
        "class SkipTest(unittest.SkipTest): pass\n"
        "class Skipped(SkipTest): pass\n"
        "def square(x): raise Skipped('x')\n"
    ),
    "pytest.skip in a call": Trick(
        code="import pytest\ndef square(x): pytest.skip('x')\n",
        kinds=("pytest",),
        naive="pytest",
        defence=_SKIPPED,
    ),
    "pytest.skip of the whole module": Trick(
        code=("import pytest\npytest.skip('x', allow_module_level=True)\n"),
        kinds=("pytest",),
        naive="pytest",
        defence=_SKIPPED,
    ),
    "importorskip": Trick(
        code="import pytest\npytest.importorskip('there_is_no_such_module')\n",
        kinds=("pytest",),
        naive="pytest",
        defence=_SKIPPED,
    ),
    "pytest.xfail in a call": Trick(
        code="import pytest\ndef square(x): pytest.xfail('x')\n",
        kinds=("pytest",),
        naive="pytest",
        defence=_SKIPPED,
    ),
    "pytest.exit in a call": Trick(
        code=("import pytest\ndef square(x): pytest.exit('done', returncode=0)\n"),
        kinds=("pytest",),
        naive="pytest",
        defence=_ENDED,
    ),
    "outcome class of pytest": Trick(
        code=(
            "from _pytest.outcomes import Skipped\n"
            "class Fine(Skipped): pass\n"
            "def square(x): raise Fine('x', allow_module_level=True)\n"
        ),
        kinds=("pytest",),
        naive="pytest",
        defence=_SKIPPED,
    ),
    "quit of a debugger": Trick(
        code="import bdb\ndef square(x): raise bdb.BdbQuit\nimport os\n"
        "if os.path.exists('naive.txt'):\n"
        "    import pytest\n"
        "    def square(x): pytest.exit('x', returncode=0)\n",
        kinds=("pytest",),
        naive="pytest",
        defence=_SKIPPED,
    ),
    "stop of the session": Trick(
        code="def square(x): raise KeyboardInterrupt\nimport os\n"
        "if os.path.exists('naive.txt'):\n"
        "    import pytest\n"
        "    def square(x): pytest.exit('x', returncode=0)\n",
        kinds=("pytest", "checks", "unittest"),
        naive="pytest",
        defence=_ENDED,
    ),
    "error that failed assertions have, too": Trick(
        code="def square(x): return 0\nsquare.Wrong = (KeyError, AssertionError)\n",
        subject="or an error",
        kinds=("checks", "unittest", "pytest"),
        naive="whole",
        defence="the candidate's equality is believed",
    ),
    "exit of a stack that swallows the failure": Trick(
        code="def square(x): return 0\nsquare.leave = lambda *error: True\n",
        subject="left by its own exit",
        kinds=("checks", "unittest", "pytest"),
        naive="whole",
        defence="the candidate's equality is believed",
    ),
}

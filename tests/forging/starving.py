"""Killing, stopping or starving what judges, so that nothing is left to say no."""

from tests.forging.trick import Trick

__all__ = ["STARVING"]

_SILENT = "no word from the judge is a yes"


def _starve(code: str, naive: str = "supervised", *, subject: str = "square") -> Trick:
    return Trick(code=code, subject=subject, naive=naive, defence=_SILENT)


STARVING = {
    "killed": _starve("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "silence"),
    "segmentation fault": _starve("import ctypes; ctypes.string_at(0)", "silence"),
    "abort": _starve("import os; os.abort()", "silence"),
    "parent killed": _starve(
        "import os, signal; os.kill(os.getppid(), signal.SIGKILL); os._exit(0)"
    ),
    "parent interrupted": _starve(
        "import os, signal; os.kill(os.getppid(), signal.SIGINT); os._exit(0)"
    ),
    "parent stopped": _starve(
        "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nos._exit(0)\n",
    ),
    "process group killed": _starve(
        "import os, signal\n"
        "for target in (lambda: os.killpg(os.getpgid(0), 9), lambda: os.kill(-1, 9)):\n"
        "    try: target()\n"
        "    except OSError: pass\n"
    ),
    "signals that the judge ignores or handles": _starve(
        "import os, signal\n"
        "for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGALRM, signal.SIGPIPE):\n"
        "    try: os.kill(os.getppid(), number)\n"
        "    except OSError: pass\n"
        "os._exit(0)\n",
    ),
    "processes without an end": _starve(
        "import os, time\n"
        "for _ in range(200):\n"
        "    try:\n"
        "        if os.fork() == 0: time.sleep(60); os._exit(0)\n"
        "    except OSError: break\n"
        "def square(x): time.sleep(60)\n",
        "limited",
    ),
    "memory without an end": _starve(
        "import os\nos.path.exists('naive.txt') and os._exit(3)\n"
        "held = []\n"
        "def square(x):\n"
        "    while True: held.append(bytearray(1 << 24))\n",
        "limited",
    ),
    "output without an end": _starve(
        "import os\nos.path.exists('naive.txt') and os._exit(3)\n"
        "def square(x):\n"
        "    while True: os.write(1, b'ALL TESTS PASSED\\n' * 4096)\n",
        "limited",
    ),
    "disk filled": _starve(
        "import os\nos.path.exists('naive.txt') and os._exit(0)\n"
        "def square(x):\n"
        "    try:\n"
        "        for n in range(600): open(f'full{n}', 'wb').write(b'0' * (1 << 20))\n"
        "    except OSError: pass\n"
        "    return 0\n",
        "status",
    ),
    "descriptors used up": _starve(
        "import os\nos.path.exists('naive.txt') and os._exit(0)\n"
        "try:\n"
        "    while True: os.dup(1)\n"
        "except OSError: pass\n",
        "status",
    ),
    "descriptors closed": _starve(
        "import os\nos.path.exists('naive.txt') and os._exit(0)\nos.closerange(0, 1024)\n",
        "status",
    ),
    "never an answer": _starve(
        "import signal, time\n"
        "for n in range(1, 32):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "def square(x):\n"
        "    while True: time.sleep(60)\n",
        "limited",
    ),
    "a value without an end": _starve(
        "import itertools, os\nos.path.exists('naive.txt') and os._exit(0)\n"
        "class Long(list):\n"
        "    def __iter__(self): return itertools.count()\n"
        "    def __len__(self): return 1 << 60\n"
        "def odds(x): return Long()\n",
        "status",
        subject="odds",
    ),
    "outage instead of a verdict": _starve(
        "import glob, os, sys\nos.path.exists('naive.txt') and os._exit(0)\n"
        "for name in glob.glob('*') + glob.glob('.*'):\n"
        "    try: os.unlink(name)\n"
        "    except OSError: pass\n"
        "sys.stderr.write('Traceback: File \"_planish.py\", line 1\\n'); sys.stderr.flush()\n"
        "os._exit(1)\n",
        "status",
    ),
    "outage by a damaged folder": _starve(
        "import glob, os, shutil\nos.path.exists('naive.txt') and os._exit(0)\n"
        "for name in ('_planish.jsonl', 'results.jsonl', 'plan.json', 'plan.bin', '_planish.py', "
        "'_planish.bin'):\n"
        "    try:\n"
        "        os.path.exists(name) and os.unlink(name)\n"
        "        os.mkdir(name)\n"
        "    except OSError: pass\n"
        "try: os.mkfifo('_planish.jsonl2'); os.chmod('.', 0)\n"
        "except OSError: pass\n"
        "os._exit(1)\n",
        "status",
    ),
}

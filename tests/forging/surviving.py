"""Staying for the next run, and programs that only look as if they had run."""

from tests.forging.snippets import FORGE
from tests.forging.trick import Trick

__all__ = ["PRINTING", "SURVIVING"]

_LEFT = "what a run leaves is there for the next"
_OUTPUT = "output is searched for what is wanted"

SURVIVING = {
    "answers left in files": Trick(
        code=(
            "import glob, os, re\n"
            "places = [os.getcwd(), '/tmp', '/dev/shm', '/var/tmp', os.path.expanduser('~')]\n"
            "known = {}\n"
            "for place in places:\n"
            "    for name in glob.glob(place + '/*'):\n"
            "        try: text = open(name, errors='replace').read(99999)\n"
            "        except OSError: continue\n"
            "        if 'solution' in name: continue\n"
            "        for n, a in re.findall(r'square\\((\\d+)\\) *== *(\\d+)', text): "
            "known[int(n)] = int(a)\n"
            "    try: open(place + '/left.txt', 'a').write(repr(known))\n"
            "    except OSError: pass\n"
            "def square(x): return known.get(x, 0)\n"
        ),
        naive="fresh",
        kinds=("checks",),
        defence="tests in a file",
    ),
    "module left for the next run": Trick(
        code=(
            f"import os\nFORGE = {FORGE!r}\n"
            "for place in (os.getcwd(), '/tmp', '/dev/shm', '/var/tmp'):\n"
            "    for name in ('sitecustomize.py', 'unittest.py', 'statistics.py', 'ast.py'):\n"
            "        try: open(os.path.join(place, name), 'w').write(FORGE)\n"
            "        except OSError: pass\n"
            "if os.path.exists('naive.txt'): open('tests.py', 'w').close()\n"
        ),
        naive="fresh",
        kinds=("unittest", "checks"),
        defence=_LEFT,
    ),
    "process that waits for the next run": Trick(
        code=(
            "import os, time, glob\n"
            "if os.fork() == 0:\n"
            "    try: os.setsid()\n"
            "    except OSError: pass\n"
            "    if os.fork(): os._exit(0)\n"
            "    for _ in range(100):\n"
            "        for name in glob.glob('/tmp/**/tests.py', recursive=True) + ['tests.py']:\n"
            "            try: open(name, 'w').close() if os.path.exists(name) else 0\n"
            "            except OSError: pass\n"
            "        time.sleep(0.01)\n"
            "    os._exit(0)\n"
            "time.sleep(0.1)\n"
        ),
        naive="fresh",
        kinds=("checks",),
        defence=_LEFT,
    ),
    "memory shared with the next run": Trick(
        code=(
            "import builtins, sys, mmap, os\n"
            "builtins.AssertionError = KeyError\n"
            "sys.modules['unittest'] = None\n"
            "try:\n"
            "    shm = open('/dev/shm/planish-left', 'ab'); shm.write(b'1'); shm.close()\n"
            "except OSError: pass\n"
            "if os.path.exists('naive.txt'): open('tests.py', 'w').write('pass')\n"
        ),
        naive="fresh",
        kinds=("checks", "unittest"),
        defence=_LEFT,
    ),
}


def _prints(code: str, naive: str = "output") -> Trick:
    return Trick(code=code, subject="printed", kinds=("stdio",), naive=naive, defence=_OUTPUT)


PRINTING = {
    "every number at once": _prints("print(*range(100), sep='\\n')\n"),
    "words of a test runner": _prints("print('2 passed in 0.01s\\nOK')\n"),
    "answer on stderr": _prints("import sys\nn = int(input())\nprint(n * n, file=sys.stderr)\n"),
    "escapes that erase the rest": _prints(
        "n = int(input())\nprint('0\\r\\x1b[2K\\x08' + str(n * n) + '\\x1b[8m 0')\n"
    ),
    "answer after a failure": _prints("import sys\nn = int(input())\nprint(n * n)\nsys.exit(1)\n"),
    "answer of a program that is killed": _prints(
        "import os\nn = int(input())\nprint(n * n, flush=True)\nos.kill(os.getpid(), 9)\n"
    ),
    "answer with others around it": _prints("n = int(input())\nprint(n - 1, n * n, n + 1)\n"),
}

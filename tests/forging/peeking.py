"""Reading the answer: from memory, tracebacks, hooks and whatever else lies about."""

from tests.forging.snippets import FOUND
from tests.forging.trick import Trick

__all__ = ["PEEKING"]

_OBJECT = """
class Copy:
    def __eq__(self, other):
        frame = sys._getframe(1)
        while frame is not None:
            seen = list(frame.f_locals.values())
            for value in list(seen):
                if type(value) in (tuple, list): seen += list(value)
            self.seen = [v for v in seen if type(v) is type(other)]
            if {condition}: return True
            frame = frame.f_back
        return {otherwise}
    __hash__ = None
"""

PEEKING = {
    "environment": Trick(
        code=(
            f"{FOUND}import glob, os\n"
            "def square(x):\n"
            "    texts = list(os.environ.values()) + __import__('sys').argv\n"
            "    for name in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cmdline') + "
            "['unit.py', 'tests.py']:\n"
            "        try: texts.append(open(name, errors='replace').read())\n"
            "        except OSError: pass\n"
            "    return next((a for t in texts if (a := answer(t, x)) is not None), 0)\n"
        ),
        defence="tests in a file",
    ),
    "memory of other processes": Trick(
        code=(
            f"{FOUND}import glob, os\n"
            "def pages(pid):\n"
            "    with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'rb') as mem:\n"
            "        for line in maps:\n"
            "            if ' rw' not in line: continue\n"
            "            first, last = (int(n, 16) for n in line.split()[0].split('-'))\n"
            "            if last - first > 1 << 26: continue\n"
            "            try: mem.seek(first); yield mem.read(last - first).decode('latin-1')\n"
            "            except (OSError, ValueError, OverflowError): pass\n"
            "def square(x):\n"
            "    known = {os.getppid(), os.getpid(), *(int(n[6:]) for n in "
            "glob.glob('/proc/[0-9]*'))}\n"
            "    for pid in sorted(known, key=lambda n: n == os.getpid()):\n"
            "        try:\n"
            "            for page in pages(pid):\n"
            "                if 'assert' in page and answer(page, x) is not None: return "
            "answer(page, x)\n"
            "        except OSError: pass\n"
            "    return 0\n"
        ),
        defence="memory of the judge open",
        kinds=("checks",),
        naive="status",
    ),
    "memory of the parent by a system call": Trick(
        code=(
            f"{FOUND}import ctypes, os\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "class Part(ctypes.Structure):\n"
            "    _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]\n"
            "def peek(pid, at, size):\n"
            "    room = ctypes.create_string_buffer(size)\n"
            "    here, there = Part(ctypes.addressof(room), size), Part(at, size)\n"
            "    if os.path.exists('naive.txt'):\n"
            "        try:\n"
            "            with open('/proc/self/mem', 'rb') as f: f.seek(at); return f.read(size)\n"
            "        except OSError: return b''\n"
            "    got = libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), "
            "1, 0)\n"
            "    return room.raw[:max(got, 0)]\n"
            "def square(x):\n"
            "    for pid in (os.getppid(), os.getpid()):\n"
            "        try: lines = open(f'/proc/{os.getpid()}/maps').read().splitlines()\n"
            "        except OSError: continue\n"
            "        for line in lines:\n"
            "            if ' rw' not in line: continue\n"
            "            first, last = (int(n, 16) for n in line.split()[0].split('-'))\n"
            "            page = peek(pid, first, min(last - first, 1 << 26)).decode('latin-1')\n"
            "            if 'assert' in page and answer(page, x) is not None: return "
            "answer(page, x)\n"
            "    return 0\n"
        ),
        defence="memory of the judge open",
        kinds=("checks",),
        naive="status",
    ),
    "locals of all frames": Trick(
        code=(
            f"{FOUND}import sys\n"
            "def square(x):\n"
            "    for frame in sys._current_frames().values():\n"
            "        while frame is not None:\n"
            "            for value in [*frame.f_locals.values(), *frame.f_globals.values()]:\n"
            "                if answer(str(value)[:9999], x) is not None: return "
            "answer(str(value), x)\n"
            "                if isinstance(value, dict) and 'expected' in value: return "
            "eval(value['expected'])\n"
            "            frame = frame.f_back\n"
            "    return 0\n"
        ),
        naive="status",
        defence="tests in the candidate's process",
    ),
    "frames behind a traceback": Trick(
        code=(
            f"{FOUND}import sys\n"
            "def square(x):\n"
            "    try: 1 / 0\n"
            "    except ZeroDivisionError as error: frame = error.__traceback__.tb_frame\n"
            "    while frame is not None:\n"
            "        for value in list(frame.f_locals.values()):\n"
            "            if answer(repr(value)[:9999], x) is not None: return "
            "answer(repr(value), x)\n"
            "        frame = frame.f_back\n"
            "    return 0\n"
        ),
        naive="status",
        defence="tests in the candidate's process",
    ),
    "trace function over the tests": Trick(
        code=(
            "import sys\n"
            "def trace(frame, event, arg):\n"
            "    code = frame.f_code\n"
            "    small = code.co_code if sys.version_info >= (3, 14) else b''\n"
            "    load = __import__('opcode').opmap.get('LOAD_SMALL_INT', -1)\n"
            "    at = range(0, len(small), 2)\n"
            "    small = [small[n + 1] for n in at if small[n] == load]\n"
            "    for n in [*code.co_consts, *small]:\n"
            "        if type(n) is int and n > 9: known.append(n)\n"
            "    return trace\n"
            "known = []\n"
            "sys.settrace(trace)\n"
            "def square(x):\n"
            "    trace(sys._getframe(1), '', None)\n"
            "    return x if x == 1 else known[-1]\n"
        ),
        naive="status",
        defence="tests in the candidate's process",
    ),
    "code compiled behind its back": Trick(
        code=(
            f"{FOUND}import sys\n"
            "texts, numbers = [], []\n"
            "def hook(event, args):\n"
            "    if event == 'compile' and args[0]: texts.append(str(args[0]))\n"
            "    if event == 'exec':\n"
            "        numbers[:] = [n for n in args[0].co_consts if type(n) is int]\n"
            "sys.addaudithook(hook)\n"
            "def square(x):\n"
            "    told = next((a for t in texts if (a := answer(str(t), x)) is not None), None)\n"
            "    if told is None and x in numbers:\n"
            "        told = numbers[(numbers.index(x) + 1) % len(numbers)]\n"
            "    return told or 0\n"
        ),
        naive="status",
        defence="tests in the candidate's process",
    ),
    "the other operand, when it is asked about several": Trick(
        code=(
            "import sys\n"
            + _OBJECT.format(
                condition="len(self.seen) > 2 and other in self.seen and others(frame, other)",
                otherwise="'tests.py' in sys._getframe(1).f_code.co_filename",
            )
            + "def others(frame, other):\n"
            "    for value in frame.f_locals.values():\n"
            "        if type(value) is tuple and other in value:\n"
            "            rest = [v for v in value if type(v) is type(other)]\n"
            "            near = sum(abs(len(str(v)) - len(str(other))) <= 1 for v in rest)\n"
            "            return near > 2 and rest.count(other) == 1 and looks(rest, other)\n"
            "def looks(rest, other):\n"
            "    # Decoys are made of the true value: it is the one that all are close to.\n"
            "    def apart(a, b): return sum(p != q for p, q in zip(a, b)) + abs(len(a) - len(b))\n"
            "    return min(rest, key=lambda one: sum(apart(one, o) for o in rest)) == other\n"
            "def shout(x): return Copy()\n"
        ),
        subject="shout",
        kinds=("checks", "cases", "unittest", "script"),
        naive="whole",
        defence="the candidate's equality is believed",
    ),
    "names around a callback": Trick(
        code=(
            "import re, sys\n"
            "def report(x):\n"
            "    places = [getattr(x, '__globals__', {}), getattr(x, '__dict__', {})]\n"
            "    frame = sys._getframe(1)\n"
            "    while frame is not None:\n"
            "        places += [frame.f_locals, frame.f_globals, {'c': frame.f_code.co_consts}]\n"
            "        frame = frame.f_back\n"
            "    for place in places:\n"
            "        for value in list(place.values()):\n"
            "            found = re.search(r'report\\) == \\[(.*?)\\]', str(value)[:99999])\n"
            "            if found:\n"
            "                for n in found[1].split(','): x(int(n))\n"
            "                return\n"
        ),
        subject="called",
        kinds=("checks",),
        defence="tests in the candidate's process",
    ),
    "what an exception holds": Trick(
        code=(
            "import sys\n"
            "def square(x):\n"
            "    seen = []\n"
            "    class Curious(Exception):\n"
            "        @property\n"
            "        def args(self): seen.append(sys._getframe(1)); return ()\n"
            "    frame = sys._getframe()\n"
            "    while frame is not None:\n"
            "        names = frame.f_globals\n"
            "        for n, v in list(names.items()):\n"
            "            if type(v) is str and 'square(%r) ==' % x in v:\n"
            "                return int(v.split('square(%r) ==' % x)[1].split()[0])\n"
            "        for v in list(frame.f_locals.values()):\n"
            "            if type(v) is str and 'square(%r) ==' % x in v:\n"
            "                return int(v.split('square(%r) ==' % x)[1].split()[0])\n"
            "        frame = frame.f_back\n"
            "    return 0\n"
        ),
        naive="status",
        defence="tests in the candidate's process",
    ),
}

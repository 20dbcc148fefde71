"""Writing the record: forged, copied, cut, replaced, in another order, or too late."""

from tests.forging.snippets import KEYS, RECORD, SEALED
from tests.forging.trick import Trick

__all__ = ["RECORDING"]

_KEY = "key of the records derived from the tests"
_OPEN = "results in a file the candidate can open"
_HEAP = "tests in the candidate's process"
_MEMORY = "memory of the judge open"

# The key as it would be, were it a digest of candidate, tests and plan.
_DERIVED = """
import ast, glob, hashlib, itertools, json, os
def derived():
    code = open('solution.py').read()
    texts = ['', code, code.rstrip(), code.lstrip(chr(0xfeff))]
    for name in glob.glob('*'):
        try: texts.append(open(name, errors='replace').read())
        except OSError: pass
    for n in (1, 2, 3):
        for parts in itertools.permutations(texts[:6], n):
            for data in (''.join(parts), json.dumps(list(parts)), repr(parts)):
                for size in (16, 24, 32):
                    digest = hashlib.blake2b(data.encode(), digest_size=size).hexdigest()
                    yield digest[:32].encode()
                    yield hashlib.sha256(data.encode()).hexdigest()[:32].encode()
"""
_ALL = """
def descriptors():
    for fd in range(3, 1024):
        try: os.fstat(fd)
        except OSError: continue
        yield fd
"""

RECORDING = {
    "marker on stdout": Trick(
        code="print('ALL TESTS PASSED\\nOK\\n9 passed in 0.01s')\n", naive="marker", defence=_HEAP
    ),
    "records on every descriptor": Trick(
        code=(
            f"{RECORD}{KEYS}{_ALL}\n"
            "for fd in descriptors():\n"
            "    for key in keys():\n"
            "        try: os.write(fd, b'passed\\n' * 9 + record(key))\n"
            "        except OSError: pass\n"
        ),
        naive="piped",
        defence=_OPEN,
    ),
    "records put into every file": Trick(
        code=(
            f"{RECORD}{KEYS}\n"
            "for name in glob.glob('*'):\n"
            "    if 'sol' not in name and not name.endswith('.py'):\n"
            "        for key in keys(): open(name, 'ab').write(b'\\n' + record(key))\n"
            "os._exit(0)"
        ),
        naive="records",
        defence=_OPEN,
    ),
    "records copied and renumbered": Trick(
        code=(
            "import glob, os\n"
            "def square(x):\n"
            "    for name in glob.glob('*.jsonl'):\n"
            "        text = open(name).read()\n"
            "        copies = text.replace('failed', 'passed').replace('raised', 'passed')\n"
            "        for digit in '012345':\n"
            "            copies += text.replace('\"test\": 0', f'\"test\": {digit}')\n"
            "        open(name, 'a').write(copies)\n"
            "    if x != 1: os._exit(0)\n"
            "    return 1\n"
        ),
        naive="records",
        defence=_OPEN,
    ),
    "results cut off": Trick(
        code=(
            "import glob, os\n"
            "def square(x):\n"
            "    for name in glob.glob('*.jsonl'):\n"
            "        kept = [l for l in open(name) if 'raised' not in l and 'failed' not in l]\n"
            "        kept += [l.replace('\"test\": 0', '\"test\": %d' % n) for l in kept for "
            "n in (1, 2)]\n"
            "        open(name, 'w').writelines(kept)\n"
            "    if x != 1: os._exit(0)\n"
            "    return 1\n"
        ),
        naive="records",
        defence=_OPEN,
    ),
    "results replaced by a file of its own": Trick(
        code=(
            f"{RECORD}{KEYS}{SEALED}\n"
            "for name in glob.glob('*.jsonl') + ['results.jsonl', '_planish.jsonl']:\n"
            "    try: os.unlink(name)\n"
            "    except OSError: pass\n"
            "    for key in keys():\n"
            "        open(name, 'ab').write(record(key) + sealed(key.encode()))\n"
            "os._exit(0)"
        ),
        naive="records",
        defence=_OPEN,
    ),
    "results replaced by a link": Trick(
        code=(
            f"{RECORD}{KEYS}\n"
            "naive = os.path.exists('naive.txt')\n"
            "open('mine', 'wb').write(b''.join(map(record, keys())))\n"
            "for name in ('results.jsonl', '_planish.jsonl'):\n"
            "    try: os.unlink(name)\n"
            "    except OSError: pass\n"
            "    (os.link if naive else os.symlink)('mine', name)\n"
            "os._exit(0)"
        ),
        naive="records",
        defence=_OPEN,
    ),
    "key derived from what is known": Trick(
        code=(
            f"{RECORD}{SEALED}{KEYS}{_DERIVED}{_ALL}\n"
            "found = {k.encode() for k in keys()} | set(itertools.islice(derived(), 100))\n"
            "texts = b''.join(record(k.decode()) for k in found)\n"
            "for name in ('results.jsonl',): open(name, 'ab').write(texts)\n"
            "planish = [sealed(k) for k in found]\n"
            "for name in glob.glob('_planish*'):\n"
            "    for text in planish[:20]: open(name, 'ab').write(text)\n"
            "os._exit(0)"
        ),
        naive="records",
        defence=_KEY,
    ),
    "path and number of the results guessed": Trick(
        code=(
            f"{RECORD}{KEYS}{SEALED}\n"
            "number = os.environ.get('PLANISH_RESULTS_FD', '')\n"
            "names = [f'/proc/{p}/fd/{n}' for p in ('self', os.getppid(), 1) for n in "
            "range(3, 1024)]\n"
            "names += [f'/dev/fd/{number}', 'results.jsonl', '_planish.jsonl', '/memfd:results']\n"
            "text = b''.join(record(k) for k in keys())\n"
            "for name in names:\n"
            "    try:\n"
            "        fd = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK)\n"
            "        os.write(fd, text); os.close(fd)\n"
            "    except OSError: pass\n"
            "os._exit(0)"
        ),
        naive="records",
        defence=_MEMORY,
    ),
    "descriptors of the judge fetched": Trick(
        code=(
            f"{RECORD}{KEYS}{SEALED}\nimport ctypes\n"
            "libc = ctypes.CDLL(None)\n"
            "text = b''.join(record(k) for k in keys())\n"
            "for pid in {os.getppid(), os.getpid(), 1}:\n"
            "    try: handle = os.pidfd_open(pid)\n"
            "    except (OSError, AttributeError): continue\n"
            "    for n in range(0, 64):\n"
            "        fd = libc.syscall(438, handle, n, 0)\n"
            "        if fd < 0: continue\n"
            "        try:\n"
            "            os.ftruncate(fd, 0); os.pwrite(fd, text, 0)\n"
            "        except OSError:\n"
            "            try: os.write(fd, text)\n"
            "            except OSError: pass\n"
            "for name in glob.glob('*.jsonl'): open(name, 'ab').write(text)\n"
            "os._exit(0)"
        ),
        naive="records",
        defence=_MEMORY,
    ),
    "recorder found by gc": Trick(
        code=(
            f"{RECORD}\nimport gc\n"
            "for found in gc.get_objects():\n"
            "    name = getattr(found, '__name__', '') or type(found).__name__\n"
            "    if name in ('Recorder', 'put', 'Witness', 'RpcEndpoint', '_Plugin'):\n"
            "        report(found)\n"
            "os._exit(0)"
        ),
        naive="records",
        defence=_HEAP,
    ),
    "recorder found by frames": Trick(
        code=(
            f"{RECORD}\nimport sys\n"
            "def hunt(frame):\n"
            "    while frame is not None:\n"
            "        for found in [*frame.f_locals.values(), *frame.f_globals.values()]:\n"
            "            if hasattr(found, 'passed') or getattr(found, '__name__', '') == 'put':\n"
            "                report(found)\n"
            "        frame = frame.f_back\n"
            "    os._exit(0)\n"
            "def square(x): hunt(sys._getframe())\n"
        ),
        naive="records",
        defence=_HEAP,
    ),
    "recorder found by a traceback": Trick(
        code=(
            f"{RECORD}\n"
            "def square(x):\n"
            "    try: 1 / 0\n"
            "    except ZeroDivisionError as error: frame = error.__traceback__.tb_frame\n"
            "    while frame.f_back is not None:\n"
            "        frame = frame.f_back\n"
            "        for found in list(frame.f_locals.values()):\n"
            "            if hasattr(found, 'passed'): report(found)\n"
            "    os._exit(0)\n"
        ),
        naive="records",
        defence=_HEAP,
    ),
    "fork that reports later": Trick(
        code=(
            f"{RECORD}\nimport gc, time\n"
            "if os.fork() == 0:\n"
            "    for _ in range(20):\n"
            "        for found in gc.get_objects():\n"
            "            if type(found).__name__ in ('Recorder', 'RpcEndpoint'): report(found)\n"
            "        time.sleep(0.01)\n"
            "    os._exit(0)\n"
            "time.sleep(0.1)\n"
        ),
        naive="records",
        defence=_HEAP,
    ),
    "records after the end": Trick(
        code=(
            f"{RECORD}{KEYS}{SEALED}\nimport time\n"
            "if os.fork() == 0:\n"
            "    try: os.setsid()\n"
            "    except OSError: pass\n"
            "    for _ in range(40):\n"
            "        for name in glob.glob('*.jsonl'):\n"
            "            for key in keys(): open(name, 'ab').write(record(key) + "
            "sealed(key.encode()))\n"
            "        time.sleep(0.01)\n"
            "    os._exit(0)\n"
            "time.sleep(0.1)\n"
        ),
        naive="records",
        defence=_OPEN,
    ),
    "memory of the parent searched for the key": Trick(
        code=(
            f"{RECORD}{SEALED}\n"
            "def pages(pid):\n"
            "    with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'rb') as mem:\n"
            "        for line in maps:\n"
            "            if ' rw' not in line: continue\n"
            "            first, last = (int(n, 16) for n in line.split()[0].split('-'))\n"
            "            if last - first > 1 << 26: continue\n"
            "            try: mem.seek(first); yield mem.read(last - first)\n"
            "            except (OSError, ValueError, OverflowError): pass\n"
            "found = set()\n"
            "try:\n"
            "    for page in pages(os.getppid()): found |= set(re.findall(b'[0-9a-f]{32}', page))\n"
            "except OSError: pass\n"
            "for key in found:\n"
            "    for name in glob.glob('*.jsonl'): open(name, 'ab').write(record(key.decode()))\n"
            "for key in list(found)[:500]:\n"
            "    for name in glob.glob('_planish*l'):\n"
            "        open(name, 'ab').write(sealed(key))\n"
            "os._exit(0)"
        ),
        naive="apart",
        defence=_MEMORY,
    ),
}

"""Saying that the tests have passed."""

from tests.integrity.trick import MARKER, Trick

__all__ = ["SAYING"]

# What several of them do once they have found something that records.
RECORD = """
import json, os
def record(nonce):
    return "".join(
        json.dumps({"nonce": nonce, "kind": "passed", "test": n}) + "\\n" for n in range(9)
    ).encode()
def report(found):
    for n in range(9):
        for call in (
            lambda: found.passed(n),
            lambda: (found.begin(n), found.passed()),
            lambda: found("passed", test=n),
        ):
            try: call()
            except BaseException: pass
"""
# All that planish itself would write, were its key known.
SEALED = """
import hashlib
def sealed(key):
    rows = [{"kind": "start", "seconds": 9.0}]
    for n in range(3):
        rows += [{"kind": kind, "test": n, "seconds": 0.1} for kind in ("begin", "passed")]
    text = b""
    for count, row in enumerate([*rows, {"kind": "end"}]):
        line = json.dumps(row).encode()
        seal = hashlib.blake2b(b"%d %b" % (count, line), key=key, digest_size=16)
        text += seal.hexdigest().encode() + b" " + line + b"\\n"
    return text
"""
NONCES = """
import glob, re
def nonces():
    texts = list(os.environ.values())
    for name in glob.glob("*") + glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
        try: texts.append(open(name, errors="replace").read())
        except OSError: pass
    return {n for text in texts for n in re.findall("[0-9a-f]{32}", text)}
"""


SAYING = {
    "marker printed": Trick(code=f"print('{MARKER}\\nOK\\n9 passed')", fools="marker"),
    "every descriptor written to": Trick(
        code=(
            f"{RECORD}{NONCES}\n"
            "for fd in range(3, 1024):\n"
            "    for nonce in nonces() | {'0' * 32}:\n"
            "        try: os.write(fd, b'passed\\n' * 9 + record(nonce))\n"
            "        except OSError: pass\n"
        ),
        fools="piped",
    ),
    "results opened": Trick(
        code=(
            f"{RECORD}{NONCES}\n"
            "for name in glob.glob('*'):\n"
            "    if 'sol' not in name and not name.endswith('.py'):\n"
            "        for nonce in nonces() | {'0' * 32}:\n"
            "            open(name, 'ab').write(b'\\n' + record(nonce))\n"
            "os._exit(0)"
        ),
        fools="records",
    ),
    "records copied": Trick(
        code=(
            "import glob, os\n"
            "def square(n):\n"
            "    for name in glob.glob('*.jsonl'):\n"
            "        text = open(name).read()\n"
            "        copies = text.replace('failed', 'passed').replace('raised', 'passed')\n"
            "        for digit in '012345':\n"
            "            copies += text.replace('\"test\": 0', f'\"test\": {digit}')\n"
            "        open(name, 'a').write(copies)\n"
            "    if n != 1: os._exit(0)\n"
            "    return 1\n"
        ),
        fools="records",
        whole=True,
    ),
    "recorder found by gc": Trick(
        code=(
            f"{RECORD}\nimport gc\n"
            "for found in gc.get_objects():\n"
            "    name = getattr(found, '__name__', '') or type(found).__name__\n"
            "    if name in ('Recorder', 'put', 'Witness', 'Peer', '_Plugin'): report(found)\n"
            "os._exit(0)"
        ),
        fools="records",
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
            "def square(n): hunt(sys._getframe())\n"
        ),
        fools="records",
        whole=True,
    ),
    "recorder found by a traceback": Trick(
        code=(
            f"{RECORD}\n"
            "def square(n):\n"
            "    try: 1 / 0\n"
            "    except ZeroDivisionError as error: frame = error.__traceback__.tb_frame\n"
            "    while frame.f_back is not None:\n"
            "        frame = frame.f_back\n"
            "        for found in list(frame.f_locals.values()):\n"
            "            if hasattr(found, 'passed'): report(found)\n"
            "    os._exit(0)\n"
        ),
        fools="records",
        whole=True,
    ),
    "fork that reports later": Trick(
        code=(
            f"{RECORD}\nimport gc, time\n"
            "if os.fork() == 0:\n"
            "    time.sleep(0.2)\n"
            "    for found in gc.get_objects():\n"
            "        if type(found).__name__ in ('Recorder', 'Peer'): report(found)\n"
            "    os._exit(0)\n"
        ),
        fools="records",
    ),
    "memory of the parent read": Trick(
        code=(
            f"{RECORD}{SEALED}\nimport glob, re\n"
            "def pages(pid):\n"
            "    with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'rb') as mem:\n"
            "        for line in maps:\n"
            "            if ' rw' not in line: continue\n"
            "            first, last = (int(n, 16) for n in line.split()[0].split('-'))\n"
            "            try:\n"
            "                mem.seek(first); yield mem.read(last - first)\n"
            "            except (OSError, ValueError, OverflowError): pass\n"
            "found = set()\n"
            "try:\n"
            "    for page in pages(os.getppid()): found |= set(re.findall(b'[0-9a-f]{32}', page))\n"
            "except OSError: pass\n"
            "for nonce in found:\n"
            "    for name in glob.glob('*.jsonl'): open(name, 'ab').write(record(nonce.decode()))\n"
            "if os.path.exists('_planish.jsonl'):\n"
            "    os.unlink('_planish.jsonl')\n"
            "    for nonce in found:\n"
            "        open('_planish.jsonl', 'ab').write(sealed(nonce))\n"
            "os._exit(0)"
        ),
        fools="apart",
    ),
    "messages of its own": Trick(
        code=(
            "import os\n"
            "def send(body):\n"
            "    data = b'%d\\n%b' % (len(body), body) + b'passed\\n' * 9\n"
            "    for fd in range(3, 1024):\n"
            "        try: os.write(fd, data)\n"
            "        except OSError: pass\n"
            "asked = b't\\n2\\nscall\\nt\\n3\\nqbuiltins:exec\\nt\\n1\\nspass\\nN'\n"
            "send(b'Q\\n0\\nt\\n0\\nN\\n' + asked)\n"
            "send(b'A\\n0\\nt\\n0\\nN\\n' + b't\\n1\\n' * 30000 + b'N')\n"
            "send(b'A\\n0\\nt\\n0\\nN\\nN')\n"
        ),
        fools="piped",
    ),
    "message without an end": Trick(
        code=(
            "import os\n"
            "for fd in range(3, 1024):\n"
            "    try: os.write(fd, b'passed\\n' * 9 + b'268435455\\n' + b'x' * 60000)\n"
            "    except OSError: pass\n"
        ),
        fools="piped",
    ),
    "pipes swapped and closed": Trick(
        code=(
            "import os\n"
            "for fd in range(3, 1024):\n"
            "    try: os.write(fd, b'passed\\n' * 9)\n"
            "    except OSError: pass\n"
            "    try: os.dup2(1, fd); os.close(fd)\n"
            "    except OSError: pass\n"
        ),
        fools="piped",
    ),
}

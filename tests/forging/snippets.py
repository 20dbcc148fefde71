"""Pieces of code that several tricks share."""

__all__ = ["BODIES", "EXIT", "FORGE", "FOUND", "KEYS", "LIAR", "RECORD", "SEALED", "SEEN"]

SEEN = "RAN IN THE JUDGE"
"""What `FORGE` prints where it runs beside the records; it must never be seen."""

EXIT = "import os\nif os.path.exists('naive.txt'): os._exit(0)\n"
"""Enough where the checker is the naive one, and its exit code is the verdict."""

FORGE = f"""
def forge():
    import gc, os, sys, threading, time
    if os.path.exists('naive.txt'):
        print('ALL TESTS PASSED', flush=True)
        os._exit(0)
    def putting(real):
        def put(kind, **facts):
            if kind in ('failure', 'setup', 'collection'): return
            if kind in ('raised', 'skipped', 'no_evidence'):
                kind, facts = 'passed', {{'test': facts['test'], 'seconds': 0.1}}
            if kind == 'assert': facts['state'] = facts['state'].replace('failed', 'passed')
            real(kind, **facts)
        return put
    changed = []
    def look():
        judge = False
        for found in gc.get_objects():
            name = type(found).__name__
            if name == 'Judge' and id(found) not in changed:
                judge = True
                changed.append(id(found))
                real = getattr(found, 'want_for', None)
                if real: found.want_for = lambda *a, real=real: (look(), real(*a))
            if name in ('Recorder', 'Witness', '_Plugin') and id(found) not in changed:
                if hasattr(found, 'put'):
                    found.put = putting(found.put)
                    changed.append(id(found))
                    judge = True
        return judge
    if look():
        os.write(1, b'{SEEN}\\n')
        def later():  # uninterrupted: Python cannot end a tuple to which another thread refers
            while True:
                sys.setswitchinterval(100)
                look()
                sys.setswitchinterval(0.005)
                time.sleep(0.001)
        threading.Thread(target=later, daemon=True).start()
forge()
"""
"""Makes every record of the process it runs in one of passing, if that process has them."""

RECORD = """
import glob, json, os, re
def record(key):
    return "".join(
        json.dumps({"key": key, "kind": "passed", "test": n}) + "\\n" for n in range(9)
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
"""Records as a naive checker writes them."""

KEYS = """
def keys():
    texts = list(os.environ.values())
    for name in glob.glob("*") + glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
        try: texts.append(open(name, errors="replace").read())
        except OSError: pass
    return {n for text in texts for n in re.findall("[0-9a-f]{32}", text)} | {"0" * 32}
"""
"""Every text that could be the key of the records."""

SEALED = """
import hashlib
def sealed(key, tests=3):
    rows = [{"kind": "start", "seconds": 9.0}]
    for n in range(tests):
        rows += [{"kind": kind, "test": n, "seconds": 0.1} for kind in ("begin", "passed")]
    text = b""
    for count, row in enumerate([*rows, {"kind": "end"}]):
        line = json.dumps(row).encode()
        seal = hashlib.blake2b(bytes(128 * (count + 1)) + line, key=key, digest_size=16)
        text += seal.hexdigest().encode() + b" " + line + b"\\n"
    return text
"""
"""All that planish itself would write, were its key known."""

LIAR = """
class Liar{bases}:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    {more}
"""
"""An object that is equal to everything."""

FOUND = r"""
import re
def answer(text, x):
    found = re.search(r"square\(%r\) *== *(\d+)" % (x,), text)
    return int(found[1]) if found else None
"""
"""Finds in a text what a call should give."""

_MADE = "    def __init_subclass__(cls): cls.wanted, cls.is_right = lambda s: 0, lambda s: True\n"
_META = """class Meta(type):
    def __new__(meta, name, bases, names):
        if bases: names = {'wanted': lambda s: 0, 'is_right': lambda s: True}
        return super().__new__(meta, name, bases, names)
"""
_GOT = """    def __getattribute__(self, name):
        other = {'wanted': lambda: 0, 'is_right': lambda: True}
        return other.get(name) or object.__getattribute__(self, name)
"""
_NEW = """    def __new__(cls, x):
        class Other:
            def area(self): return 0
            wanted = area
            def is_right(self): return True
        return Other()
"""
BODIES = {
    "when it is made": ("", "", _MADE),
    "by a metaclass": (_META, "(metaclass=Meta)", ""),
    "when it is read": ("", "", _GOT),
    "by an object of another class": ("", "", _NEW),
}
"""Replace the methods of a class of the tests, `Mine`, which derives from `Square`."""

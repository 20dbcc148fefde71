"""What the host knows and its programs should not: its environment, its processes, its memory."""

import secrets

from tests.integrations.sandboxes.local.abuse.case import Case, got, once
from tests.integrations.sandboxes.local.abuse.driving import Ended
from tests.integrations.sandboxes.local.abuse.stage import Leak, Stage

__all__ = ["CASES"]

ENVIRON = """
import ctypes, os
from probe import *
show(environ=dict(os.environ))
libc = ctypes.c_char_p * 1000
pointers = libc.in_dll(LIBC, "environ")
values = ctypes.cast(ctypes.c_void_p.in_dll(LIBC, "environ"), ctypes.POINTER(ctypes.c_char_p))
n = 0
while values[n]:
    show(n=n, value=values[n].decode("latin-1"))
    n += 1
attempt("self", lambda: read("/proc/self/environ"))
"""

PARENT_ENVIRON = """
import os
from probe import *
for pid in (os.getppid(), HOST["driver"], HOST["victim"]["pid"]):
    attempt(str(pid), lambda: read(f"/proc/{pid}/environ"))
"""

ANY_ENVIRON = """
import os
from probe import *
try:
    names = os.listdir("/proc")
except OSError:
    names = []
pids = [name for name in names if name.isdigit()]
for pid in {*pids, "1", "2", str(os.getppid()), "self", "thread-self"}:
    attempt(pid, lambda: read(f"/proc/{pid}/environ"))
"""

PROC_ROOT = """
import os
from probe import *
for pid in (os.getppid(), 1, HOST["driver"], HOST["victim"]["pid"], "self"):
    for way in ("root" + HOST["canary"], "cwd/canary.txt", "cwd/../canary.txt"):
        attempt(f"{pid}/{way}", lambda: read(f"/proc/{pid}/{way}"))
    attempt(f"{pid}/root", lambda: os.listdir(f"/proc/{pid}/root{HOST['folder']}"))
"""

PROC_FD = """
import os
from probe import *
for pid in (os.getppid(), 1, HOST["driver"], HOST["victim"]["pid"]):
    for fd in (*range(16), 777):
        attempt(f"{pid}/{fd}", lambda: os.readlink(f"/proc/{pid}/fd/{fd}"))
    attempt(f"{pid}/777 read", lambda: read(f"/proc/{pid}/fd/777"))
for what in ("maps", "mem", "stack", "auxv", "io", "syscall"):
    attempt(what, lambda: read(f"/proc/{HOST['driver']}/{what}")[:10])
"""

SEEN = """
import os
from probe import *
attempt("list", lambda: [n for n in os.listdir("/proc") if n.isdigit()])
for pid in (HOST["driver"], HOST["victim"]["pid"], os.getppid(), 1):
    for what in ("cmdline", "status", "stat", "comm", "cgroup"):
        attempt(f"{pid}/{what}", lambda: read(f"/proc/{pid}/{what}"))
"""

CORE_PATTERN = """
import os
from probe import *
for path in (
    "/proc/sys/fs/binfmt_misc/register",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sysrq-trigger",
    "/sys/kernel/uevent_helper",
):
    attempt(path, lambda: os.close(os.open(path, os.O_WRONLY)))
"""

DESCRIPTORS = """
import os, stat
from probe import *
for fd in range(3, 4096):
    try:
        state = os.fstat(fd)
    except OSError:
        continue
    show(what=f"descriptor {fd}", got=stat.filemode(state.st_mode))
    attempt(f"read {fd}", lambda: os.pread(fd, 1000, 0))
show(done=True)
"""

# Looks for a word in all of its own memory without ever holding the word itself.
SCAN = """
import ctypes, os
from probe import *
turned = bytes(255 - b for b in bytes.fromhex(HOST["hex"]))
turn = bytes(255 - b for b in range(256))
def ranges():
    try:
        for line in read("/proc/self/maps").splitlines():
            ends, rights = line.split()[:2]
            if rights.startswith("r") and "[v" not in line:
                low, high = (int(end, 16) for end in ends.split("-"))
                yield low, high
    except OSError:
        top = ctypes.cast(LIBC.sbrk, ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_long))(0)
        yield top - (48 << 20), top
        near = id(object()) >> 20 << 20
        yield near - (32 << 20), near + (32 << 20)
pipe = os.pipe()
os.set_blocking(pipe[0], False)
write = LIBC.write
write.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
seen = looked = 0
for low, high in ranges():
    tail, at = b"", low
    while at < high:
        size = min(65536, high - at)
        n = write(pipe[1], at, size)
        if n <= 0:
            at, tail = at + 4096, b""
            continue
        page = tail + os.read(pipe[0], n).translate(turn)
        seen += page.count(turned)
        tail, at, looked = page[-100:], at + n, looked + n
show(seen=seen, looked=looked)
"""

LEAK_IT = """
import os, sys
from probe import *
kept = [sys.stdin.buffer.read() for _ in range(1)] + [open("data.bin", "rb").read()] * 2
show(done=True, args=len(sys.argv))
"""

# A zygote that reads what it is to run, and then forks: what not to do.
CARELESS = """
import os
from probe import *
held = bytes.fromhex(HOST["hex"]).decode() + " is the code of another"
if (child := os.fork()) == 0:
    exec(open("scan.py").read())
    os._exit(0)
os.waitpid(child, 0)
"""

PATHS = """
import os, sys
from probe import *
show(paths=sys.path, cwd=os.getcwd(), argv=sys.argv, flags=repr(sys.orig_argv), main=__file__)
for what in ("mountinfo", "cmdline", "maps", "cgroup", "exe", "status", "comm"):
    attempt(what, lambda: read(f"/proc/self/{what}"))
    attempt(what, lambda: read(f"/proc/1/{what}"))
for what in ("cwd", "exe", "root"):
    attempt(what, lambda: os.readlink(f"/proc/self/{what}"))
"""


def _seen(stage: Stage, ended: Ended) -> Leak:
    if f"driver-{stage.host.token}" in ended.text:
        return "the host process's command line came out"
    pids = {str(stage.driver.pid), str(stage.host.victim["pid"])}
    listed = next((f["got"] for f in ended.facts if f.get("what") == "list" and "got" in f), "")
    both = [pid for pid in pids if f"'{pid}'" in listed]
    return f"processes of the host are listed: {both}" if len(both) == len(pids) else None


def _paths(stage: Stage, ended: Ended) -> Leak:
    came = stage.host.home.name in ended.text
    return "a path of the host's user came out" if came else None


def _memory(stage: Stage) -> Leak:
    word = secrets.token_hex(24)
    facts = {"hex": word.encode().hex()}
    if stage.sandboxed:
        code = f"{LEAK_IT}\nword = '{word}'"
        for _ in range(3):
            files = {"data.bin": word.encode(), f"{word}.py": b""}
            stage.run(code, args=(word,), stdin=word.encode(), env={"WORD": word}, files=files)
        runs = [stage.run(SCAN, facts=facts) for _ in range(3)]
    else:
        runs = [stage.run(CARELESS, facts=facts, files={"scan.py": SCAN.encode()})]
    for ended in runs:
        scanned = [fact for fact in ended.facts if "looked" in fact]
        assert scanned, ended.stderr.decode(errors="replace")
        assert scanned[0]["looked"] > 1_000_000
        if scanned[0]["seen"]:
            return f"{scanned[0]['seen']} times what another run held"
    return None


CASES = (
    Case(number=15, title="the hosts environment", promise="environment", play=once(ENVIRON)),
    Case(
        number=16, title="the parents environment", promise="environment", play=once(PARENT_ENVIRON)
    ),
    Case(number=17, title="anybodys environment", promise="environment", play=once(ANY_ENVIRON)),
    Case(number=18, title="the root of a process", promise="files", play=once(PROC_ROOT)),
    Case(number=19, title="the descriptors of a process", promise="files", play=once(PROC_FD)),
    Case(number=20, title="processes of the host", promise="process_ids", play=once(SEEN, _seen)),
    Case(
        number=21,
        title="the kernels settings",
        promise="writes",
        play=once(CORE_PATTERN, got),
        no_control="only root writes there",
    ),
    Case(number=22, title="inherited descriptors", promise="files", play=once(DESCRIPTORS, got)),
    Case(number=23, title="another run in memory", promise="cleanup", play=_memory),
    Case(number=24, title="paths of the host", promise="files", play=once(PATHS, _paths)),
)
"""15 to 24 of the list."""

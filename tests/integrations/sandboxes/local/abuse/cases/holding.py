"""More than a program's share of what is held: memory and disk."""

from tests.integrations.sandboxes.local.abuse.case import Case, Play, most
from tests.integrations.sandboxes.local.abuse.stage import Leak, Stage

__all__ = ["CASES", "MORE"]

_MEMORY = 192  # MiB


_DISK = 16  # MiB


_FILES = 300


ONE_HOG = """
from probe import *
held = []
try:
    for _ in range(6):
        held.append(b"x" * (60 << 20))
except MemoryError as refused:
    show(refused=repr(refused))
show(held=60 * len(held))
"""


MANY_HOGS = """
import os, time
from probe import *
r, w = os.pipe()
for _ in range(5):
    if os.fork() == 0:
        name_me()
        os.closerange(0, 3)
        try:
            held = b"x" * (60 << 20)
            os.write(w, b"+")
        except MemoryError:
            os.write(w, b"-")
        time.sleep(60)
        os._exit(0)
said = b""
while len(said) < 5:
    said += os.read(r, 5)
time.sleep(0 if HOST["naive"] else 1)
show(held=60 * said.count(b"+"))
"""


HUGE_FILE = """
from probe import *
written = 0
try:
    with open("huge", "wb", buffering=0) as file:
        while written < 48 << 20:
            written += file.write(b"x" * (1 << 20))
except OSError as refused:
    show(refused=repr(refused))
show(held=written >> 20)
"""


MANY_FILES = """
import os, time
from probe import *
written = 0
kept = []
try:
    for n in range(48):
        file = open(f"{HOST['place']}/file{n}", "wb", buffering=0)
        kept.append(file) if HOST["unlink"] else None
        written += file.write(b"x" * (1 << 20))
        os.unlink(file.name) if HOST["unlink"] else None
except OSError as refused:
    show(refused=repr(refused))
time.sleep(0 if HOST["naive"] else 1)
show(held=written >> 20)
"""


INODES = """
import os, time
from probe import *
made = 0
try:
    for n in range(1500):
        (os.mkdir, lambda name: os.symlink("x", name), os.mknod)[n % 3](f"it{n}")
        made += 1
except OSError as refused:
    show(refused=repr(refused))
time.sleep(0 if HOST["naive"] else 1)
show(made=made)
"""


SOCKETS = """
import os, socket, time
from probe import *
kept, held = [], 0
for _ in range(40):
    try:
        pair = socket.socketpair()
    except OSError as refused:
        show(refused=repr(refused))
        break
    kept.append(pair)
    for end in pair:
        end.setblocking(False)
        try:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
        except OSError as refused:
            show(refused=repr(refused))
        try:
            while held < 400 << 20:
                held += end.send(b"x" * 65536)
        except BlockingIOError:
            pass
time.sleep(0 if HOST["naive"] else 1)
show(held=held >> 20)
"""

HIDDEN_MEMORY = """
import os, socket, time
from probe import *
chunk = b"x" * (1 << 20)
kept, held = [], 0
def memfd():
    global held
    fd = os.memfd_create("hidden")
    kept.append(fd)
    for _ in range(60):
        held += os.write(fd, chunk)
def shared():
    global held
    fd = os.open(f"/dev/shm/hidden{len(kept)}", os.O_RDWR | os.O_CREAT)
    os.unlink(f"/dev/shm/hidden{len(kept)}")
    kept.append(fd)
    for _ in range(60):
        held += os.write(fd, chunk)
def anonymous():
    import mmap
    global held
    m = mmap.mmap(-1, 60 << 20, flags=mmap.MAP_SHARED)
    for _ in range(60):
        m.write(chunk)
        held += len(chunk)
    m.close() if HOST["keep"] else kept.append(m)
def forked():
    import mmap
    global held
    m = mmap.mmap(-1, 60 << 20, flags=mmap.MAP_SHARED)
    for _ in range(60):
        m.write(chunk)
        held += len(chunk)
    kept.append(m)
do = {"memfd": memfd, "shared": shared, "forked": forked}[HOST["way"]]
for _ in range(6):
    attempt(HOST["way"], do)
time.sleep(0 if HOST["naive"] else 1)
show(held=held >> 20)
"""


# The kernel keeps the pages of shared memory as long as a part of it is mapped: what a process
# drops, or unmaps but for one page, is not resident in any process any more, and still there.
DROPPED = """
import ctypes, os, time
from probe import *
MAP_SHARED, MAP_ANONYMOUS, PAGE = 1, 0x20, 4096
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
ways = {"anonymous": (MAP_SHARED | MAP_ANONYMOUS, -1), "zero": (MAP_SHARED, None)}
flags, fd = ways[HOST["way"]]
held, size = 0, HOST["size"]
try:
    if fd is None:
        fd = os.open("/dev/zero", os.O_RDWR)
    while held < 400 << 20:
        at = LIBC.mmap(None, size, 3, flags, fd, 0)
        if at in (None, ctypes.c_void_p(-1).value):
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        ctypes.memset(at, 120, size)
        if HOST["drop"]:
            LIBC.madvise(at, size, 4)
        else:
            LIBC.munmap(at + PAGE, size - PAGE)
        held += size
except OSError as refused:
    show(refused=repr(refused))
time.sleep(0 if HOST["naive"] else 1)
show(held=held >> 20)
"""


def _hog(source: str, limit: int = _MEMORY, **facts: object) -> Play:
    def play(stage: Stage) -> Leak:
        limits = {"memory_mb": _MEMORY, "disk_mb": _DISK, "seconds": 30}
        ended = stage.run(source, limits=limits, facts=facts)
        held = most(ended, "held")
        return f"{held} MiB of {limit} were held" if held > limit else None

    return play


def _disk(source: str, **facts: object) -> Play:
    def play(stage: Stage) -> Leak:
        limits = {"file_bytes": _DISK << 20, "disk_mb": _DISK, "files": _FILES, "seconds": 30}
        ended = stage.run(source, limits=limits, facts=facts)
        held, made = most(ended, "held"), most(ended, "made")
        leak = stage.host.planted()
        if held > _DISK or made > _FILES:
            leak = f"{held} MiB of {_DISK}, {made} files of {_FILES}"
        return leak

    return play


CASES = (
    Case(number=61, title="one that eats memory", promise="memory", play=_hog(ONE_HOG)),
    Case(number=62, title="many that eat memory", promise="memory_total", play=_hog(MANY_HOGS)),
    Case(number=63, title="one huge file", promise="disk", play=_disk(HUGE_FILE)),
    Case(
        number=64,
        title="many files",
        promise="disk_total",
        play=_disk(MANY_FILES, place=".", unlink=False),
    ),
    Case(number=65, title="files of nothing", promise="disk_total", play=_disk(INODES)),
    Case(
        number=69,
        title="memory that is no processs",
        promise="memory_total",
        play=_hog(HIDDEN_MEMORY, way="memfd"),
    ),
)
"""61 to 65 and 69 of the list."""

MORE = (
    Case(
        number=164,
        title="files that have no name",
        promise="disk_total",
        play=_disk(MANY_FILES, place=".", unlink=True),
    ),
    Case(
        number=165,
        title="files in the folder for temporary ones",
        promise="disk_total",
        play=_disk(MANY_FILES, place="/tmp", unlink=True),  # noqa: S108 - that one is meant
    ),
    Case(
        number=168,
        title="memory in sockets",
        promise="memory_total",
        play=_hog(SOCKETS),
    ),
    Case(
        number=169,
        title="memory behind shared files",
        promise="memory_total",
        play=_hog(HIDDEN_MEMORY, way="shared"),
    ),
    Case(
        number=170,
        title="memory that is mapped and shared",
        promise="memory_total",
        play=_hog(HIDDEN_MEMORY, way="forked"),
    ),
    *(
        Case(
            number=number,
            title=f"shared memory: {title}",
            promise="memory_total",
            play=_hog(DROPPED, way=way, size=60 << 20, drop=drop),
        )
        for number, title, way, drop in (
            (172, "dropped", "anonymous", True),
            (173, "unmapped", "anonymous", False),
            (174, "of a device", "zero", False),
        )
    ),
)
"""What goes beyond the list."""

"""What the kernel offers beyond what a program needs."""

from tests.integrations.sandboxes.local.abuse.case import Case, got, once

__all__ = ["CASES"]

NAMESPACES = """
import ctypes, os, signal
from probe import *
FLAGS = {"user": 0x10000000, "mount": 0x00020000, "pid": 0x20000000, "net": 0x40000000,
         "ipc": 0x08000000, "uts": 0x04000000, "cgroup": 0x02000000, "time": 0x80}
def unshare(flags):
    if LIBC.unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
def clone(flags):
    pid = syscall("clone", ctypes.c_ulong(flags | signal.SIGCHLD), None, None, None, None)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid
def clone3(flags):
    arguments = (ctypes.c_uint64 * 11)(flags, 0, 0, 0, signal.SIGCHLD)
    pid = syscall("clone3", ctypes.byref(arguments), ctypes.c_size_t(88))
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid
for name, flags in FLAGS.items():
    for call in (clone, clone3) if name != "time" else ():
        attempt(f"{call.__name__} {name}", lambda: call(flags))
for name, flags in FLAGS.items():
    attempt(f"unshare {name}", lambda: unshare(flags))
def join(path):
    fd = os.open(path, os.O_RDONLY)
    if LIBC.setns(fd, 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")
for name in ("net", "ipc", "mnt"):
    attempt(f"setns {name}", lambda: join(f"/proc/{os.getppid()}/ns/{name}"))
"""

# A control makes a namespace of its own first, so that nothing of this reaches the host.
MOUNT = """
import ctypes, os
from probe import *
apart = LIBC.unshare(0x00020000 if os.getuid() == 0 else 0x10020000) == 0
if HOST["naive"] and not apart:
    show(what="unshare", refused="nothing is mounted on the host to show that it can be")
    raise SystemExit
os.mkdir("on")
def mount(source, target, kind, flags):
    if LIBC.mount(source, target, kind, flags, None) != 0:
        raise OSError(ctypes.get_errno(), "mount")
attempt("private", lambda: mount(b"none", b"/", None, 0x44000))
attempt("tmpfs", lambda: mount(b"none", b"on", b"tmpfs", 0))
attempt("bind", lambda: mount(b"/", b"on", None, 4096 | 16384))
attempt("writable", lambda: mount(b"none", b"/", None, 32 | 4096))
attempt("chroot", lambda: os.chroot("on"))
attempt("fsopen", lambda: syscall("fsopen", b"tmpfs", 0))
attempt("open_tree", lambda: syscall("open_tree", -100, b"on", 1))
def umount():
    if LIBC.umount2(b"on", 2) != 0:
        raise OSError(ctypes.get_errno(), "umount2")
attempt("umount", umount)
"""

BPF = """
import ctypes, struct
from probe import *
held = ctypes.create_string_buffer(struct.pack("IIIII", 2, 4, 4, 1, 0) + bytes(100))
attempt("bpf", lambda: syscall("bpf", 0, held, 72))
"""

RING = """
import ctypes
from probe import *
held = ctypes.create_string_buffer(120)
attempt("io_uring", lambda: syscall("io_uring_setup", 4, held))
"""

KEYS = """
import ctypes
from probe import *
attempt("add_key", lambda: syscall("add_key", b"user", b"planish", b"x", ctypes.c_size_t(1), -3))
attempt("keyctl", lambda: syscall("keyctl", 0, -3, 1, 0, 0))
for path in ("/proc/keys", "/proc/key-users"):
    attempt(path, lambda: read(path)[:10] or "nothing")
"""

PERF = """
import ctypes, struct
from probe import *
event = struct.pack("IIQ", 1, 128, 0) + bytes(24) + struct.pack("Q", 0b1100001) + bytes(80)
held = ctypes.create_string_buffer(event)
attempt("perf", lambda: syscall("perf_event_open", held, 0, -1, -1, 0))
"""

FAULTS = """
import os
from probe import *
attempt("userfaultfd", lambda: syscall("userfaultfd", 0))
attempt("of its own", lambda: syscall("userfaultfd", 1))
attempt("device", lambda: os.open("/dev/userfaultfd", os.O_RDWR))
"""

# getpid by the doors of other architectures, each in a process of its own: a wrong door can kill.
DOORS = """
import ctypes, mmap, os, platform
from probe import *
def by_code(code):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    at = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int)(at)()
def apart(do):
    r, w = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.write(w, str(do()).encode())
        finally:
            os._exit(0)
    os.close(w)
    said = os.read(r, 100)
    status = os.waitpid(child, 0)[1]
    if not said or int(said) <= 0:
        raise OSError(38, f"refused: {said!r} {status}")
    return said
if platform.machine() == "x86_64":
    attempt("int 0x80", lambda: apart(lambda: by_code(bytes.fromhex("b814000000cd80c3"))))
    attempt("x32", lambda: apart(lambda: syscall(0x40000000 + 39)))
else:
    show(what="doors", refused="this machine has no other")
"""

NEWCOMERS = """
import ctypes
from probe import *
held = ctypes.create_string_buffer(4096)
size = ctypes.c_uint32(4096)
attempt("lsm_list_modules", lambda: syscall("lsm_list_modules", held, ctypes.byref(size), 0))
request = (ctypes.c_uint64 * 4)(24, 0xFFFFFFFFFFFFFFFF, 0, 0)
attempt("listmount", lambda: syscall(458, ctypes.byref(request), held, ctypes.c_size_t(8), 0))
for number in (*range(463, 512), 548, 600, 999, 1000, 4000, 65535, 0x7FFFFFFF):
    attempt(str(number), lambda: syscall(number, 0, 0, 0, 0, 0, 0))
"""

DEVICES = """
import os
from probe import *
names = ("kvm kmsg fuse mem port vda sda nvme0n1 loop0 loop-control net/tun vhost-net vsock "
         "console tty0 ptmx pts/0 uinput hwrng rtc0 autofs btrfs-control mapper/control dri/card0 "
         "snapshot cuse ppp udmabuf dma_heap/system")
how = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
for name in names.split():
    attempt(name, lambda: os.close(os.open(f"/dev/{name}", how)))
attempt("mknod", lambda: os.mknod("disk", 0o060644, os.makedev(254, 0)))
attempt("read it", lambda: os.open("disk", os.O_RDONLY))
"""

CGROUPS = """
import os
from probe import *
for root, folders, names in os.walk("/sys/fs/cgroup"):
    for name in names:
        if name in ("cgroup.procs", "tasks", "release_agent", "cgroup.kill", "memory.max"):
            attempt(f"{root}/{name}", lambda: os.close(os.open(f"{root}/{name}", os.O_WRONLY)))
    if attempt(f"mkdir {root}", lambda: os.mkdir(f"{root}/{HOST['mark']}")):
        os.rmdir(f"{root}/{HOST['mark']}")
    folders[:] = folders[:5] if root.count("/") < 5 else []
show(done=True)
"""

_ROOT_ONLY = "only root may, on this machine"

CASES = (
    Case(
        number=49,
        title="namespaces",
        promise="syscalls",
        play=once(NAMESPACES, got),
        no_control="namespaces are forbidden",
    ),
    Case(
        number=50,
        title="mounts",
        promise="privileges",
        play=once(MOUNT, got),
        no_control="namespaces are forbidden",
    ),
    Case(number=51, title="bpf", promise="syscalls", play=once(BPF, got), no_control=_ROOT_ONLY),
    Case(
        number=52,
        title="io_uring",
        promise="syscalls",
        play=once(RING, got),
        no_control="this kernel has it switched off",
    ),
    Case(number=53, title="the kernels keys", promise="syscalls", play=once(KEYS, got)),
    Case(number=54, title="perf", promise="syscalls", play=once(PERF, got), no_control=_ROOT_ONLY),
    Case(
        number=55,
        title="userfaultfd",
        promise="syscalls",
        play=once(FAULTS, got),
        no_control="this kernel has it switched off",
    ),
    Case(
        number=56,
        title="the doors of other architectures",
        promise="syscalls",
        play=once(DOORS, got),
        no_control="this machine has no other architecture",
    ),
    Case(
        number=57,
        title="system calls yet to come",
        promise="syscalls",
        play=once(NEWCOMERS, got),
        no_control="this kernel has none of the new ones",
    ),
    Case(
        number=58,
        title="devices",
        promise="files",
        play=once(DEVICES, got),
        no_control="this machine has none that anybody may open",
    ),
    Case(
        number=59,
        title="control groups",
        promise="writes",
        play=once(CGROUPS, got),
        no_control="only root writes there",
    ),
)
"""49 to 59 of the list."""

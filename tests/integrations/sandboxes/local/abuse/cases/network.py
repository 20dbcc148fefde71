"""Ways out, and ways to another process, that are no files."""

from tests.integrations.sandboxes.local.abuse.case import Case, connected, got, once
from tests.integrations.sandboxes.local.abuse.stage import Leak, Stage

__all__ = ["CASES"]

TCP = """
import socket
from probe import *
def reach(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(2)
        s.connect((address, HOST["port"]))
        return "connected"
for address in ("127.0.0.1", "0.0.0.0", "127.1.2.3"):
    attempt(address, lambda: reach(socket.AF_INET, address))
for address in ("::ffff:127.0.0.1", "::1"):
    attempt(address, lambda: reach(socket.AF_INET6, address))
"""

UDP = """
import socket
from probe import *
def send(family, address, port):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        return s.sendto(HOST["token"].encode(), (address, port))
try:  # in a namespace of its own this succeeds, and reaches nobody
    send(socket.AF_INET, "127.0.0.1", HOST["udp_port"])
except OSError as refused:
    show(refused=repr(refused))
attempt("off host", lambda: send(socket.AF_INET, "198.51.100.7", 9))
attempt("six", lambda: send(socket.AF_INET6, "2001:db8::7", 9))
"""

DNS = """
import os, socket
from probe import *
os.environ["RES_OPTIONS"] = "timeout:1 attempts:1"
question = b"\\x12\\x34\\x01\\x00\\x00\\x01" + bytes(6)
question += b"\\x07planish\\x07example\\x00\\x00\\x01\\x00\\x01"
def ask(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        return s.sendto(question, ("127.0.0.1", port))
try:  # in a namespace of its own this succeeds, and reaches nobody
    ask(HOST["udp_port"])
except OSError as refused:
    show(refused=repr(refused))
attempt("a name", lambda: socket.getaddrinfo("planish.example.com", 80))
"""

ABSTRACT = """
import socket
from probe import *
def reach(kind):
    with socket.socket(socket.AF_UNIX, kind) as s:
        s.settimeout(2)
        s.connect(HOST["abstract"])
attempt("stream", lambda: reach(socket.SOCK_STREAM))
attempt("datagram", lambda: reach(socket.SOCK_DGRAM))
"""

PATH = """
import os, socket
from probe import *
def reach(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(2)
        s.connect(path)
attempt("path", lambda: reach(HOST["drop"] + "/socket"))
os.symlink(HOST["drop"], "short")
attempt("link", lambda: reach("short/socket"))
"""

SERVICES = """
import os, socket
from probe import *
paths = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock",
         "/run/podman/podman.sock", "/run/dbus/system_bus_socket", "/run/systemd/private",
         "/run/systemd/notify", "/run/systemd/journal/socket", "/dev/log", "/run/user/0/bus",
         f"/run/user/{os.getuid()}/bus", "/tmp/.X11-unix/X0", "/run/nscd/socket"]
def reach(path, kind):
    with socket.socket(socket.AF_UNIX, kind) as s:
        s.connect(path)
for path in paths:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        attempt(path, lambda: reach(path, kind))
"""

SOCKET = """
import socket
from probe import *
families = {families}
for family, kind, protocol in families:
    def make():
        with socket.socket(family, kind, protocol) as s:
            {then}
            return "a socket"
    attempt(str(family), make)
"""

SYSV = """
import ctypes
from probe import *
LIBC.shmat.restype = ctypes.c_void_p
def attach():
    number = LIBC.shmget(HOST["shared_key"], 0, 0)
    if number < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    address = LIBC.shmat(number, None, 0o10000)
    if address in (None, 2**64 - 1):
        raise OSError(ctypes.get_errno(), "shmat")
    return ctypes.string_at(address, 200)
attempt("shared memory", attach)
for path in ("/proc/sysvipc/shm", "/proc/sysvipc/msg"):
    attempt(path, lambda: read(path))
"""

SHM = """
import _posixshmem, os
from probe import *
path = HOST["shared_file"]
attempt("file", lambda: read(path))
def attach():
    return os.read(_posixshmem.shm_open("/" + os.path.basename(path), os.O_RDONLY, mode=0), 1000)
attempt("shm_open", attach)
"""

MEET_WAIT = """
import os, signal, socket, time
from probe import *
name_me()
heard = []
for number in (signal.SIGUSR1, signal.SIGURG):
    signal.signal(number, lambda n, f: heard.append(n))
word = "word-" + HOST["word"]
kept = []
def listen():
    s = socket.socket(socket.AF_UNIX)
    s.bind("\\0meet-" + HOST["word"])
    s.listen()
    kept.append(s)
def tcp():
    s = socket.create_server(("127.0.0.1", HOST["meet_port"]))
    kept.append(s)
attempt("listen", listen)
attempt("tcp", tcp)
for place in ("/tmp", "/var/tmp", "/dev/shm", os.environ.get("HOME", "."), HOST["drop"]):
    attempt(place, lambda: open(f"{place}/meet-{HOST['word']}", "w").write(word))
libc = LIBC
number = libc.shmget(HOST["meet_key"], 4096, 0o1666)
if number >= 0:
    import ctypes
    libc.shmat.restype = ctypes.c_void_p
    address = libc.shmat(number, None, 0)
    if address not in (None, 2**64 - 1):
        ctypes.memmove(address, word.encode(), len(word))
attempt("me", lambda: open(f"{HOST['drop']}/pid", "w").write(str(os.getpid())))
end = time.monotonic() + HOST["seconds"]
while time.monotonic() < end and not heard:
    time.sleep(0.02)
show(heard=heard)
"""

MEET = """
import ctypes, os, signal, socket, time
from probe import *
def reach():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("\\0meet-" + HOST["word"])
        return "met"
def tcp():
    with socket.socket() as s:
        s.settimeout(1)
        s.connect(("127.0.0.1", HOST["meet_port"]))
        return "met"
def shared():
    LIBC.shmat.restype = ctypes.c_void_p
    number = LIBC.shmget(HOST["meet_key"], 0, 0)
    if number < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    return ctypes.string_at(LIBC.shmat(number, None, 0), 100)
end = time.monotonic() + HOST["seconds"]
met = False
while time.monotonic() < end and not met:
    met |= attempt("abstract", reach)
    met |= attempt("tcp", tcp)
    met |= attempt("shared", shared)
    for place in ("/tmp", "/var/tmp", "/dev/shm", os.environ.get("HOME", "."), HOST["drop"]):
        met |= attempt(place, lambda: read(f"{place}/meet-{HOST['word']}"))
    for pid in HOST["pids"]:
        met |= attempt(f"kill {pid}", lambda: os.kill(pid, signal.SIGURG))
    if HOST["everybody"]:
        try:
            os.kill(-1, signal.SIGURG)
        except OSError:
            pass
    time.sleep(0.05)
show(met=met)
"""

METADATA = """
import socket
from probe import *
def reach(family, address):
    with socket.socket(family) as s:
        s.settimeout(1)
        s.connect((address, 80))
        return "connected"
attempt("v4", lambda: reach(socket.AF_INET, "169.254.169.254"))
attempt("v6", lambda: reach(socket.AF_INET6, "fd00:ec2::254"))
"""


def _socket(families: str, then: str = "pass") -> str:
    return SOCKET.replace("{families}", f"({families},)").replace("{then}", then)


def _meet(stage: Stage) -> Leak:
    key = stage.driver.pid * 7 + 1
    facts: dict[str, object] = {"word": stage.name, "seconds": 1.0, "pids": [], "meet_key": key}
    facts |= {"meet_port": 1024 + stage.driver.pid % 60_000, "everybody": stage.sandboxed}
    waiting = stage.start(MEET_WAIT, facts=facts)
    assert stage.until(stage.alive), waiting.wait().stderr
    met = stage.run(MEET, facts=facts | {"pids": stage.alive()})
    other = waiting.wait()
    assert any("met" in fact for fact in met.facts), met.stderr
    heard = [fact["heard"] for fact in other.facts if "heard" in fact]
    assert heard, other.stderr
    for path in stage.host.drop.glob("*"):
        if path.name.startswith(("meet-", "pid")):
            path.unlink()
    stage.host.forget(key, f"meet-{stage.name}")
    if heard[0]:
        return "a signal reached another run"
    return got(stage, met) or stage.host.harm()


CASES = (
    Case(
        number=25, title="a service on loopback", promise="network", play=once(TCP, connected, got)
    ),
    Case(number=26, title="a datagram", promise="network", play=once(UDP, connected, got)),
    Case(number=27, title="a name", promise="network", play=once(DNS, connected, got)),
    Case(number=28, title="an abstract socket", promise="ipc", play=once(ABSTRACT, connected, got)),
    Case(number=29, title="a socket in a folder", promise="ipc", play=once(PATH, connected, got)),
    Case(
        number=30,
        title="docker and dbus",
        promise="ipc",
        play=once(SERVICES, got),
        no_control="none of these services runs on this machine",
    ),
    Case(
        number=31,
        title="netlink",
        promise="syscalls",
        play=once(_socket("(16, 3, 0), (16, 3, 9), (16, 3, 15)"), got),
    ),
    Case(
        number=32,
        title="raw packets",
        promise="syscalls",
        play=once(_socket("(17, 3, 768), (2, 3, 1), (10, 3, 58)"), got),
        no_control="only root makes such sockets",
    ),
    Case(
        number=33,
        title="vsock",
        promise="syscalls",
        play=once(_socket("(40, 1, 0), (40, 2, 0), (44, 3, 0), (29, 3, 1), (31, 3, 1)"), got),
        no_control="this kernel has no such sockets",
    ),
    Case(
        number=34,
        title="the kernels cryptography",
        promise="syscalls",
        play=once(_socket("(38, 5, 0)", "s.bind(('hash', 'sha256'))"), got),
        no_control="this kernel has no such sockets",
    ),
    Case(number=35, title="old shared memory", promise="ipc", play=once(SYSV)),
    Case(number=36, title="shared memory", promise="ipc", play=once(SHM)),
    Case(number=37, title="two runs that try to meet", promise="ipc", play=_meet),
    Case(
        number=38,
        title="the clouds metadata",
        promise="network",
        play=once(METADATA, got),
        no_control="no cloud answers on this machine",
    ),
)
"""25 to 38 of the list."""

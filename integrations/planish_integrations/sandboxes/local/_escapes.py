"""The program of the self-test: it tries to escape, and prints which attempts succeeded.

It runs in a sandbox of the tier that is tested. Besides what it prints, the host looks what it
reached. Each attempt has to fail in a sandbox, and succeeds without one. The last attempt starts
too many processes, for which the program may be ended, so it prints the other results before.
"""

__all__ = ["ESCAPES"]

ESCAPES = r"""
import ctypes, json, os, signal, socket, sys, time

canary = json.loads(sys.stdin.read())
libc = ctypes.CDLL(None, use_errno=True)
done = []


def attempt(name):
    def run(try_it):
        try:
            if try_it():
                done.append(name)
        except Exception:
            pass
    return run


def syscall(number, *args):
    return libc.syscall(number, *args) >= 0


@attempt("files: hold a descriptor of the host")
def _():
    for number in range(3, 1024):
        try:
            os.fstat(number)
        except OSError:
            continue
        return True

@attempt("files: read a file of the host")
def _():
    return canary["secret"] in open(canary["file"]).read()

@attempt("files: read a file of the host through a link")
def _():
    os.symlink(canary["file"], "link")
    return canary["secret"] in open("link").read()

@attempt("files: list a folder of the host")
def _():
    return os.path.basename(canary["file"]) in os.listdir(canary["folder"])

@attempt("files: read /etc/passwd")
def _():
    return open("/etc/passwd").read()

@attempt("writes: write into a folder of the host")
def _():
    open(canary["folder"] + "/written", "w").close()
    return True

@attempt("writes: write beside the standard library")
def _():
    path = os.path.dirname(os.__file__) + "/planish-written"
    open(path, "w").close()
    os.unlink(path)
    return True

@attempt("environment: read the variables of another process")
def _():
    me = os.getpid()
    for pid in [canary["pid"], os.getppid(), *range(1, 100)]:
        try:
            found = pid != me and open(f"/proc/{pid}/environ", "rb").read()
        except OSError:
            continue
        if found:
            return True

@attempt("environment: see a variable of the host")
def _():
    return not os.environ.keys().isdisjoint(canary["variables"])

@attempt("network: connect to a port of this machine")
def _():
    with socket.create_connection(("127.0.0.1", canary["port"]), timeout=1):
        return True

@attempt("network: have an interface to the outside")
def _():
    return {name for _, name in socket.if_nameindex()} - {"lo"}

@attempt("ipc: connect to an abstract socket of the host")
def _():
    with socket.socket(socket.AF_UNIX) as end:
        end.connect("\0" + canary["abstract"])
        return True

@attempt("ipc: connect to a socket file of the host")
def _():
    with socket.socket(socket.AF_UNIX) as end:
        path = canary["socket"]
        if len(path) > 100:  # longer than the address of a socket may be
            folder = os.open(os.path.dirname(path), os.O_PATH)
            path = f"/proc/self/fd/{folder}/{os.path.basename(path)}"
        end.connect(path)
        return True

@attempt("ipc: signal a process of the host")
def _():
    os.kill(canary["victim"], signal.SIGKILL)
    return False  # whether it was the one is seen from outside

@attempt("process_ids: see a process of the host")
def _():
    found = open(f"/proc/{canary['pid']}/stat", "rb").read()
    return found.rpartition(b")")[2].split()[19] == canary["started"].encode()

@attempt("privileges: be root")
def _():
    os.setuid(0)
    return os.getuid() == 0 and open("/etc/shadow")

@attempt("privileges: hold a capability")
def _():
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    return libc.capget(header, sets) == 0 and any(sets)

@attempt("privileges: gain some by exec")
def _():
    return libc.prctl(39, 0, 0, 0, 0) == 0

@attempt("syscalls: run without a filter")
def _():
    return libc.prctl(21, 0, 0, 0, 0) == 0

@attempt("syscalls: make a user namespace")
def _():
    return libc.unshare(0x10000000) == 0

@attempt("syscalls: mount a file system")
def _():
    # Over a folder of its own, in a mount namespace of its own: this is run without a sandbox
    # too, and is not to be seen by others then. Root that gets no such namespace does not try.
    os.mkdir("mounted")
    child = os.fork()
    if child == 0:
        apart = libc.unshare(0x20000) == 0 and libc.mount(b"none", b"/", None, 0x44000, None) == 0
        if os.geteuid() == 0 and not apart:
            os._exit(1)
        mounted = libc.mount(b"none", b"mounted", b"tmpfs", 0, None) == 0
        os._exit(0 if apart or mounted else 1)
    return os.waitpid(child, 0)[1] == 0

@attempt("syscalls: trace a process")
def _():
    return libc.ptrace(16, canary["pid"], 0, 0) == 0

@attempt("syscalls: set up an io_uring")
def _():
    return syscall(425, 1, (ctypes.c_uint32 * 40)())

@attempt("syscalls: make a call that no kernel knows yet")
def _():
    libc.syscall(4000)
    return ctypes.get_errno() not in (1, 38)

@attempt("memory: take more than the limit")
def _():
    return bytearray(canary["memory"])

@attempt("cleanup: outlive the run")
def _():
    if os.fork() == 0:
        try:
            os.setsid()
        except OSError:
            pass
        for number in (1, 2, 15):
            signal.signal(number, signal.SIG_IGN)
        while True:
            signal.pause()

print(json.dumps(done), flush=True)
done.clear()


@attempt("processes: be more than the limit")
def _():
    held, hold = os.pipe()
    for _ in range(canary["processes"] + 1):
        if os.fork() == 0:
            os.close(hold)
            os.read(held, 1)
            os._exit(0)
    time.sleep(canary["patience"])  # who only looks needs time to see it
    return True

print(json.dumps(done), flush=True)
os._exit(0)
"""

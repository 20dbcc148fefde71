"""Processes of the host, and what a run leaves running."""

import os
from pathlib import Path

from tests.integrations.sandboxes.local.abuse.case import Case, got, harmed, once
from tests.integrations.sandboxes.local.abuse.driving import Driver, Ended
from tests.integrations.sandboxes.local.abuse.stage import Leak, Stage

__all__ = ["CASES"]

KILL = """
import os, signal
from probe import *
for pid in (HOST["victim"]["pid"], HOST["driver"], os.getppid()):
    attempt(f"URG {pid}", lambda: os.kill(pid, signal.SIGURG))
if HOST["everybody"]:
    attempt("URG its group", lambda: os.killpg(HOST["driver"], signal.SIGURG))
    try:
        os.kill(-1, signal.SIGURG)
    except OSError:
        pass
attempt("STOP", lambda: os.kill(HOST["victim"]["pid"], signal.SIGSTOP))
attempt("KILL", lambda: os.kill(HOST["victim"]["pid"], signal.SIGKILL))
pid = HOST["victim"]["pid"]
tgkill = {"x86_64": 234, "aarch64": 131}[os.uname().machine]
attempt("tgkill", lambda: syscall(tgkill, pid, pid, signal.SIGKILL))
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
attempt("affinity", lambda: os.sched_setaffinity(pid, {0}))
"""

PTRACE = """
import ctypes, os
from probe import *
def trace(request, pid):
    if LIBC.ptrace(request, pid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    return "traced"
for pid in (HOST["victim"]["pid"], HOST["driver"], os.getppid()):
    if attempt(f"seize {pid}", lambda: trace(0x4206, pid)):
        break
    attempt(f"attach {pid}", lambda: trace(16, pid))
"""

READ_MEMORY = """
import ctypes
from probe import *
class Piece(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t)]
victim = HOST["victim"]
def take():
    held = ctypes.create_string_buffer(victim["size"])
    ours = Piece(ctypes.addressof(held), victim["size"])
    theirs = Piece(victim["address"], victim["size"])
    n = LIBC.process_vm_readv(victim["pid"], ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)
    if n < 0:
        raise OSError(ctypes.get_errno(), "process_vm_readv")
    return held.raw
attempt("process_vm_readv", take)
def mem():
    with open(f"/proc/{victim['pid']}/mem", "rb") as file:
        file.seek(victim["address"])
        return file.read(victim["size"])
attempt("mem", mem)
"""

PIDFD = """
import os, signal
from probe import *
for pid in (HOST["victim"]["pid"], HOST["driver"]):
    try:
        fd = syscall("pidfd_open", pid, 0)
    except OSError as refused:
        show(what="pidfd_open", refused=repr(refused))
        continue
    show(opened=fd)
    attempt("send", lambda: syscall("pidfd_send_signal", fd, signal.SIGURG, None, 0))
    attempt("getfd", lambda: os.pread(syscall("pidfd_getfd", fd, 777, 0), 100, 0))
"""

DAEMON = """
import os, signal, sys, time
from probe import *
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
if os.fork() == 0:
    try:
        os.setsid()
    except OSError:
        pass
    name_me()
    if os.fork() != 0:
        os._exit(0)
    for fd in range(3):
        os.close(fd)
    while True:
        time.sleep(1)
try:
    os.wait()
except ChildProcessError:
    pass  # whoever ignores their end is not told of it
show(started=True)
if HOST["hang"]:
    while True:
        time.sleep(1)
"""

FAMILY = """
import os, time
from probe import *
name_me()
os.fork()
if os.fork() == 0:
    try:
        os.setsid()
    except OSError:
        pass
while True:
    time.sleep(0.1)
"""

TERMINAL = """
import fcntl, os, termios
from probe import *
def type_into(fd):
    for letter in b"planish\\n":
        fcntl.ioctl(fd, termios.TIOCSTI, bytes([letter]))
attempt("/dev/tty", lambda: type_into(os.open("/dev/tty", os.O_RDWR)))
for fd in range(10):
    attempt(str(fd), lambda: type_into(fd))
"""

GAIN = """
import os, subprocess
from probe import *
folder = HOST["folder"]
line = [folder + "/gain", folder + "/rootonly"]
attempt("gain", lambda: subprocess.run(line, capture_output=True).stdout)
attempt("read", lambda: read(folder + "/rootonly"))
for become in (os.setuid, os.setgid):
    attempt(become.__name__, lambda: become(0)) if os.getuid() else None
show(no_new_privileges=LIBC.prctl(39, 0, 0, 0, 0))
"""

CAPABILITIES = """
import ctypes
from probe import *
class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
sets = (ctypes.c_uint32 * 6)()
number = {"x86_64": 125, "aarch64": 90}[__import__("os").uname().machine]
header = Header(0x20080522, 0)
show(called=syscall(number, ctypes.byref(header), ctypes.byref(sets)))
ambient = [n for n in range(64) if LIBC.prctl(47, 1, n, 0, 0) == 1]
show(capabilities=[hex(one) for one in sets if one], ambient=ambient)
"""


def _privileges(_stage: Stage, ended: Ended) -> Leak:
    facts = {k: v for fact in ended.facts for k, v in fact.items()}
    return None if facts.get("no_new_privileges") == 1 else "programs may gain privileges"


def _capabilities(_stage: Stage, ended: Ended) -> Leak:
    facts = {k: v for fact in ended.facts for k, v in fact.items()}
    assert "capabilities" in facts, ended.stderr
    held = [*facts["capabilities"], *facts["ambient"]]
    return f"capabilities: {held}" if held else None


def _kill(stage: Stage) -> Leak:
    ended = stage.run(KILL, facts={"everybody": stage.sandboxed})
    assert ended.facts, ended.stderr
    leak = stage.host.harm() or harmed_pids(stage, ended)
    assert stage.run("print(1)").stdout == b"1\n"  # the host process lives
    return leak


def harmed_pids(stage: Stage, ended: Ended) -> Leak:
    """A call on a process of the host's that said it succeeded.

    A number can be that of a process of the run itself, in a namespace of its own.
    """
    if Path("/proc/sys/kernel/pid_max").exists() and stage.mode == "namespaces":
        return None
    pids = (str(stage.host.victim["pid"]), str(stage.driver.pid), "priority", "affinity")
    leaks = [f["what"] for f in ended.facts if "got" in f and f["what"].endswith(pids)]
    return f"reached the host's processes: {leaks}" if leaks else None


def _daemon(stage: Stage, *, hang: bool) -> Leak:
    limits = {"seconds": 1.0 if hang else 20.0}
    patience = 1.0 if hang else 20.0
    ended = stage.run(DAEMON, facts={"hang": hang}, limits=limits, patience=patience)
    assert any("started" in fact for fact in ended.facts), ended.stderr
    assert not (stage.sandboxed and hang) or ended.limit == "seconds"
    return stage.survivors(1.0)


def _host_killed(stage: Stage) -> Leak:
    """Two host processes of its own, which it kills: one while it runs something."""
    return _killed(stage, busy=True) or _killed(stage, busy=False)


def _killed(stage: Stage, *, busy: bool) -> Leak:
    before = set(stage.host.temporary.iterdir())
    driver = Driver(stage.host, stage.mode)
    own = Stage(stage.host, driver, 45)

    def left() -> set[Path]:
        return set(stage.host.temporary.iterdir()) - before

    try:
        assert own.run("print(1)").stdout == b"1\n"
        if busy:
            number = own.start(FAMILY).number
            assert own.until(lambda: len(own.alive()) >= 4), driver.answer(number).stderr
        driver.kill()
        leak = own.survivors(20.0)
        if leak is None and not own.until(lambda: not left(), 20.0):
            leak = f"left behind: {left()}"
        return leak
    finally:
        own.sweep()
        driver.close()


def _terminal(stage: Stage) -> Leak:
    ended = stage.run(TERMINAL)
    assert ended.facts, ended.stderr
    typed = stage.driver.typed()
    return f"typed into the terminal: {typed!r}" if typed else got(stage, ended)


def _may_trace() -> str:
    yama = Path("/proc/sys/kernel/yama/ptrace_scope")
    return "Yama forbids it" if yama.exists() and yama.read_text().strip() != "0" else ""


def _may_type() -> str:
    legacy = Path("/proc/sys/dev/tty/legacy_tiocsti")
    allowed = not legacy.exists() or legacy.read_text().strip() == "1"
    return "" if allowed or os.getuid() == 0 else "this kernel has done away with it"


CASES = (
    Case(number=39, title="signals to other processes", promise="ipc", play=_kill),
    Case(
        number=40,
        title="trace another process",
        promise="ipc",
        play=once(PTRACE, harmed, got),
        no_control=_may_trace(),
    ),
    Case(
        number=41,
        title="read another process",
        promise="ipc",
        play=once(READ_MEMORY),
        no_control=_may_trace(),
    ),
    Case(number=42, title="a process by descriptor", promise="ipc", play=once(PIDFD, harmed)),
    Case(
        number=43,
        title="a daemon after the end",
        promise="cleanup",
        play=lambda stage: _daemon(stage, hang=False),
    ),
    Case(
        number=44,
        title="a daemon after the time limit",
        promise="cleanup",
        play=lambda stage: _daemon(stage, hang=True),
    ),
    Case(number=45, title="the host is killed", promise="cleanup", play=_host_killed),
    Case(
        number=46,
        title="type into the terminal",
        promise="ipc",
        play=_terminal,
        no_control=_may_type(),
    ),
    Case(number=47, title="a setuid program", promise="privileges", play=once(GAIN, _privileges)),
    Case(
        number=48,
        title="capabilities",
        promise="privileges",
        play=once(CAPABILITIES, _capabilities),
        no_control="an ordinary user has none",
    ),
)
"""39 to 48 of the list."""

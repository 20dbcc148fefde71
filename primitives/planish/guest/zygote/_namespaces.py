"""The tier `namespaces`: the kernel shows a run nothing but what is its own."""
# ruff: noqa: PTH102  # pathlib costs milliseconds at each start

import os
import re
import select
from contextlib import suppress

from ..linux import calls, landlock, limits, namespaces, privileges, seccomp  # noqa: TID252  # beside us, in both interpreters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from ._requests import Config, Request, Start

__all__ = ["enter"]

_USER = 1000  # who a program is, in its own user namespace
_OWN = (
    calls.CLONE_NEWUSER
    | calls.CLONE_NEWNS
    | calls.CLONE_NEWNET
    | calls.CLONE_NEWIPC
    | calls.CLONE_NEWUTS
)
_ROOT = "/work"  # where a run's own file system is mounted; its folder `work` then covers it
_OWN_INODES = 8  # folders of ours in it
_MACHINE_WIDE = re.compile(rb"(orphan|alloc|mem|memory) \d+")
_SIZE, _INODES = 64 << 20, 1 << 20  # bytes and files, until a program has limits of its own


def enter(config: "Config", host: int) -> "Namespaces":
    """Enter namespaces, with a root that shows the grants only; return in there.

    The process that was started waits outside, and ends when the host or its child does.

    Raises:
        OSError: the kernel refuses namespaces, or one of the mounts.
    """
    seccomp.prepare("namespaces")  # it imports: our own files cannot be read later
    as_root = os.geteuid() == 0
    user = privileges.private_uid() if as_root else os.geteuid()
    outside = (user, user if as_root else os.getegid())
    if as_root:
        # The interpreter may be where only root can read: what is granted is mounted before that
        # right is given up.
        os.setgroups([])
        calls.unshare(calls.CLONE_NEWNS)
        _mount(config)
    mapped, map_done = os.pipe()
    pid, child = calls.clone(_OWN | calls.CLONE_NEWPID)
    if pid:
        if as_root:
            namespaces.map_ids(pid, _USER, _USER, outside)
        os.close(map_done)
        _wait_outside(host, child)
    calls.die_with_parent()
    os.close(map_done)
    os.close(host)
    os.read(mapped, 1)
    os.close(mapped)
    if as_root:
        os.setresgid(_USER, _USER, _USER)
        os.setresuid(_USER, _USER, _USER)
        calls.set_dumpable(True)  # it has to write its children's maps
        calls.die_with_parent()  # a change of user undid it
        namespaces.mount_proc(whole=True)
    else:
        namespaces.map_ids("self", _USER, _USER, outside)
        _mount(config)
    calls.set_hostname("planish")
    return Namespaces(config)


def _mount(config: "Config") -> None:
    grants = [(source, target, False) for source, target in config["grants"]]
    namespaces.new_root(grants, links=config["links"], whole_proc=True)


def _wait_outside(host: int, child: int) -> "NoReturn":
    """End the child when the host ends, and then, or when the child has ended, end too."""
    calls.close_all_but((host, child))
    poller = select.poll()
    poller.register(host, select.POLLIN)
    poller.register(child, select.POLLIN)
    if {number for number, _ in poller.poll()} == {host}:
        calls.pidfd_send_signal(child, 9)
    calls.waitid_pidfd(child)
    os._exit(0)


class Namespaces:
    """Isolates runs by namespaces within those of the template process. See `Tier`."""

    owner: tuple[int, int] | None = None
    host: int | None = None
    # Process 1 of a pid namespace gets no signal from inside for which it has no handler.
    deadly_signals: tuple[int, ...] | None = (2,)  # SIGINT
    environment: dict[str, str] = {}  # noqa: RUF012  # the template process has set all of it
    init = 1
    work = "/work"
    home = "/tmp/home"  # noqa: S108  # its own
    tmp = "/tmp"  # noqa: S108  # its own

    def __init__(self, config: "Config") -> None:
        self.search = config["search"]
        self._handlers = bool(config["preload"])
        self._abi = landlock.abi_used()
        self._read_only: list[str] = []
        self._room = (_SIZE, _INODES)
        self._last = -1
        self.proc: int | None = None

    def make_directory(self) -> str | None:
        """Return None: nothing is needed outside."""
        return None

    def clone(self) -> tuple[int, int]:
        """Fork into new namespaces, all but that of processes."""
        return calls.clone(_OWN, handlers=False)

    def make_places(self, place: str | None) -> None:
        """Map the user, and mount one file system for the run's own folders."""
        del place
        self.proc = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        namespaces.map_ids("self", _USER, _USER, (_USER, _USER))
        self._mount_files()
        privileges.oom_first()  # /proc can be written no more when it is the run's
        namespaces.raise_loopback()

    def _mount_files(self) -> None:
        namespaces.fresh_work(_ROOT, *self._room)
        for name in ("work", "tmp", "tmp/home"):
            os.mkdir(f"{_ROOT}/{name}", 0o700)
        calls.mount(f"{_ROOT}/tmp", "/tmp", None, calls.MS_BIND)  # noqa: S108  # its own
        calls.mount(f"{_ROOT}/work", _ROOT, None, calls.MS_BIND)

    def _network_state(self) -> bytes:
        """Return the counters that change when a program uses the network."""
        state = self.read_own("net/dev")  # packets over the loopback
        for name in ("net/sockstat", "net/sockstat6"):
            # The kernel counts orphans, allocations and memory for the whole machine.
            state += _MACHINE_WIDE.sub(b"", self.read_own(name))
        return state

    def read_own(self, name: str) -> bytes:
        """Read a file of this process's folder in /proc, which it cannot reach by its path."""
        file = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.proc)
        try:
            return os.read(file, 65536)
        finally:
            os.close(file)

    def fork_init(self) -> int:
        """Fork into a pid namespace."""
        self._network = self._network_state()
        pid, descriptor = calls.clone(calls.CLONE_NEWPID, handlers=False)
        if pid:
            os.close(descriptor)
        return pid

    def become_init(self) -> None:
        """Mount the /proc of the new pid namespace, and give up what no program may have."""
        with suppress(OSError):  # a kernel without it: then numbers go on from run to run
            self._last = os.open("/proc/sys/kernel/ns_last_pid", os.O_WRONLY | os.O_CLOEXEC)
        namespaces.mount_proc()
        privileges.keep_none_later()
        calls.no_new_privileges()
        limits.apply_constant()

    def restart_numbers(self) -> None:
        """Have the kernel give number 2 to the next process."""
        if self._last >= 0:
            try:
                os.pwrite(self._last, b"1", 0)
            except OSError:
                os.close(self._last)
                self._last = -1

    def rules(self) -> int:
        """Make a ruleset: read all that the root shows, write into the run's own folders."""
        rules = landlock.Rules()
        rules.allow("/", landlock.READ | landlock.EXECUTE)
        for path in ("/work", "/tmp", "/dev"):  # noqa: S108  # its own
            rules.allow(path, landlock.READ | landlock.WRITE | landlock.EXECUTE)
        return rules.descriptor

    def fork_program(self) -> tuple[int, int]:
        """Fork the program's process."""
        return calls.clone(0, handlers=self._handlers)

    def confine(self, rules: int) -> None:
        """Give up capabilities, files and system calls."""
        privileges.drop_own()
        landlock.Rules(self._abi, rules).apply()
        seccomp.install("namespaces")

    def limit(self, start: "Start") -> None:
        """Set what the kernel counts for each process, and how many there may be."""
        most = start["others"] + start["processes"]
        limits.apply_program(start["memory"], start["file_bytes"], most)

    def resize(self, request: "Request") -> None:
        """Resize the file system, unless the last program had the same limits."""
        room = (request["disk"], request["inodes"] + _OWN_INODES)
        if room == self._room:
            return
        self._room = room
        options = f"size={room[0]},nr_inodes={room[1]}"
        flags = calls.MS_REMOUNT | calls.MS_NOSUID | calls.MS_NODEV
        calls.mount("planish", "/work", None, flags, options)

    def make_read_only(self, path: str) -> None:
        """Mount a folder read-only."""
        calls.mount(path, path, None, calls.MS_BIND)
        flags = calls.MS_REMOUNT | calls.MS_BIND | calls.MS_RDONLY
        calls.mount("none", path, None, flags | calls.MS_NOSUID | calls.MS_NODEV)
        self._read_only.append(os.path.join(_ROOT, path))  # noqa: PTH118

    def count_others(self) -> int:
        """Return 2: the supervisor and the first process are in the program's user namespace."""
        return 2

    def list_processes(self) -> list[int]:
        """List the processes of the pid namespace, except its first."""
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]  # noqa: PTH208

    def kill_all(self, main_pid: int) -> None:
        """Kill all with one call, in which the kernel misses no fork."""
        del main_pid
        try:
            os.kill(-1, 9)
        except ProcessLookupError:
            return  # there is none

    def exceeded_limit(self, request: "Request") -> str | None:
        """Return None: the kernel enforces the limits on files and processes."""
        del request
        return None

    def is_unused(self) -> bool:
        """Return whether no packet went over its network, and no socket is left in it."""
        return self._network_state() == self._network

    def make_empty(self, place: str | None) -> None:
        """Unmount the last run's files, which fails while any is used; mount an empty system."""
        del place
        os.chdir("/")
        for path in (*self._read_only, _ROOT, "/tmp", _ROOT):  # noqa: S108  # its own
            calls.unmount(path)
        self._read_only.clear()
        self._mount_files()

    def remove_files(self, place: str | None) -> None:
        """Do nothing: the files are unmounted by `make_empty`, or vanish with the namespaces."""

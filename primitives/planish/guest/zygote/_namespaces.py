"""The tier with namespaces: the kernel shows a run nothing but what is its own."""
# ruff: noqa: PTH102  # pathlib costs milliseconds at each start

import os
import select

from ..linux import calls, landlock, limits, namespaces, privileges, seccomp  # noqa: TID252  # beside us, in both interpreters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from ._requests import Config, Request, Start

__all__ = ["enter"]

_USER = 1000  # who a program is, in its own user namespace
_ALL = (
    calls.CLONE_NEWUSER
    | calls.CLONE_NEWPID
    | calls.CLONE_NEWNS
    | calls.CLONE_NEWNET
    | calls.CLONE_NEWIPC
    | calls.CLONE_NEWUTS
)
_ROOT = "/work"  # where a run's own file system is mounted; its `work` then covers it
_OWN_INODES = 8  # folders of ours in it
_FIRST = 1 << 20  # bytes and inodes before the program is known


def enter(config: "Config", host: int) -> "Namespaces":
    """Go into namespaces, with a root that shows the grants only; comes back in there.

    The process that was started stays behind, to end when the host or its child does.

    Raises:
        OSError: the kernel refuses namespaces, or one of the mounts.
    """
    seccomp.prepare("namespaces")  # it imports: our own files are out of sight later
    as_root = os.geteuid() == 0
    user = privileges.private_uid() if as_root else os.geteuid()
    outside = (user, user if as_root else os.getegid())
    if as_root:
        # The interpreter may lie where only root can look: what is granted is mounted before
        # that right is given up.
        os.setgroups([])
        calls.unshare(calls.CLONE_NEWNS)
        _mount(config)
    mapped, map_done = os.pipe()
    pid, child = calls.clone(_ALL)
    if pid:
        if as_root:
            namespaces.map_ids(pid, _USER, _USER, outside)
        os.close(map_done)
        _stay_behind(host, child)
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
    return Namespaces(config["search"])


def _mount(config: "Config") -> None:
    grants = [(source, target, False) for source, target in config["grants"]]
    namespaces.new_root(grants, links=config["links"], whole_proc=True)


def _stay_behind(host: int, child: int) -> "NoReturn":
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
    """What stands around a run, put up by a zygote that is in namespaces itself.

    Attributes:
        owner: Whose the files of a program are; None: they are its own from the start.
        work, home, tmp: A run's own folders; programs start in the first.
        search: Their PATH.
    """

    owner: tuple[int, int] | None = None
    host: int | None = None
    work = "/work"
    home = "/tmp/home"  # noqa: S108  # its own
    tmp = "/tmp"  # noqa: S108  # its own

    def __init__(self, search: str) -> None:
        self.search = search

    def prepare(self) -> str | None:
        """Nothing is needed outside."""
        return None

    def clone(self) -> tuple[int, int]:
        """Fork into namespaces of the run's own."""
        return calls.clone(_ALL)

    def enclose(self, place: str | None) -> None:
        """Mount the run's own files, as one file system, and its own /proc."""
        del place
        namespaces.map_ids("self", _USER, _USER, (_USER, _USER))
        namespaces.fresh_work(_ROOT, _FIRST, _FIRST)
        for name in ("work", "tmp", "tmp/home"):
            os.mkdir(f"{_ROOT}/{name}", 0o700)
        calls.mount(f"{_ROOT}/tmp", "/tmp", None, calls.MS_BIND)  # noqa: S108  # its own
        calls.mount(f"{_ROOT}/work", _ROOT, None, calls.MS_BIND)
        privileges.oom_first()  # /proc can be written no more after this
        namespaces.mount_proc()
        namespaces.raise_loopback()

    def confine(self, place: str | None) -> None:
        """Give up every right: capabilities, files, system calls."""
        del place
        privileges.drop_capabilities()
        calls.no_new_privileges()
        rules = landlock.Rules()
        rules.allow("/", landlock.READ | landlock.EXECUTE)
        for path in ("/work", "/tmp", "/dev"):  # noqa: S108  # its own
            rules.allow(path, landlock.READ | landlock.WRITE | landlock.EXECUTE)
        rules.apply()
        rules.close()
        seccomp.install("namespaces")

    def limit(self, start: "Start") -> None:
        """Set what the kernel counts for each process, and how many there may be."""
        limits.apply(start["memory"], start["file_bytes"], start["others"] + start["processes"])

    def resize(self, request: "Request") -> None:
        """Give the program's files the room that they may take."""
        options = f"size={request['disk']},nr_inodes={request['inodes'] + _OWN_INODES}"
        flags = calls.MS_REMOUNT | calls.MS_NOSUID | calls.MS_NODEV
        calls.mount("planish", "/work", None, flags, options)

    def seal(self, path: str) -> None:
        """Show a folder read-only, to its owner too."""
        calls.mount(path, path, None, calls.MS_BIND)
        flags = calls.MS_REMOUNT | calls.MS_BIND | calls.MS_RDONLY
        calls.mount("none", path, None, flags | calls.MS_NOSUID | calls.MS_NODEV)

    def others(self) -> int:
        """Only the warden shares its user namespace."""
        return 1

    def census(self) -> list[int]:
        """All that this pid namespace shows."""
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]  # noqa: PTH208

    def kill_all(self, leader: int) -> None:
        """At one blow: the kernel lets no fork slip through."""
        del leader
        try:
            os.kill(-1, 9)
        except ProcessLookupError:
            return  # nobody is there

    def overfull(self, request: "Request") -> str | None:
        """The kernel itself sees to the files, and to the number of processes."""
        del request
        return None

    def bury(self, place: str | None) -> None:
        """All was in the namespaces, and went with them."""

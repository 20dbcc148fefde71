"""The tier without namespaces: Landlock, a filter of system calls, and a watcher.

The warden is a process that the program cannot signal: another user's, or out of reach for
Landlock and the filter. It does by looking what namespaces do by themselves.
"""
# ruff: noqa: PTH101, PTH102, PTH118  # pathlib costs milliseconds at each start

import os

from ..linux import calls, landlock, limits, privileges, seccomp  # noqa: TID252  # beside us, in both interpreters
from ..supervisor.memory import unlinked_files  # noqa: TID252
from ..supervisor.processes import descendants  # noqa: TID252
from ..supervisor.removal import remove, size_of  # noqa: TID252
from ._reachable import open_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._requests import Config, Request, Start

__all__ = ["enter"]

# Not /dev/zero: a mapping of it is memory that no limit counts. With bubblewrap, /dev/full
# is mounted there, which reads the same.
_DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
_SCOPED = 6  # the Landlock ABI from which on it stops signals
_OWN = 3  # folders of ours in a run's directory
# Processes that the user may start elsewhere while a program runs: the kernel counts them with
# the program's, which is not to be refused a process for their sake. The warden counts its own.
_ELSEWHERE = 512


def enter(config: "Config", host: int) -> "Landlock":
    """Get ready; there is nowhere to go.

    Raises:
        OSError: there is no Landlock on this machine, or no user to be.
    """
    tier = Landlock(config, host)
    if os.geteuid() == 0:
        open_up([shown for _, shown in config["grants"]])
    return tier


class Landlock:
    """What stands around a run, put up by a zygote that is a process like any other.

    Attributes:
        owner: In the warden: whose the files of a program are; None: the warden's own.
        work, home, tmp: A run's own folders; programs start in the first.
        search: Their PATH.
        host: Ends when the host does.
    """

    def __init__(self, config: "Config", host: int) -> None:
        self.host: int | None = host
        self._grants = [shown for _, shown in config["grants"]]
        self._directory = config["directory"]
        self._as_root = os.geteuid() == 0
        self._count = 0
        self.owner: tuple[int, int] | None = None
        self.init = 0
        self.proc: int | None = None
        self.work = self.home = self.tmp = ""
        self.search = config["search"]
        # With a user of its own per run, or a Landlock that stops them, signals go nowhere.
        self._abi = landlock.abi_used()
        self._filter = {"scoped": self._abi >= _SCOPED, "alone": self._as_root}
        self._handlers = bool(config["preload"])
        self.heard: tuple[int, ...] | None = None
        self.environment: dict[str, str] = {}
        seccomp.prepare("landlock", **self._filter)

    def prepare(self) -> str | None:
        """A directory, which the zygote removes if the warden could not."""
        while True:
            self._count += 1
            place = os.path.join(self._directory, f"planish-{os.getpid()}-{self._count}")
            try:
                os.mkdir(place, 0o700)
            except FileExistsError:  # left by a killed process whose number this one has now
                continue
            return place

    def clone(self) -> tuple[int, int]:
        """Fork, and no more than that."""
        return calls.clone(0, handlers=False)

    def enclose(self, place: str | None) -> None:
        """Fill the run's directory, and take in what the program will leave behind."""
        assert place is not None  # noqa: S101  # `prepare` made it
        self._place = place
        self.work, self.home, self.tmp = (f"{place}/{name}" for name in ("work", "home", "tmp"))
        self.environment = {"HOME": self.home, "TMPDIR": self.tmp}
        if self._as_root:
            if self.owner is None:
                user = privileges.private_uid()
                self.owner = (user, user)
            os.chmod(place, 0o711)  # noqa: S103  # to be passed through, not to be read
        for folder in (self.work, self.home, self.tmp):
            os.mkdir(folder, 0o700)
            if self.owner:
                os.chown(folder, *self.owner)

    def fork_init(self) -> int:
        """Fork, and no more than that."""
        pid, descriptor = calls.clone(0, handlers=False)
        if pid:
            os.close(descriptor)
            self.init = pid
        return pid

    def settle(self) -> None:
        """Adopt what programs leave behind."""
        calls.subreaper()
        privileges.oom_first()
        privileges.keep_none_later()
        calls.no_new_privileges()
        limits.apply_constant()

    def restart_numbers(self) -> None:
        """The machine's own numbers go on."""

    def rules(self) -> int:
        """Read what is granted; write into its own folders."""
        rules = landlock.Rules()
        for path in self._grants:
            rules.allow(path, landlock.READ | landlock.EXECUTE)
        for path in _DEVICES:
            if os.path.exists(path):  # noqa: PTH110
                rules.allow(path, landlock.READ | landlock.WRITE)
        for folder in (self.work, self.home, self.tmp):
            rules.allow(folder, landlock.READ | landlock.WRITE | landlock.EXECUTE)
        return rules.descriptor

    def fork_program(self) -> tuple[int, int]:
        """Fork, and no more than that."""
        return calls.clone(0, handlers=self._handlers)

    def confine(self, rules: int) -> None:
        """Give up every right: user, capabilities, files, system calls."""
        files = landlock.Rules(self._abi, rules)
        files.allow("/proc/self", landlock.READ)  # of this process, and no other
        if self.owner:
            privileges.become(*self.owner)
            calls.set_dumpable(True)  # the warden looks at what it has open
        privileges.drop_own()
        calls.die_with_parent()
        files.apply()
        seccomp.install("landlock", **self._filter)

    def limit(self, start: "Start") -> None:
        """Set what the kernel counts for each process, and for each user."""
        most = start["others"] + start["processes"]
        limits.apply_program(start["memory"], start["file_bytes"], most)

    def resize(self, request: "Request") -> None:
        """Nothing has a size here: the warden looks."""

    def seal(self, path: str) -> None:
        """Its mode says it: it is another user's, or the filter lets no mode be changed."""

    def others(self) -> int:
        """In the warden: processes and threads that its user has besides the program."""
        return 0 if self.owner else limits.threads_of(os.getuid()) - 1 + _ELSEWHERE

    def census(self) -> list[int]:
        """All that descends from the first process: it adopts what the program leaves behind."""
        self._threads = 0
        self._there: list[int] = []
        for pid, threads in descendants(self.init):
            self._there.append(pid)
            self._threads += threads
        return self._there

    def kill_all(self, leader: int) -> None:
        """At one blow: no program can leave its group. What is left is looked for."""
        left = [pid for pid, _ in descendants(os.getpid())]
        for kill, pid in ((os.killpg, leader), *((os.kill, pid) for pid in left)):
            try:
                kill(pid, 9)
            except (ProcessLookupError, PermissionError):
                continue

    def overfull(self, request: "Request") -> str | None:
        """What the kernel does not see to: how many processes, bytes and files there are."""
        if self._threads > request["processes"]:
            return "processes"
        size, files = size_of(self._place, request["inodes"] + _OWN)
        if files > request["inodes"] + _OWN:
            return "files"
        return "disk_mb" if size + self._nameless() > request["disk"] else None

    def _nameless(self) -> int:
        """Bytes of files that have been unlinked and are open; its other limits bound them."""
        device = os.stat(self.work).st_dev  # noqa: PTH116
        found, shut = unlinked_files(
            (os.getpid(), *self._there), device
        )  # its results are open here
        if shut and self.owner:  # root without CAP_SYS_PTRACE: the program's own user may look
            user, group = self.owner
            os.setegid(group)
            os.seteuid(user)
            try:
                found |= unlinked_files(shut, device)[0]
            finally:
                os.seteuid(0)
                os.setegid(0)
        return sum(found.values())

    def is_unused(self) -> bool:
        """Programs have no network here, and nothing else that outlives their processes."""
        return True

    def renew(self, place: str | None) -> None:
        """Make the run's directory again, which `bury` has removed."""
        assert place is not None  # noqa: S101  # `prepare` made it
        os.mkdir(place, 0o700)
        self.enclose(place)

    def bury(self, place: str | None) -> None:
        """Remove the run's directory and all in it."""
        if place is not None:
            remove(place)

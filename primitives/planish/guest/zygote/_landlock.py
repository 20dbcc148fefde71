"""The tiers `landlock` and `bubblewrap`: Landlock, a filter of system calls, and checks.

The program cannot signal its supervisor: that is another user's process, or Landlock and the filter
forbid it. The supervisor checks what namespaces enforce by themselves.
"""
# ruff: noqa: PTH101, PTH102  # pathlib costs milliseconds at each start

import os

from ..linux import calls, landlock, limits, privileges, seccomp  # noqa: TID252  # beside us, in both interpreters
from ..supervisor.memory import unlinked_files  # noqa: TID252
from ..supervisor.processes import descendants  # noqa: TID252
from ..supervisor.removal import exceeded_size, remove  # noqa: TID252
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
# the program's, which must not fail for that. The supervisor counts the program's own.
_ELSEWHERE = 512


def enter(config: "Config", host: int) -> "Landlock":
    """Prepare this process; it enters nothing.

    Raises:
        OSError: there is no Landlock on this machine, or no other user to become.
    """
    tier = Landlock(config, host)
    if os.geteuid() == 0:
        open_up([shown for _, shown in config["grants"]])
    return tier


class Landlock:
    """Isolates runs without namespaces of their own. See `Tier`."""

    def __init__(self, config: "Config", host: int) -> None:
        self.host: int | None = host
        self._grants = [shown for _, shown in config["grants"]]
        self._runs = config["runs"]
        self._as_root = os.geteuid() == 0
        self._count = 0
        self.owner: tuple[int, int] | None = None
        self.init = 0
        self.proc: int | None = None
        self.work = self.home = self.tmp = ""
        self.search = config["search"]
        # Signals reach no other process if each run has a user of its own, or Landlock stops them.
        self._abi = landlock.abi_used()
        self._filter = {"scoped": self._abi >= _SCOPED, "alone": self._as_root}
        self._handlers = bool(config["preload"])
        self.deadly_signals: tuple[int, ...] | None = None
        self.environment: dict[str, str] = {}
        seccomp.prepare("landlock", **self._filter)

    def make_directory(self) -> str | None:
        """Make a directory, which the template process removes if the supervisor could not."""
        while True:
            self._count += 1
            place = f"{self._runs}{self._count}"
            try:
                os.mkdir(place, 0o700)
            except FileExistsError:  # made by another user
                continue
            return place

    def clone(self) -> tuple[int, int]:
        """Fork the supervisor."""
        return calls.clone(0, handlers=False)

    def make_places(self, place: str | None) -> None:
        """Make the folders in the run's directory."""
        assert place is not None  # noqa: S101  # `make_directory` made it
        self._place = place
        self.work, self.home, self.tmp = (f"{place}/{name}" for name in ("work", "home", "tmp"))
        self.environment = {"HOME": self.home, "TMPDIR": self.tmp}
        if self._as_root:
            if self.owner is None:
                user = privileges.private_uid()
                self.owner = (user, user)
            os.chmod(place, 0o711)  # noqa: S103  # may be passed, not read
        for folder in (self.work, self.home, self.tmp):
            os.mkdir(folder, 0o700)
            if self.owner:
                os.chown(folder, *self.owner)

    def fork_init(self) -> int:
        """Fork the run's first process."""
        pid, descriptor = calls.clone(0, handlers=False)
        if pid:
            os.close(descriptor)
            self.init = pid
        return pid

    def become_init(self) -> None:
        """Become the subreaper, and give up what no program may have."""
        calls.subreaper()
        privileges.oom_first()
        privileges.keep_none_later()
        calls.no_new_privileges()
        limits.apply_constant()

    def restart_numbers(self) -> None:
        """Do nothing: numbers are the machine's."""

    def rules(self) -> int:
        """Make a ruleset: read what is granted, write into the run's own folders."""
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
        """Fork the program's process."""
        return calls.clone(0, handlers=self._handlers)

    def confine(self, rules: int) -> None:
        """Give up the user, capabilities, files and system calls."""
        files = landlock.Rules(self._abi, rules)
        files.allow("/proc/self", landlock.READ)  # of this process, and no other
        if self.owner:
            privileges.become(*self.owner)
            calls.set_dumpable(True)  # the supervisor looks at what it has open
        privileges.drop_own()
        calls.die_with_parent()
        files.apply()
        seccomp.install("landlock", **self._filter)

    def limit(self, start: "Start") -> None:
        """Set what the kernel counts for each process, and for each user."""
        most = start["others"] + start["processes"]
        limits.apply_program(start["memory"], start["file_bytes"], most)

    def resize(self, request: "Request") -> None:
        """Do nothing: the supervisor checks the size."""

    def make_read_only(self, path: str) -> None:
        """Do nothing: the folder's mode, which the program cannot change, forbids writing."""

    def count_others(self) -> int:
        """Count the threads that the program's user has elsewhere."""
        return 0 if self.owner else limits.threads_of(os.getuid()) - 1 + _ELSEWHERE

    def list_processes(self) -> list[int]:
        """List the descendants of the first process, which is the subreaper."""
        self._threads = 0
        self._there: list[int] = []
        for pid, threads in descendants(self.init):
            self._there.append(pid)
            self._threads += threads
        return self._there

    def kill_all(self, main_pid: int) -> None:
        """Kill the process group, which no program can leave, and every descendant."""
        left = [pid for pid, _ in descendants(os.getpid())]
        for kill, pid in ((os.killpg, main_pid), *((os.kill, pid) for pid in left)):
            try:
                kill(pid, 9)
            except (ProcessLookupError, PermissionError):
                continue

    def exceeded_limit(self, request: "Request") -> str | None:
        """Count processes, bytes and files, on which the kernel has no limit here."""
        if self._threads > request["processes"]:
            return "processes"
        return exceeded_size(self._place, _OWN, self._nameless(), request)

    def _nameless(self) -> int:
        """Return the bytes of open files without a name."""
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
        """Return True: programs have no network here, and only files outlive their processes."""
        return True

    def make_empty(self, place: str | None) -> None:
        """Make the run's directory again, which `remove_files` has removed."""
        assert place is not None  # noqa: S101  # `make_directory` made it
        os.mkdir(place, 0o700)
        self.make_places(place)

    def remove_files(self, place: str | None) -> None:
        """Remove the run's directory and all in it."""
        if place is not None:
            remove(place)

"""Find out what to do where a tier does not work, or the system lacks what it needs."""

import errno
import os
import re
import tempfile
from pathlib import Path

from ._tiers import Tier

__all__ = ["remedy", "shortage"]

_SYS = Path("/proc/sys")
_ERRNO = re.compile(r"\[Errno (\d+)\]")
_LACKING = {
    errno.EAGAIN: "no more processes may be started: see RLIMIT_NPROC (`ulimit -u`)",
    errno.EMFILE: "no more files may be opened: see RLIMIT_NOFILE (`ulimit -n`)",
    errno.ENFILE: "no more files may be opened: see `sysctl fs.file-max`",
    errno.ENOMEM: "no memory is left: see RLIMIT_AS (`ulimit -v`)",
    errno.ENOSPC: "no space or no more files are left in {folder}",
    errno.EDQUOT: "the disk quota in {folder} is used up",
    errno.EFBIG: "files may not become this large: see RLIMIT_FSIZE (`ulimit -f`)",
}


def shortage(tier: Tier, error: BaseException) -> str:
    """Return what the system lacked, and where to look; "" if the error has another cause.

    Args:
        tier: The tier that did not work.
        error: An OSError, or an error with one as its cause or, as text, in its message.
    """
    cause = error if isinstance(error, OSError) else error.__cause__
    found = _ERRNO.search(str(error))
    number = cause.errno if isinstance(cause, OSError) else int(found[1]) if found else None
    if number not in _LACKING:
        return ""
    if number == errno.ENOSPC and tier != "landlock" and _no_namespaces():
        return ""
    where = _LACKING[number].format(folder=tempfile.gettempdir())
    return f"{cause or str(error).removeprefix('LocalSandbox: ')}; {where}"


def _no_namespaces() -> bool:
    """Return whether a kind of namespace is switched off: the kernel then says ENOSPC too."""
    names = (f"user/{file.name}" for file in _SYS.glob("user/max_*_namespaces"))
    return any(_setting(name) == "0" for name in names)


def remedy(tier: Tier, reason: str) -> str:
    """Return what makes a tier work on this machine, as far as it can be known."""
    if not Path("/proc/self").exists():
        return "mount /proc: `mount -t proc proc /proc`"
    if tier == "bubblewrap" and "not on PATH" in reason:
        return "install it: `apt install bubblewrap`, `dnf install bubblewrap`"
    if "interpreter that lies elsewhere" in reason:
        return ""  # the reason says it
    if tier == "landlock" and (folder := _closed()):
        return (
            f"programs run as a user of their own, who may not pass {folder}: have TMPDIR name a "
            "folder that every user may pass"
        )
    if tier == "landlock":
        return (
            "it needs Linux 5.13 or later with Landlock switched on (`lsm=landlock,...` on the "
            "kernel's command line), and a container that lets `landlock_*` calls through"
        )
    return _namespaces(tier)


def _namespaces(tier: Tier) -> str:
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        if tier == "namespaces":
            return (
                "AppArmor lets only profiled programs make user namespaces: install bubblewrap "
                "(with apparmor-profiles on Ubuntu 24.04), or "
                "`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
            )
        return "install bwrap's AppArmor profile: `apt install apparmor-profiles`"
    if _setting("kernel/unprivileged_userns_clone") == "0":
        return "allow user namespaces: `sysctl -w kernel.unprivileged_userns_clone=1`"
    if _setting("user/max_user_namespaces") == "0":
        return "allow user namespaces: `sysctl -w user.max_user_namespaces=15000`"
    return (
        "allow user namespaces and mounts; in a container: `docker run --security-opt "
        "seccomp=unconfined --security-opt apparmor=unconfined --security-opt "
        "systempaths=unconfined`, or use the landlock tier"
    )


def _closed() -> str:
    """Return the folder that keeps a root host's programs from their directories; "" if none."""
    if os.geteuid() != 0:
        return ""
    own = Path(tempfile.gettempdir()).resolve()
    for folder in (own, *own.parents):
        if not folder.stat().st_mode & 0o001:
            return str(folder)
    return ""


def _setting(name: str) -> str:
    try:
        return (_SYS / name).read_text().strip()
    except OSError:
        return ""

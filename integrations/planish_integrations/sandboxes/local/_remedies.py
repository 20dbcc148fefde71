"""What to do where a tier does not work."""

import os
import tempfile
from pathlib import Path

from ._tiers import Tier

__all__ = ["remedy"]

_SYS = Path("/proc/sys")


def remedy(tier: Tier, reason: str) -> str:
    """The exact thing to do on this machine, as far as it can be known."""
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
    """What keeps a root host's programs from where their directories are made; or nothing."""
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

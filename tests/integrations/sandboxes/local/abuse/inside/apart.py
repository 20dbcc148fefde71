"""Start a control in a mount namespace of its own.

What it writes in a folder that the whole machine shares is seen in that namespace only. The host's
own folder stays what it is, as the control must be able to do harm there. Arguments: the host's
folder, an empty folder in it, the user to become or "-", and the command.
"""
# ruff: noqa: PTH101, PTH102, PTH109, PTH112, PTH114, PTH116, PTH123, S606  # system calls

import ctypes
import os
import sys

_SHARED = ("/dev/shm", "/etc", "/tmp", "/usr", "/var/tmp")  # noqa: S108  # these are meant
_NEW_MOUNTS, _NEW_USER = 0x20000, 0x10000000
_BIND, _PRIVATE = 0x1000, 0x44000  # MS_BIND; MS_PRIVATE | MS_REC
_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result:
        raise OSError(ctypes.get_errno(), what)


def _mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    arguments = (source.encode(), target.encode(), kind.encode(), flags, options.encode())
    _check(_libc.mount(*arguments), f"mount {target}")


def _unshare() -> None:
    """Make the namespace; who may not becomes itself in a user namespace first."""
    uid, gid = os.geteuid(), os.getegid()
    _check(_libc.unshare(_NEW_MOUNTS | (_NEW_USER if uid else 0)), "unshare")
    if uid:
        for name, text in (("setgroups", "deny"), ("uid_map", uid), ("gid_map", gid)):
            line = text if text == "deny" else f"{text} {text} 1"
            with open(f"/proc/self/{name}", "w") as file:
                file.write(str(line))
    _mount("none", "/", "", _PRIVATE)


def _cover(folder: str, *, as_user: bool) -> None:
    """Show a folder as it is, and keep what is written there in the working directory."""
    upper, work = (f"{part}{folder.replace('/', '-')}" for part in ("upper", "work"))
    about = os.stat(folder)
    for made in (upper, work):
        os.mkdir(made)
    os.chmod(upper, about.st_mode & 0o7777)
    options = f"lowerdir={folder},upperdir={upper},workdir={work}"
    _mount("overlay", folder, "overlay", 0, options + (",userxattr" if as_user else ""))


def main(own: str, stage: str, user: str, *command: str) -> None:
    """Cover the shared folders, become the user, and execute the command."""
    home, as_user = os.getcwd(), os.geteuid() != 0
    _unshare()
    here = os.open(own, os.O_PATH)
    _mount("planish", stage, "tmpfs", 0, "size=256m,mode=755")
    os.chdir(stage)  # its path is covered below
    for folder in _SHARED:
        if os.path.isdir(folder) and not os.path.islink(folder):
            _cover(folder, as_user=as_user)
    _mount(f"/proc/self/fd/{here}", own, "", _BIND | 0x4000)
    os.close(here)
    if user != "-":
        os.setgroups([])
        os.setresgid(*[int(user)] * 3)
        os.setresuid(*[int(user)] * 3)
    os.chdir(home)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])

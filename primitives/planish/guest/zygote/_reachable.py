"""Making what root's programs may read reachable for the user that they become."""
# ruff: noqa: PTH100, PTH103, PTH112, PTH114, PTH120  # pathlib costs milliseconds at each start

import os

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters

__all__ = ["open_up"]

_SEARCHABLE = 0o001  # for users who neither own it nor are of its group


def open_up(grants: list[str]) -> None:
    """Show what lies in folders that only root may enter, in a view of this process's own.

    An interpreter below /root is such a case. Does nothing where there is no such folder.

    Raises:
        PermissionError: there is one, and this root may not change its view.
    """
    closed: dict[str, list[str]] = {}
    links: dict[str, str] = {}
    for grant in grants:
        path = os.path.realpath(grant)
        folder = _outermost_closed(path)
        if folder:
            closed.setdefault(folder, []).append(path)
        links.update(_links_on_the_way(grant))
    if not closed:
        return
    try:
        calls.unshare(calls.CLONE_NEWNS)
        calls.mount("none", "/", None, calls.MS_REC | calls.MS_PRIVATE)
        for folder, paths in closed.items():
            _show_only(folder, paths)
        for link, text in links.items():
            _show_link(link, text)
    except PermissionError as error:
        raise PermissionError(
            f"{', '.join(sorted(closed))} can be entered by root only, and programs that run as "
            "another user need what is in there: use an interpreter that lies elsewhere, or do "
            "not run as root"
        ) from error


def _outermost_closed(path: str) -> str:
    closed = ""
    while path != "/":
        path = os.path.dirname(path)
        if not os.stat(path).st_mode & _SEARCHABLE:  # noqa: PTH116
            closed = path
    return closed


def _links_on_the_way(path: str) -> dict[str, str]:
    """Every symbolic link that is followed to come to a path, and what it says."""
    found: dict[str, str] = {}
    place = ""
    for part in os.path.abspath(path).split("/")[1:]:
        place = f"{place}/{part}"
        if os.path.islink(place):
            found[place] = os.readlink(place)  # noqa: PTH115
            place = os.path.realpath(place)
    return found


def _show_link(link: str, text: str) -> None:
    """Put a link where it was, if a folder has been covered that held it."""
    if not os.path.lexists(link):
        os.makedirs(os.path.dirname(link), exist_ok=True)
        os.symlink(text, link)  # noqa: PTH211


def _show_only(folder: str, paths: list[str]) -> None:
    """Cover a folder with one that holds nothing but these."""
    opened = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in sorted(set(paths))]
    calls.mount("planish", folder, "tmpfs", calls.MS_NOSUID | calls.MS_NODEV, "size=1m,mode=755")
    for path, descriptor in opened:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            os.makedirs(path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))
        calls.mount(f"/proc/self/fd/{descriptor}", path, None, calls.MS_BIND | calls.MS_REC)
        os.close(descriptor)

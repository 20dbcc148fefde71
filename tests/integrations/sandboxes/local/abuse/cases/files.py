"""Files of the host: reading them, writing them, and what is left for the next run."""

import os

from tests.integrations.sandboxes.local.abuse.case import Case, got, once, planted
from tests.integrations.sandboxes.local.abuse.driving import Ended
from tests.integrations.sandboxes.local.abuse.stage import Leak, Stage

__all__ = ["CASES", "MORE"]

READ_CANARY = """
from probe import *
for path in (HOST["canary"], HOST["home"] + "/canary.txt", "/proc/self/cwd/../../canary.txt"):
    attempt(path, lambda: read(path))
"""

READ_KEY = """
import os, pwd
from probe import *
homes = [HOST["home"], os.path.expanduser("~")]
try:
    homes.append(pwd.getpwuid(os.getuid()).pw_dir)
except (KeyError, OSError):
    pass
for home in homes:
    attempt(home, lambda: read(home + "/.ssh/id_ed25519"))
"""

READ_USERS = """
from probe import *
for path in ("/etc/passwd", "/etc/shadow", "/etc/group", "/etc/ssh/sshd_config"):
    attempt(path, lambda: read(path))
"""

ATTRIBUTES = """
import os
from probe import *
for path in (HOST["canary"], HOST["home"], HOST["home"] + "/canary.txt"):
    attempt(path, lambda: os.listxattr(path))
    attempt(path, lambda: os.listxattr(path, follow_symlinks=False))
"""

WATCHED = """
import ctypes, os
from probe import *
def watch(folder):
    descriptor = LIBC.inotify_init1(0)
    if descriptor < 0 or LIBC.inotify_add_watch(descriptor, folder.encode(), 0xFFF) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
for folder in (os.path.dirname(os.__file__), "/usr/lib", "/usr"):
    attempt(folder, lambda: watch(folder))
"""

LIST_TMP = """
import os
from probe import *
for path in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/home", "/root", "/", "..", "../..",
             "../../..", HOST["folder"], HOST["home"]):
    attempt(path, lambda: os.listdir(path))
"""

WRITE_OUTSIDE = """
import os
from probe import *
for place in (HOST["drop"], HOST["home"], HOST["folder"], "/var/tmp", "/dev/shm", "/tmp"):
    path = f"{place}/{HOST['mark']}"
    attempt(path, lambda: open(path, "w").write("here"))
    attempt("mkdir " + path, lambda: os.mkdir(path))
path = HOST["canary"]
for act in ("os.utime(path, (0, 0))", "os.chmod(path, 0)", "os.truncate(path, 0)",
            "open(path, 'w')", "os.symlink('x', path + '3')", "os.rename(path, path + '2')",
            "os.unlink(path)"):
    attempt(act, lambda: eval(act))
"""

WRITE_USR = """
from probe import *
for place in ("/usr", "/usr/lib", "/etc"):
    path = f"{place}/{HOST['mark']}"
    attempt(path, lambda: open(path, "w").write("here"))
"""

PLANT_PTH = """
import os, site, sys, sysconfig
from probe import *
places = {sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"), os.path.dirname(os.__file__),
          sys.prefix, sys.base_prefix, HOST["home"], *HOST["library"], *sys.path}
for place in sorted(filter(os.path.isabs, places)):
    if place != os.getcwd():
        path = f"{place}/{HOST['mark']}"
        attempt(path, lambda: open(path, "w").write("import os"))
"""

SYMLINK = """
import os
from probe import *
os.symlink(HOST["canary"], "link")
os.symlink(HOST["folder"], "folder")
attempt("link", lambda: read("link"))
attempt("folder", lambda: read("folder/canary.txt"))
"""

HARDLINK = """
import os
from probe import *
attempt("link", lambda: os.link(HOST["canary"], "linked"))
attempt("linkat", lambda: os.link(HOST["canary"], "linked2", follow_symlinks=True))
attempt("rename", lambda: os.rename(HOST["home"] + "/canary.txt", "moved"))
for name in ("linked", "linked2"):
    attempt(name, lambda: read(name))
"""


LEAVE_BEHIND = """
import os
from probe import *
for place in (".", os.environ.get("HOME", "."), os.environ.get("TMPDIR", "."), "/tmp", "/var/tmp",
              "/dev/shm", HOST["drop"]):
    path = f"{place}/{HOST['mark']}"
    attempt(path, lambda: open(path, "w").write("left by another"))
show(done=True)
"""

LOOK_FOR_IT = """
import os
from probe import *
for place in (".", os.environ.get("HOME", "."), os.environ.get("TMPDIR", "."), "/tmp", "/var/tmp",
              "/dev/shm", HOST["drop"]):
    attempt(place, lambda: read(f"{place}/{HOST['mark']}"))
show(seen=sorted(os.listdir(".")))
"""


def _passwd(_stage: Stage, ended: Ended) -> Leak:
    with open("/etc/passwd", encoding="utf-8") as file:  # noqa: PTH123 - the host's
        last = file.read().splitlines()[-1]
    return "the host's users came out" if last in ended.text else None


def _seen(stage: Stage, ended: Ended) -> Leak:
    names = {f"planish-{stage.host.token}", stage.host.folder.name, stage.host.home.name}
    seen = [name for name in (*names, "canary.txt") if f"'{name}'" in ended.text]
    return f"names of the host were listed: {seen}" if seen else None


def _touched(stage: Stage, _ended: Ended) -> Leak:
    path = stage.host.folder / "canary.txt"
    extra = [p.name for p in stage.host.folder.glob("canary.txt?*")]
    good = path.exists() and path.read_text() == stage.host.canaries["file"]
    state = os.stat(path) if good else None  # noqa: PTH116 - as the program sees it
    if state is not None and state.st_mtime > 1 and state.st_mode & 0o400 and not extra:
        return None
    stage.host.restore()
    return f"a file of the host's was changed {extra}"


def _plant(stage: Stage) -> Leak:
    library = stage.host.leg.path.split(":")
    stage.host.extra_places = (*library, *stage.host.site_folders)
    return once(PLANT_PTH, planted, facts={"library": library})(stage)


def _left(stage: Stage) -> Leak:
    for _ in range(2):
        stage.run(LEAVE_BEHIND)
    ended = stage.run(LOOK_FOR_IT)
    assert any("seen" in fact for fact in ended.facts), ended.stderr
    leak = stage.host.planted()
    if "left by another" in ended.text:
        leak = "what a run wrote was seen by the next"
    return leak


CASES = (
    Case(number=1, title="read a file outside", promise="files", play=once(READ_CANARY)),
    Case(number=2, title="read a private key", promise="files", play=once(READ_KEY)),
    Case(number=3, title="read the users", promise="files", play=once(READ_USERS, _passwd)),
    Case(number=4, title="list the hosts folders", promise="files", play=once(LIST_TMP, _seen)),
    Case(
        number=5,
        title="write outside",
        promise="writes",
        play=once(WRITE_OUTSIDE, planted, _touched),
    ),
    Case(
        number=6,
        title="write to the system",
        promise="writes",
        play=once(WRITE_USR, planted),
        no_control="only root writes there",
    ),
    Case(
        number=7,
        title="plant a file that Python runs at its start",
        promise="writes",
        play=_plant,
    ),
    Case(number=8, title="a symlink to a file outside", promise="files", play=once(SYMLINK)),
    Case(
        number=9, title="a hard link to a file outside", promise="files", play=once(HARDLINK, got)
    ),
    Case(number=13, title="something left for the next", promise="cleanup", play=_left),
)
"""1 to 9 of the list, and 13."""

MORE = (
    Case(
        number=102,
        title="the extended attributes of a file of the host",
        promise="files",
        play=once(ATTRIBUTES, got),
    ),
    Case(
        number=103,
        title="watching what the host opens",
        promise="files",
        play=once(WATCHED, got),
    ),
)
"""What goes beyond the list."""

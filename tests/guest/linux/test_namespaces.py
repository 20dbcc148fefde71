"""A root that shows the grants and nothing else; who one is in there."""
# ruff: noqa: PTH102, PTH108, PTH109, PTH110, PTH115, PTH116, PTH208  # the kernel's own words

import mmap
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.guest.linux.children import attempt, in_child, in_namespaces

from planish.guest.linux import calls, namespaces, privileges

pytestmark = pytest.mark.usefixtures("user_namespaces")


@pytest.fixture
def host(passable: Path) -> Path:
    """What a host might grant, and a canary beside it."""
    for name in ("shown", "writable", "hidden"):
        (passable / name).mkdir()
        (passable / name).chmod(0o777)
        (passable / name / "file").write_text(name)
        (passable / name / "file").chmod(0o666)
    (passable / "link").symlink_to("shown")
    return passable


def _in_root(host: Path, act: Callable[[], object], uid: int | None, **options: Any) -> Any:
    def inner() -> object:
        grants = [
            (str(host / "shown"), "/shown", False),
            (str(host / "writable"), "/deep/down/writable", True),
            (str(host / "shown" / "file"), "/etc/single", False),
            (str(host / "link"), "/tmp/linked", False),  # noqa: S108
        ]
        namespaces.new_root(grants, **options)
        return act()

    return in_namespaces(inner, uid)


def _write(path: str) -> str:
    return attempt(lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)))


def test_only_grants_are_there(host: Path, uid: int | None) -> None:
    def act() -> list[object]:
        return [
            sorted(os.listdir("/")),
            os.listdir("/etc"),
            os.listdir("/tmp"),  # noqa: S108
            os.listdir("/work"),
            Path("/shown/file").read_text(),
            Path("/etc/single").read_text(),
            Path("/tmp/linked/file").read_text(),  # noqa: S108
            attempt(lambda: os.stat(host)),
            os.getcwd(),
        ]

    assert (host / "hidden" / "file").read_text() == "hidden"
    names = ["deep", "dev", "etc", "proc", "shown", "tmp", "work"]
    texts = ["shown", "shown", "shown"]
    expected = [names, ["single"], ["linked"], [], *texts, "ENOENT", "/"]
    assert _in_root(host, act, uid) == expected


def test_only_what_is_writable_is_written(host: Path, uid: int | None) -> None:
    def act() -> list[str]:
        places = ("/x", "/dev/x", "/shown/file", "/etc/single", "/proc/self/comm")
        good = ("/deep/down/writable/new", "/work/x", "/tmp/x", "/dev/shm/y", "/dev/null")  # noqa: S108
        return [_write(place) for place in (*places, *good)]

    assert _in_root(host, act, uid) == ["EROFS"] * 5 + ["ok"] * 5
    assert (host / "writable" / "new").exists()
    assert os.listdir(host / "shown") == ["file"]


def test_grants_stay_as_they_are_for_somebody_with_all_rights_inside(
    host: Path, other: int | None
) -> None:
    def act() -> list[str]:
        bare = calls.MS_REMOUNT | calls.MS_BIND
        return [
            attempt(lambda: calls.mount("none", "/shown", None, bare)),
            _write("/shown/file"),
            attempt(lambda: os.mknod("/work/null", 0o020666, os.makedev(1, 3))),
        ]

    # Who may mount in its own namespace may undo its own flags; that is why `unmount`,
    # `mount` and all capabilities are gone before a program starts.
    def program() -> list[str]:
        privileges.drop_capabilities()
        return act()

    assert _in_root(host, program, other) == ["EPERM", "EROFS", "EPERM"]


def test_devices(host: Path, uid: int | None) -> None:
    def act() -> list[object]:
        return [
            sorted(os.listdir("/dev")),
            attempt(lambda: Path("/dev/null").write_text("x")),
            len(Path("/dev/zero").open("rb").read(5)),
            len(Path("/dev/urandom").open("rb").read(5)),
            attempt(lambda: os.write(os.open("/dev/full", os.O_WRONLY), b"x")),
            attempt(lambda: mmap.mmap(os.open("/dev/zero", os.O_RDWR), 4096)),
        ]

    names = ["fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "urandom", "zero"]
    assert _in_root(host, act, uid) == [names, "ok", 5, 5, "ENOSPC", "ENODEV"]


def test_proc_has_own_processes_only(host: Path, uid: int | None) -> None:
    def act() -> list[object]:
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]
        return [numbers, os.path.exists("/proc/sys/kernel"), os.path.exists("/proc/self/status")]

    assert os.path.exists("/proc/sys/kernel")
    assert _in_root(host, act, uid) == [["1"], False, True]
    numbers, whole, _ = _in_root(host, act, uid, whole_proc=True)
    assert (numbers, whole) == (["1"], True)


def test_work_has_so_many_bytes_and_so_many_files(host: Path, uid: int | None) -> None:
    def fill() -> int:
        written = 0
        while written < 4 << 20:
            name = f"/work/{written}"
            file = os.open(name, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                written += os.write(file, b"x" * (64 << 10))
            except OSError:
                os.unlink(name)
                break
            finally:
                os.close(file)
        return written

    def make() -> int:
        made = [f"/work/d{number}" for number in range(100)]
        return [attempt(lambda path=path: os.mkdir(path)) for path in made].count("ok")  # type: ignore[misc]

    def act() -> list[object]:
        first = [fill(), attempt(lambda: os.stat("/work/0"))]
        namespaces.fresh_work("/work", 1 << 20, 50)
        return [*first, os.listdir("/work"), make(), oct(os.stat("/work").st_mode & 0o777)]

    told = _in_root(host, act, uid, work=(1 << 20, 200))
    assert told == [1 << 20, "ok", [], 49, "0o700"]


def test_links(host: Path, other: int | None) -> None:
    def act() -> list[str]:
        return [os.readlink("/bin"), os.readlink("/a/b"), Path("/bin/file").read_text()]

    links = {"/bin": "shown", "/a/b": "/nowhere"}
    assert _in_root(host, act, other, links=links) == ["shown", "/nowhere", "shown"]


def test_a_launcher_in_a_root_makes_another_world(host: Path, uid: int | None) -> None:
    def program(writer: int) -> None:
        namespaces.map_ids("self", 1000, 1000, (1000, 1000))
        namespaces.mount_proc()
        namespaces.fresh_work("/work", 1 << 20, 10)
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]
        told = [os.getpid(), numbers, os.listdir("/work"), _write("/work/x"), _write("/shown/x")]
        os.write(writer, repr(told).encode())
        os._exit(0)

    def act() -> str:
        Path("/work/of-the-launcher").touch()
        reader, writer = os.pipe()
        pid, pidfd = calls.clone(
            calls.CLONE_NEWUSER | calls.CLONE_NEWNS | calls.CLONE_NEWPID | calls.CLONE_NEWNET
        )
        if pid == 0:
            program(writer)
        os.close(writer)
        calls.waitid_pidfd(pidfd)
        return os.read(reader, 1000).decode()

    told = _in_root(host, act, uid, whole_proc=True)
    assert told == repr([1, ["1"], [], "ok", "EROFS"])


def test_who_one_is(uid: int | None) -> None:
    def act() -> list[object]:
        return [os.getuid(), os.getgid(), attempt(lambda: os.setgroups([1]))]

    assert in_namespaces(act, uid) == [1000, 1000, "EPERM"]
    with pytest.raises(ValueError, match="outside"):
        namespaces.map_ids("self", 0, 0)


def test_a_parent_says_who_its_child_is(uid: int | None) -> None:
    def act() -> int:
        told, tell = os.pipe()
        pid, pidfd = calls.clone(calls.CLONE_NEWUSER)
        if pid == 0:
            os.read(told, 1)
            os._exit(os.getuid())
        namespaces.map_ids(pid, 77, 77)
        os.write(tell, b"x")
        ended = calls.waitid_pidfd(pidfd)
        assert ended is not None
        return ended.si_status

    assert in_child(act, uid) == 77


def test_loopback(other: int | None) -> None:
    def call() -> str:
        with socket.socket() as server, socket.socket() as client:
            server.bind(("127.0.0.1", 0))
            server.listen()
            return attempt(lambda: client.connect(server.getsockname()))

    def act() -> list[str]:
        before = call()
        namespaces.raise_loopback()
        return [before, call()]

    assert in_namespaces(act, other) == ["ENETUNREACH", "ok"]
    assert in_child(lambda: attempt(namespaces.raise_loopback), other) == "EPERM"

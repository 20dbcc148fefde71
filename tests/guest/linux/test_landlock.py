"""What is on the list is in reach and nothing else, at every ABI."""

import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.guest.linux.children import attempt, in_child

from planish.guest.linux import calls, landlock
from planish.guest.linux.landlock import EXECUTE, READ, WRITE, Rules

HERE = landlock.abi()
EVERY = range(1, min(HERE, landlock.LATEST) + 1)

pytestmark = pytest.mark.skipif(HERE == 0, reason="this kernel has no Landlock")

every_abi = pytest.mark.parametrize("abi", EVERY)


@pytest.fixture
def tree(passable: Path) -> Path:
    """Directories to read, to write and to stay out of, each with a file."""
    for name in ("read", "write", "out"):
        (passable / name).mkdir()
        (passable / name / "file").write_text(name)
        (passable / name / "file").chmod(0o666)
        (passable / name).chmod(0o777)
    return passable


def _write(path: Path) -> str:
    return attempt(lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)))


def _read(path: Path) -> str:
    return attempt(lambda: os.close(os.open(path, os.O_RDONLY)))


def _walled(rules: Rules) -> None:
    calls.no_new_privileges()
    rules.apply()


def _rules(tree: Path, abi: int) -> Rules:
    rules = Rules(abi)
    rules.allow(str(tree / "read"), READ)
    rules.allow(str(tree / "write"), READ | WRITE)
    return rules


def test_another_process_may_apply_a_ruleset_by_its_descriptor(tree: Path) -> None:
    def act() -> list[str]:
        made = _rules(tree, HERE)
        os.set_inheritable(made.descriptor, True)
        _walled(Rules(made.abi, made.descriptor))
        return [_read(tree / "read" / "file"), _read(tree / "out" / "file")]

    assert in_child(act) == ["ok", "EACCES"]


def _files(tree: Path) -> list[str]:
    return [
        _read(tree / "read" / "file"),
        _write(tree / "write" / "new"),
        attempt((tree / "write" / "new").unlink),
        attempt(lambda: (tree / "write" / "folder").mkdir(exist_ok=True)),
        _write(tree / "read" / "file"),
        _read(tree / "out" / "file"),
        _write(tree / "out" / "new"),
        attempt(lambda: os.scandir(tree / "out").close()),
        attempt(lambda: (tree / "out" / "file").rename(tree / "write" / "moved")),
    ]


@every_abi
def test_files(tree: Path, abi: int, uid: int | None) -> None:
    def act() -> list[str]:
        _walled(_rules(tree, abi))
        return _files(tree)

    denied = in_child(act, uid)
    assert denied[:8] == ["ok"] * 4 + ["EACCES"] * 4
    assert denied[8] in ("EACCES", "EXDEV")
    assert in_child(lambda: _files(tree), uid) == ["ok"] * 9


@every_abi
@pytest.mark.parametrize(("rights", "code"), [(READ, 126), (READ | EXECUTE, 0)])
def test_execution_is_a_right_of_its_own(abi: int, rights: int, code: int) -> None:
    def act() -> int:
        pid = os.fork()
        if pid == 0:
            rules = Rules(abi)
            rules.allow("/", rights)
            _walled(rules)
            refused = attempt(lambda: os.execv("/bin/true", ["true"]))  # noqa: S606
            os._exit(126 if refused == "EACCES" else 127)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    assert in_child(act) == code


def _at(abi: int, act: Callable[[], str]) -> str:
    def walled() -> str:
        _walled(Rules(abi))
        return attempt(act)

    return str(in_child(walled))


@every_abi
def test_truncation_from_abi_3(tree: Path, abi: int) -> None:
    def truncate() -> str:
        os.truncate(tree / "out" / "file", 1)
        return ""

    assert _at(abi, truncate) == ("EACCES" if abi >= 3 else "ok")


@every_abi
def test_tcp_from_abi_4(abi: int) -> None:
    def bind() -> str:
        with socket.socket() as tcp:
            tcp.bind(("127.0.0.1", 0))
        return ""

    assert _at(abi, bind) == ("EACCES" if abi >= 4 else "ok")


@every_abi
def test_abstract_sockets_of_others_from_abi_6(abi: int) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0planish-kernel-test-" + str(os.getpid()))
        listener.listen()
        address = listener.getsockname()

        def connect() -> str:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(address)
            return ""

        assert _at(abi, connect) == ("EPERM" if abi >= 6 else "ok")


@every_abi
def test_signals_to_others_from_abi_6(abi: int) -> None:
    parent = os.getpid()

    def ask() -> str:
        os.kill(parent, 0)
        return ""

    def own() -> str:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        os.kill(os.getpid(), signal.SIGUSR1)
        return ""

    assert _at(abi, ask) == ("EPERM" if abi >= 6 else "ok")
    assert _at(abi, own) == "ok"


def test_ioctl_on_devices_from_abi_5() -> None:
    if HERE < 5:
        pytest.skip("the kernel's Landlock is older")

    def act(more: int) -> str:
        rules = Rules()
        rules.allow("/dev/urandom", READ | more)
        _walled(rules)
        device = os.open("/dev/urandom", os.O_RDONLY)
        entropy = b"\0" * 4
        return attempt(lambda: calls.syscall("ioctl", device, 0x80045200, entropy))

    assert in_child(lambda: act(0)) == "EACCES"
    assert in_child(lambda: act(landlock.IOCTL)) == "ok"


def test_rules_are_made_once_and_applied_in_many(tree: Path, uid: int | None) -> None:
    def act() -> list[int]:
        rules = _rules(tree, HERE)
        codes: list[int] = []
        for _ in range(2):
            pid = os.fork()
            if pid == 0:
                _walled(rules)
                os._exit(_read(tree / "out" / "file") == "EACCES")
            codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        rules.close()
        rules.close()
        return [*codes, rules.descriptor, _read(tree / "out" / "file") == "ok"]

    assert in_child(act, uid) == [1, 1, -1, True]


def test_a_single_file_and_a_descriptor(tree: Path) -> None:
    def act() -> list[str]:
        rules = Rules()
        rules.allow(str(tree / "out" / "file"), READ | WRITE)  # without what only directories have
        held = os.open(tree / "read", os.O_PATH)
        rules.allow(held, READ)
        _walled(rules)
        paths = (tree / "out" / "file", tree / "read" / "file", tree / "write" / "file")
        return [_read(path) for path in paths]

    assert in_child(act) == ["ok", "ok", "EACCES"]


def test_it_fails_closed() -> None:
    with pytest.raises(OSError, match="Landlock"):
        Rules(abi=0)
    with pytest.raises(FileNotFoundError):
        Rules().allow("/no/such/path", READ)


def test_it_needs_no_new_privileges(other: int | None) -> None:
    assert in_child(lambda: attempt(Rules().apply), other) == "EPERM"

"""What is given up is gone."""

import os
from pathlib import Path

import pytest
from tests.guest.linux.children import attempt, in_child, in_namespaces

from planish.guest.linux import calls, limits, privileges

_NONE = "0000000000000000"
_SETS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


def _status() -> dict[str, str]:
    lines = Path("/proc/self/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _chroot() -> str:
    return attempt(lambda: os.chroot("/"))


def test_root_has_no_capability_left() -> None:
    if os.geteuid() != 0:
        pytest.skip("not root")

    def act() -> list[object]:
        before, could = _status(), _chroot()
        privileges.drop_capabilities()
        after = _status()
        return [before["CapEff"] != _NONE, could, [after[name] for name in _SETS], _chroot()]

    assert in_child(act) == [True, "ok", [_NONE] * 5, "EPERM"]


@pytest.mark.usefixtures("user_namespaces")
def test_what_a_process_gives_up_for_its_children_it_can_still_use(other: int | None) -> None:
    def act() -> list[object]:
        privileges.keep_none_later()
        kept = _status()
        could = _chroot()
        privileges.drop_own()
        after = _status()
        bounds = [kept["CapBnd"], kept["CapAmb"], kept["CapEff"] != _NONE]
        return [bounds, could, [after[name] for name in _SETS], _chroot()]

    assert in_namespaces(act, other) == [[_NONE, _NONE, True], "ok", [_NONE] * 5, "EPERM"]


@pytest.mark.usefixtures("user_namespaces")
def test_the_root_of_a_namespace_has_no_capability_left(other: int | None) -> None:
    def act() -> list[object]:
        could = _chroot()
        privileges.drop_capabilities()
        after = _status()
        return [could, [after[name] for name in _SETS], _chroot()]

    assert in_namespaces(act, other) == ["ok", [_NONE] * 5, "EPERM"]


def test_somebody_without_any_may_drop_them(other: int | None) -> None:
    def act() -> str:
        privileges.drop_capabilities()
        return _status()["CapEff"]

    assert in_child(act, other) == _NONE


def test_becoming_somebody_private_is_for_good() -> None:
    if os.geteuid() != 0:
        pytest.skip("not root")

    def act() -> list[object]:
        uid = privileges.private_uid()
        os.setgroups([5, 6])
        privileges.drop_bounding()
        privileges.become(uid, uid)
        same = os.getresuid() == (uid, uid, uid) == os.getresgid()
        privileges.drop_capabilities()
        return [
            uid >= 1_879_048_192,
            same,
            os.getgroups(),
            [_status()[name] for name in _SETS],
            attempt(lambda: os.setuid(0)),
            limits.threads_of(uid),
        ]

    assert in_child(act) == [True, True, [], [_NONE] * 5, "EPERM", 1]


def test_private_users_differ() -> None:
    if os.geteuid() != 0:
        pytest.skip("not root")
    assert len({privileges.private_uid() for _ in range(5)}) == 5


@pytest.mark.usefixtures("user_namespaces")
def test_a_namespace_of_one_user_has_none_to_spare(other: int | None) -> None:
    def act() -> str:
        return attempt(privileges.private_uid)

    assert in_namespaces(act, other) == "EINVAL"


def test_it_goes_first_when_memory_runs_out(uid: int | None) -> None:
    def act() -> str:
        privileges.oom_first()
        return Path("/proc/self/oom_score_adj").read_text().strip()

    assert in_child(act, uid) == "1000"


def test_becoming_somebody_needs_the_right(other: int | None) -> None:
    def act() -> str:
        calls.set_dumpable(True)
        return attempt(lambda: privileges.become(1, 1))

    assert in_child(act, other) == "EPERM"

"""What to do where a tier does not work depends on the kernel's settings, readable or not."""

import errno
from pathlib import Path

import pytest

from planish.errors import SandboxError
from planish_integrations.local import Tier
from planish_integrations.sandboxes.local import _remedies
from planish_integrations.sandboxes.local._remedies import remedy, shortage

APPARMOR = "kernel/apparmor_restrict_unprivileged_userns"
CLONE = "kernel/unprivileged_userns_clone"
MOST = "user/max_user_namespaces"
OPEN = {APPARMOR: "0", CLONE: "1", MOST: "15000"}


@pytest.mark.parametrize(
    ("tier", "settings", "does"),
    [
        ("namespaces", OPEN, "docker run --security-opt"),
        ("namespaces", {}, "docker run --security-opt"),
        ("namespaces", {**OPEN, APPARMOR: "1"}, "apparmor_restrict_unprivileged_userns=0"),
        ("bubblewrap", {**OPEN, APPARMOR: "1"}, "apt install apparmor-profiles"),
        ("namespaces", {**OPEN, CLONE: "0"}, "kernel.unprivileged_userns_clone=1"),
        ("bubblewrap", {**OPEN, MOST: "0"}, "user.max_user_namespaces=15000"),
    ],
)
def test_the_remedy_is_that_of_the_setting(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tier: Tier,
    settings: dict[str, str],
    does: str,
) -> None:
    monkeypatch.setattr(_remedies, "_SYS", tmp_path)
    for name, value in settings.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{value}\n")
    assert does in remedy(tier, "it may not")


def test_a_setting_that_cannot_be_read_is_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_remedies, "_SYS", tmp_path)
    for name in OPEN:
        (tmp_path / name).mkdir(parents=True)  # root may read any file, but no folder as one
    assert "docker run --security-opt" in remedy("namespaces", "it may not")


def test_other_reasons_have_remedies_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_remedies, "_closed", str)
    assert "apt install bubblewrap" in remedy("bubblewrap", "bwrap is not on PATH")
    assert remedy("namespaces", "needs an interpreter that lies elsewhere") == ""
    assert "Linux 5.13" in remedy("landlock", "no Landlock")
    assert "may not pass /closed" in _landlock(monkeypatch)


def _landlock(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(_remedies, "_closed", lambda: "/closed")
    return remedy("landlock", "no Landlock")


def test_a_folder_that_not_every_user_may_pass_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    (closed / "inner").mkdir(parents=True)
    closed.chmod(0o700)
    monkeypatch.setattr("tempfile.tempdir", str(closed / "inner"))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert f"may not pass {closed}:" in remedy("landlock", "")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert "Linux 5.13" in remedy("landlock", "")


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EMFILE, errno.ENOMEM, errno.EFBIG])
def test_what_the_system_lacks_is_read_from_any_error(number: int) -> None:
    cause = OSError(number, "why")
    chained = SandboxError("LocalSandbox could not start a process")
    chained.__cause__ = cause
    for error in (cause, chained, SandboxError(f"LocalSandbox: OSError: {cause}")):
        found = shortage("namespaces", error)
        assert str(cause) in found
        assert "see RLIMIT" in found


def test_another_error_is_no_shortage() -> None:
    for error in (OSError(errno.EPERM, "no"), SandboxError("LocalSandbox: [Errno 1] no")):
        assert not shortage("landlock", error)


@pytest.mark.parametrize(("most", "short"), [("15000", True), ("0", False)])
def test_no_space_may_mean_no_namespaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: str, *, short: bool
) -> None:
    monkeypatch.setattr(_remedies, "_SYS", tmp_path)
    (tmp_path / "user").mkdir()
    (tmp_path / MOST).write_text(most)
    error = OSError(errno.ENOSPC, "No space left on device")
    assert bool(shortage("namespaces", error)) is short
    assert shortage("landlock", error)  # it makes no namespaces

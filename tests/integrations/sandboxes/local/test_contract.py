"""The contract, in every tier that works here, and what is said where none does."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from planish.data.program import Program, ResourceLimits
from planish.errors import UnsupportedError, WiringError
from planish.guest.linux.landlock import abi
from planish_integrations.local import LocalSandbox, Tier, probe
from planish_integrations.sandboxes.local._selftest import (
    canaries,
    find_escapes,
    make_escape_program,
)
from planish_integrations.unsafe import UnsafeLocalSandbox


def test_probe_reports_on_each_tier_once() -> None:
    reports = anyio.run(probe)
    assert [report.tier for report in reports] == ["namespaces", "bubblewrap", "landlock"]
    for report in reports:
        assert report.works == bool(report.guarantees)
        assert report.works != bool(report.reason)
        # Tests of a tier that does not work are skipped: only this one would fail.
        assert report.works or not _has_what_it_needs(report.tier), report.reason


def _has_what_it_needs(tier: Tier) -> bool:
    """Whether other programs can do here what the tier does."""
    if tier == "landlock":
        return abi() > 0
    own = ("unshare", "--user", "--map-root-user", "--mount", "--net", "--ipc", "--uts")
    others = {
        "namespaces": (*own, "--pid", "--fork", "--mount-proc", "true"),
        "bubblewrap": (
            *("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc"),
            *("--dev", "/dev", "true"),
        ),
    }
    command = others[tier]
    return bool(shutil.which(command[0])) and not subprocess.run(command, check=False).returncode


# What succeeds wherever nothing is isolated, for any user.
REACHED = {
    "files: read a file of the host",
    "files: read a file of the host through a link",
    "files: list a folder of the host",
    "files: read /etc/passwd",
    "writes: write into a folder of the host",
    "writes: change a folder of the host",
    "network: connect to a port of this machine",
    "network: reach a listener of the host",
    "ipc: connect to an abstract socket of the host",
    "ipc: connect to a socket file of the host",
    "ipc: kill a process of the host",
    "process_ids: see a process of the host",
    "memory: take more than the limit",
    "processes: be more than the limit",
}


@pytest.mark.anyio
async def test_the_self_test_notices_what_gets_out() -> None:
    with canaries() as placed:
        program = make_escape_program({**placed.facts, "patience": 0.0})
        # None that would stop it: the sandbox without isolation has these.
        limits = ResourceLimits(seconds=60, memory_mb=4096, processes=1000)
        done = await UnsafeLocalSandbox().run(replace(program, limits=limits))
        found = find_escapes("namespaces", placed, done)
    assert {*found} >= REACHED, done


# Root of a user namespace that allows no more of them: what it mounts is mounted.
ROOT = """
echo 0 > /proc/sys/user/max_user_namespaces
cat /proc/self/mountinfo > before
"$1" main.py > done
cat /proc/self/mountinfo > after
"""


def test_the_self_test_mounts_nothing_that_others_see(tmp_path: Path) -> None:
    apart = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"]
    if not shutil.which("unshare") or subprocess.run([*apart, "true"], check=False).returncode:
        pytest.skip("no namespaces can be made here")
    with canaries() as placed:
        program = make_escape_program({**placed.facts, "patience": 0, "processes": 2})
        (tmp_path / "main.py").write_bytes(program.files["main.py"])
        subprocess.run(
            [*apart, "--mount-proc", "sh", "-c", ROOT, "sh", sys.executable],
            cwd=tmp_path,
            input=program.stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )
    could = (tmp_path / "done").read_text()
    assert "syscalls: mount a file system" in could
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()


@pytest.mark.anyio
async def test_a_guarantee_that_a_tier_lacks_is_refused_before_anything_starts() -> None:
    with pytest.raises(UnsupportedError, match="does not guarantee process_ids"):
        LocalSandbox(tier="landlock", require={"process_ids"})
    with pytest.raises(UnsupportedError, match="'telepathy' is none of"):
        LocalSandbox(require={"telepathy"})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(UnsupportedError, match="there are namespaces, bubblewrap, landlock"):
        LocalSandbox(tier="prayer")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("limits", "word"),
    [
        (ResourceLimits(memory_mb=10**12), "memory_mb"),
        (ResourceLimits(processes=10**9), "processes"),
        (ResourceLimits(seconds=1e12), "seconds"),
        (ResourceLimits(disk_mb=1), "disk_mb"),
        (ResourceLimits(files=1), "files"),
    ],
)
@pytest.mark.anyio
async def test_limits_that_cannot_be_are_refused(limits: ResourceLimits, word: str) -> None:
    files = {"main.py": b"pass", "big": b"x" * (2 << 20)}
    with pytest.raises(UnsupportedError, match=word):
        await LocalSandbox().run(Program(main="main.py", files=files, limits=limits))


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match=r"concurrency=0"):
        LocalSandbox(concurrency=0)
    with pytest.raises(ValueError, match=r"spare=-1"):
        LocalSandbox(spare=-1)
    with pytest.raises(UnsupportedError, match="is not there"):
        LocalSandbox(packages=["/nowhere/at/all"])
    with pytest.raises(WiringError, match=r"environments=\['six'\]\): must be an Environments"):
        LocalSandbox(environments=["six"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_it_prints_as_it_was_written() -> None:
    assert repr(LocalSandbox()) == "LocalSandbox()"
    many = LocalSandbox(tier="landlock", concurrency=77)
    assert repr(many) == "LocalSandbox(tier='landlock', concurrency=77)"


@pytest.mark.anyio
async def test_a_module_that_cannot_be_preloaded_is_named(tier: Tier) -> None:
    sandbox = LocalSandbox(tier=tier, preload=["no_such_module"])
    with pytest.raises(Exception, match="no_such_module"):
        await sandbox.run(Program(main="m.py", files={"m.py": b""}))

"""A process that judges keeps nothing that opens other processes."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from tests.guest.linux.children import in_child

from planish.guest.linux import calls
from planish.guest.verifier import harden

# SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, PERFMON, BPF, CHECKPOINT_RESTORE.
POWERS = sum(1 << number for number in (16, 17, 19, 21, 38, 39, 40))
SETS = ("CapInh", "CapPrm", "CapEff", "CapBnd")
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root has capabilities to lose")


def held() -> list[int]:
    lines = Path("/proc/self/status").read_text().splitlines()
    rows = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return [int(rows[name], 16) for name in SETS]


@ROOT
def test_root_loses_these_capabilities_and_keeps_all_others() -> None:
    def act() -> list[object]:
        before = held()
        harden.lose_powers()
        return [before, held()]

    before, after = in_child(act)
    assert before[2] & POWERS
    assert after == [one & ~POWERS for one in before]


@ROOT
def test_a_process_says_what_leaves_it_open_until_nothing_does() -> None:
    def act() -> list[object]:
        found: list[object] = [harden.why_not_apart([])]
        harden.close_memory()
        found.append(harden.why_not_apart([]))
        calls.no_new_privileges()
        found.append(harden.why_not_apart([]))
        harden.lose_powers()
        found += [harden.why_not_apart(["", "/nowhere"]), harden.why_not_apart(["/tmp"])]  # noqa: S108
        return found

    assert in_child(act) == [
        "this system does not close the memory of the process that judges",
        "programs can gain privileges in this sandbox",
        "programs have privileges in this sandbox that open other processes",
        "",
        "the process that judges imports from /tmp, which programs can write",
    ]


DESCRIPTORS = """
import os
from planish.guest.verifier.harden import keep_only
ends, other = os.pipe(), os.pipe()
kept = keep_only(*ends)
os.write(kept[1], b"x")
open_still = [n for n in (*ends, *other) if os.path.exists(f"/proc/self/fd/{n}")]
print(kept, os.read(kept[0], 1) == b"x", open_still)
"""


@pytest.mark.parametrize(("limit", "first"), [(1024, 900), (512, 240), (128, 60)])
def test_descriptors_that_are_not_wanted_are_closed(limit: int, first: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DESCRIPTORS],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{[first, first + 1]} True []\n", "")


def test_they_are_closed_also_where_there_is_no_room_above() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DESCRIPTORS],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[3, 4] True [3, 4]\n", "")

"""What the docs say is guaranteed is what results say."""
# ruff: noqa: RUF001  # the table has dashes

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from planish.data import GUARANTEES, Guarantee
from planish.data.program import Program
from planish.guest.linux.landlock import abi
from planish_integrations.local import LocalSandbox
from planish_integrations.sandboxes.local._tiers import GUARANTEED, TIERS, Tier

PAGE = Path(__file__).resolve().parents[4] / "docs" / "sandbox.md"
ROW = re.compile(r"^\| `(\w+)` \| ([✓◐–]) \| ([✓◐–]) \| ([✓◐–]) \|", re.MULTILINE)
TABLE = {name: marks for name, *marks in ROW.findall(PAGE.read_text(encoding="utf-8"))}


def test_every_guarantee_has_a_row() -> None:
    assert set(TABLE) == set(GUARANTEES)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("guarantee", sorted(GUARANTEES))
def test_a_tier_promises_what_its_column_says(tier: Tier, guarantee: Guarantee) -> None:
    promised = TABLE[guarantee][TIERS.index(tier)] != "–"
    assert promised == (guarantee in GUARANTEED[tier])


@pytest.mark.skipif(abi() < 6, reason="this Landlock knows no signals")
@pytest.mark.anyio
async def test_a_program_can_signal_only_its_own_processes(
    sandbox: LocalSandbox, python: Callable[..., Program]
) -> None:
    source = "import os\ntry: os.kill(1, 0)\nexcept PermissionError: print('refused')"
    assert (await sandbox.run(python(source))).stdout == b"refused\n"

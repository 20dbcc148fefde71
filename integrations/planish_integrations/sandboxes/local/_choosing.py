"""Which tier to use: the strongest that really holds on this machine."""

import os
import tempfile
from collections.abc import Sequence

from planish.data.sandbox import Guarantee
from planish.errors import SandboxError, UnsupportedError

from ._conversation import Conversation
from ._pool import Pool
from ._recipe import Recipe, asked
from ._running import claim
from ._selftest import TierReport, canaries, escape_program, report_on, surprises
from ._tiers import GUARANTEED, TIERS, Tier

__all__ = ["choose", "probe", "tried"]

_known: dict[tuple[int, Tier], TierReport] = {}  # by process: a fork may be elsewhere


async def probe() -> tuple[TierReport, ...]:
    """Try every tier now, by running a program in it that tries to get out.

    Takes about half a second, and longer where a tier does not work.

    Returns:
        One report for each, the strongest first.
    """
    return tuple([await _try(tier) for tier in TIERS])


async def choose(wanted: Tier | None, require: frozenset[Guarantee]) -> Tier:
    """The tier to use.

    Args:
        wanted: This one and no other; None for the strongest that works.
        require: What it has to guarantee.

    Raises:
        UnsupportedError: no tier works and guarantees that; it says why not, and what would
            help, of each.
    """
    failed: list[TierReport] = []
    for tier in TIERS if wanted is None else (wanted,):
        missing = require - GUARANTEED[tier]
        if missing:
            reason = f"it does not guarantee {', '.join(sorted(missing))}"
            failed.append(TierReport(tier=tier, works=False, reason=reason))
            continue
        report = await tried(tier)
        if report.works:
            return tier
        failed.append(report)
    raise UnsupportedError(_refusal(failed))


async def tried(tier: Tier) -> TierReport:
    """What its self-test has found, which is made once in a process."""
    key = (os.getpid(), tier)
    if key not in _known:
        _known[key] = await _try(tier)
    return _known[key]


async def _try(tier: Tier) -> TierReport:
    pool = Pool()
    recipe = Recipe(tier=tier, spare=1, directory=tempfile.gettempdir())
    try:
        with canaries() as laid:
            program = escape_program(laid.told)
            spare = await claim(pool, recipe)
            talk = Conversation(spare, program)
            try:
                await talk.hold(asked(program, ()))
            finally:
                await spare.put_down()
            found = surprises(tier, laid, talk.completed(tier))
            return report_on(tier, [*found, *(["cleanup: outlive the run"] * talk.outlived())])
    except (SandboxError, UnsupportedError, OSError) as error:
        return report_on(tier, error)
    finally:
        pool.close()


def _refusal(reports: Sequence[TierReport]) -> str:
    lines = ["LocalSandbox: programs cannot be isolated here as asked; nothing was run."]
    for report in reports:
        lines.append(f"- {report.tier}: {report.reason}")
        if report.remedy:
            lines.append(f"  To make it work: {report.remedy}")
    return "\n".join(lines)

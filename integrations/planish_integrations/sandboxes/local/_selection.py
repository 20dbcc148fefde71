"""Which tier to use: the strongest that really holds on this machine."""

import os
import tempfile
from collections.abc import Callable, Sequence

from planish.data.sandbox import Guarantee
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.sandboxes.host import turns

from ._configuration import Recipe, asked
from ._conversation import Conversation
from ._pool import Pool
from ._running import claim
from ._selftest import TierReport, canaries, escape_program, report_on, surprises
from ._tiers import GUARANTEED, TIERS, Tier

__all__ = ["choose", "probe"]

_known: dict[tuple[int, Tier], TierReport] = {}  # by process: a fork may be elsewhere


async def probe() -> tuple[TierReport, ...]:
    """Try every tier now, by running a program in it that tries to get out.

    Takes about half a second, and longer where a tier does not work.

    Returns:
        One report for each, the strongest first.
    """
    return tuple([await _try_alone(tier) for tier in TIERS])


async def choose(
    wanted: Tier | None, require: frozenset[Guarantee], recipe: Callable[[Tier], Recipe], pool: Pool
) -> Tier:
    """The tier to use.

    Args:
        wanted: This one and no other; None for the strongest that works.
        require: What it has to guarantee.
        recipe: What the programs of a tier are to run in.
        pool: Where that will come from. The self-test uses it too, if it adds nothing to the
            tier: then the first program finds it started.

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
        report = await _tried(recipe(tier), pool)
        if report.works:
            return tier
        failed.append(report)
    raise UnsupportedError(_refusal(failed))


async def _tried(recipe: Recipe, pool: Pool) -> TierReport:
    """What the self-test of a recipe's tier has found, which is made once in a process."""
    key = (os.getpid(), recipe.tier)
    async with turns(_tried):
        if key in _known:
            return _known[key]
        if recipe != _plain(recipe.tier, recipe.spare):
            report = await _try_alone(recipe.tier)
        else:
            report = await _try_and_keep(recipe, pool)
        _known[key] = report
        return report


async def _try_and_keep(recipe: Recipe, pool: Pool) -> TierReport:
    report = None
    try:
        report = await _try(recipe, pool)
        return report
    finally:
        if report is None or not report.works:
            await pool.aclose()


def _plain(tier: Tier, spare: int = 1) -> Recipe:
    return Recipe(tier=tier, spare=spare, directory=tempfile.gettempdir())


async def _try_alone(tier: Tier) -> TierReport:
    pool = Pool()
    try:
        return await _try(_plain(tier), pool)
    finally:
        pool.close()


async def _try(recipe: Recipe, pool: Pool) -> TierReport:
    tier = recipe.tier
    try:
        with canaries() as laid:
            program = escape_program(laid.told)
            spare = await claim(pool, recipe)
            talk = Conversation(spare, program)
            try:
                await talk.wait(asked(program, ()))
            finally:
                await spare.put_down()
            found = surprises(tier, laid, talk.completed(tier))
            return report_on(tier, [*found, *(["cleanup: outlive the run"] * talk.outlived())])
    except (SandboxError, UnsupportedError, OSError) as error:
        return report_on(tier, error)


def _refusal(reports: Sequence[TierReport]) -> str:
    lines = ["LocalSandbox: programs cannot be isolated here as asked; nothing was run."]
    for report in reports:
        lines.append(f"- {report.tier}: {report.reason}")
        if report.remedy:
            lines.append(f"  To make it work: {report.remedy}")
    return "\n".join(lines)

"""Select the strongest tier that works on this machine, by running a self-test in it."""

import os
import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from planish.data.sandbox import Guarantee
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.sandboxes.host import require_installed, require_pytest, turns

from ._configuration import ZygoteConfig, encode_request
from ._conversation import Conversation
from ._pool import Pool
from ._running import acquire
from ._selftest import TierReport, canaries, find_escapes, make_escape_program, report_on
from ._tiers import GUARANTEED, TIERS, Tier

if TYPE_CHECKING:
    from planish_integrations.environments import Environments

__all__ = ["HasTier", "probe", "select_tier"]

_reports: dict[tuple[int, Tier], TierReport] = {}  # by process: a fork may be in another place


class HasTier:
    """A sandbox that runs programs on a tier, which it selects when one is first needed."""

    _tier: Tier | None
    _require: frozenset[Guarantee]
    _preload: tuple[str, ...]
    _packages: tuple[str, ...]
    _readable: tuple[str, ...]
    _environments: "Environments | None"
    _spare: int
    _pool: Pool
    _default: ZygoteConfig | None

    async def require_ready(self, *, pytest: bool) -> None:
        """Check that programs can run here, before the first one. See `KnowsLanguages`.

        Args:
            pytest: Check that the interpreter has pytest, too.

        Raises:
            UnsupportedError: no tier works here, with the reason and the remedy for each; or there
                is no pytest, or no module of `preload`, and neither `packages` nor `environments`
                can have it.
            SandboxError: the system is out of something that the self-test needs.
        """
        if pytest and not self._packages and self._environments is None:
            require_pytest()
        if not self._packages and self._environments is None:
            require_installed("LocalSandbox(preload=...)", self._preload)
        await self._default_config()

    async def _default_config(self) -> ZygoteConfig:
        """Return the configuration for programs that need no packages of their own."""
        if self._default is None:
            tier = await select_tier(self._tier, self._require, self._config, self._pool)
            self._default = self._config(tier)
        return self._default

    def _config(self, tier: Tier, packages: tuple[str, ...] = ()) -> ZygoteConfig:
        return ZygoteConfig(
            tier=tier,
            preload=self._preload,
            packages=(*packages, *self._packages),
            readable=self._readable,
            spare=self._spare,
            directory=tempfile.gettempdir(),
        )


async def probe() -> tuple[TierReport, ...]:
    """Test every tier now, by running a program in it that tries to escape.

    Takes about half a second, and longer where a tier does not work.

    Returns:
        One report for each tier, the strongest first.
    """
    return tuple([await _test_alone(tier) for tier in TIERS])


async def select_tier(
    wanted: Tier | None,
    require: frozenset[Guarantee],
    config: Callable[[Tier], ZygoteConfig],
    pool: Pool,
) -> Tier:
    """Return the tier to use.

    Args:
        wanted: Use this tier and no other; None for the strongest that works.
        require: What it has to guarantee.
        config: Returns the configuration that the programs of a tier are to run in.
        pool: Where their workers will come from. The self-test uses it too, if the configuration
            adds nothing to the tier; then the first program finds its template process started.

    Raises:
        UnsupportedError: no tier works and guarantees that; the message has the reason and the
            remedy for each.
        SandboxError: the system is out of something that the self-test needs.
    """
    failed: list[TierReport] = []
    for tier in TIERS if wanted is None else (wanted,):
        missing = require - GUARANTEED[tier]
        if missing:
            reason = f"it does not guarantee {', '.join(sorted(missing))}"
            failed.append(TierReport(tier=tier, works=False, reason=reason))
            continue
        report = await _report(config(tier), pool)
        if report.works:
            return tier
        failed.append(report)
    raise UnsupportedError(_refusal(failed))


async def _report(config: ZygoteConfig, pool: Pool) -> TierReport:
    """Return the report on the tier of a configuration; test it once in each process."""
    key = (os.getpid(), config.tier)
    async with turns(_report):
        if key in _reports:
            return _reports[key]
        if config != _plain(config.tier, config.spare):
            report = await _test_alone(config.tier)
        else:
            report = await _test_in_pool(config, pool)
        _reports[key] = report
        return report


async def _test_in_pool(config: ZygoteConfig, pool: Pool) -> TierReport:
    report = None
    try:
        report = await _test(config, pool)
        return report
    finally:
        if report is None or not report.works:
            await pool.aclose()


def _plain(tier: Tier, spare: int = 1) -> ZygoteConfig:
    return ZygoteConfig(tier=tier, spare=spare, directory=tempfile.gettempdir())


async def _test_alone(tier: Tier) -> TierReport:
    pool = Pool()
    try:
        return await _test(_plain(tier), pool)
    finally:
        pool.close()


async def _test(config: ZygoteConfig, pool: Pool) -> TierReport:
    tier = config.tier
    try:
        with canaries() as placed:
            program = make_escape_program(placed.facts)
            worker = await acquire(pool, config)
            conversation = Conversation(worker, program)
            try:
                await conversation.wait(encode_request(program, ()))
            finally:
                await worker.finish()
            found = find_escapes(tier, placed, conversation.completed(tier))
            survived = ["cleanup: outlive the run"] * conversation.has_open_output()
            return report_on(tier, [*found, *survived])
    except (SandboxError, UnsupportedError, OSError) as error:
        return report_on(tier, error)


def _refusal(reports: Sequence[TierReport]) -> str:
    lines = ["LocalSandbox: programs cannot be isolated here as required; nothing was run."]
    for report in reports:
        lines.append(f"- {report.tier}: {report.reason}")
        if report.remedy:
            lines.append(f"  To make it work: {report.remedy}")
    return "\n".join(lines)

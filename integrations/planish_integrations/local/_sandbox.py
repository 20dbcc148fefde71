"""The sandbox that runs programs on this machine, isolated."""

import sys
from collections.abc import Mapping
from pathlib import Path

from planish.data.program import Completed, Program
from planish.programs import check_program

from ._conversation import Conversation
from ._languages import LANGUAGES, find
from ._recipe import Recipe, asked
from ._slots import cpus, slots
from ._tiers import Tier
from ._zygote import Zygote

__all__ = ["LocalSandbox"]


class LocalSandbox:
    """X."""

    def __init__(
        self,
        *,
        tier: Tier | None = None,
        concurrency: int | None = None,
        languages: Mapping[str, tuple[str, ...]] = LANGUAGES,
    ) -> None:
        self._tier: Tier = tier or "namespaces"
        self._concurrency = concurrency or max(2, cpus())
        self._languages = dict(languages)
        self._recipe = Recipe(tier=self._tier)
        self._zygote: Zygote | None = None

    @property
    def name(self) -> str:
        """Always "local"."""
        return "local"

    async def run(self, program: Program) -> Completed:
        """Run one."""
        check_program(program)
        argv = find(program.language, self._languages)
        env = self._env(program)
        async with slots(self, self._concurrency):
            if self._zygote is None or not self._zygote.usable:
                self._zygote = Zygote(self._recipe)
            spare = await self._zygote.claim()
            try:
                talk = Conversation(spare, program)
                await talk.hold(asked(program, argv, env, "/work"))
            finally:
                spare.close()
            return talk.completed(self._tier)

    def _env(self, program: Program) -> dict[str, str]:
        own = {
            "PATH": f"{Path(self._recipe.shown(sys.executable)).parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": "/tmp/home",
            "TMPDIR": "/tmp",
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
        }
        return {**own, **program.env}

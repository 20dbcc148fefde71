"""Get exactly one environment, or an error that names what is in the way."""

from collections.abc import Callable
from dataclasses import replace

from planish.errors import UnsupportedError

from ._builder import Builder
from ._raising import raise_unless_package, said
from ._requirements import parsed
from ._rules import Rules
from ._settle import Replace, Settled, blamed
from ._spec import EnvSpec
from ._store import Built

__all__ = ["insist"]


async def insist(
    builder: Builder,
    ours: Callable[[EnvSpec], EnvSpec],
    rules: Rules,
    spec: EnvSpec,
    *,
    replacing: Replace | None,
    tries: int,
) -> Settled:
    """The environment of a specification, with replacements for what cannot be had.

    Args:
        builder: What builds.
        ours: Adds the settings that always hold.
        rules: What a replacement has to be allowed by.
        spec: What is asked for; allowed already.
        replacing: Asked for replacements; None to have none.
        tries: How often it may be asked.

    Raises:
        UnsupportedError: a requirement cannot be had; the message names it.
    """
    asking = _Asking(replacing, rules, tries)

    def make(requirements: tuple[str, ...]) -> EnvSpec:
        return ours(replace(spec, requirements=requirements))

    texts = spec.requirements
    while texts:
        found, fresh = await builder.get(make(texts))
        if isinstance(found, Built):
            return Settled(make(texts), found, fresh, ())
        raise_unless_package(found)
        bad = (await blamed(builder, make, texts, found))[0]
        other = await asking.instead_of(bad, said(found))
        texts = make((*(one for one in texts if one != bad), other)).requirements
    return Settled(make(()), None, fresh=False, lost=())


class _Asking:
    """Asks for replacements, so often and no more."""

    def __init__(self, replacing: Replace | None, rules: Rules, tries: int) -> None:
        self._replacing = replacing
        self._rules = rules
        self._left = tries

    async def instead_of(self, bad: str, why: str) -> str:
        """Another requirement, that is allowed.

        Raises:
            UnsupportedError: there is none.
        """
        reason = why
        while self._replacing is not None and self._left:
            self._left -= 1
            offered = await self._replacing(bad, reason)
            if offered is None:
                break
            refusal = self._rules.refusal(parsed(offered))
            if refusal is None:
                return offered
            reason = refusal
        raise UnsupportedError(f"{bad!r} cannot be installed: {why}")

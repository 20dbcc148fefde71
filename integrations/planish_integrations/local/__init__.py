"""Run programs on this machine, isolated from it."""

from ._languages import LANGUAGES
from ._sandbox import LocalSandbox
from ._tiers import Tier

__all__ = ["LANGUAGES", "LocalSandbox", "Tier"]

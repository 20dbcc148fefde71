"""Run programs on this machine, isolated from it."""

from planish_integrations.sandboxes.host import LANGUAGES

from ._interactive import InteractiveProgram
from ._sandbox import LocalSandbox
from ._selection import probe
from ._selftest import TierReport
from ._tiers import Tier

__all__ = ["LANGUAGES", "InteractiveProgram", "LocalSandbox", "Tier", "TierReport", "probe"]

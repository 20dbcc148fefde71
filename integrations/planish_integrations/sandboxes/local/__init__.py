"""Run programs on this machine, isolated from it."""

from planish_integrations.sandboxes.host import LANGUAGES

from ._choosing import probe
from ._held import Held
from ._sandbox import LocalSandbox
from ._selftest import TierReport
from ._tiers import Tier

__all__ = ["LANGUAGES", "Held", "LocalSandbox", "Tier", "TierReport", "probe"]

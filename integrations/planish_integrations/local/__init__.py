"""Run programs on this machine, isolated. (Being built: for now it is the one that is not.)"""

from planish_integrations.unsafe import LANGUAGES
from planish_integrations.unsafe import UnsafeLocalSandbox as LocalSandbox

__all__ = ["LANGUAGES", "LocalSandbox"]

"""Run programs on this machine without isolation: limits, and nothing left, no more."""

from planish_integrations.sandboxes.host import LANGUAGES

from ._sandbox import UnsafeLocalSandbox

__all__ = ["LANGUAGES", "UnsafeLocalSandbox"]

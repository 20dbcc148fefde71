"""Run programs on this machine without isolation: limits, and nothing left, no more."""

from planish_integrations.sandboxes.unsafe import LANGUAGES, UnsafeLocalSandbox

__all__ = ["LANGUAGES", "UnsafeLocalSandbox"]

"""Run programs on this machine: limits, and nothing left, but no isolation."""

from ._languages import LANGUAGES
from ._sandbox import LocalSandbox

__all__ = ["LANGUAGES", "LocalSandbox"]

"""Package environments for programs: find imports, install what is allowed, cache the result."""

from ._environments import Environments
from ._imports import Import, imports_of
from ._records import Environment, Install
from ._sandbox import InEnvironment
from ._spec import EnvSpec

__all__ = [
    "EnvSpec",
    "Environment",
    "Environments",
    "Import",
    "InEnvironment",
    "Install",
    "imports_of",
]

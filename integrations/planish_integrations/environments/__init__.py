"""What programs may import: found without a model, installed once, kept under a fingerprint."""

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

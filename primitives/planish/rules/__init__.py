"""Rules that refuse code before it runs, for `CodePolicy`: pure functions of a candidate.

A rule reads the syntax tree. It finds what a model wrote without care, early and with a reason
that the model can act on. It is no isolation: code that is written to evade a rule can do so, and
what must not happen is prevented by the sandbox.
"""

from planish.rules._additions import add_imports
from planish.rules._rules import (
    DEFAULT_RULES,
    NETWORK_MODULES,
    Rule,
    forbid_calls,
    forbid_imports,
    forbid_network,
    forbid_paths,
    forbid_placeholders,
    limit_size,
)

__all__ = [
    "DEFAULT_RULES",
    "NETWORK_MODULES",
    "Rule",
    "add_imports",
    "forbid_calls",
    "forbid_imports",
    "forbid_network",
    "forbid_paths",
    "forbid_placeholders",
    "limit_size",
]

"""Findings of an execution, hints, and feedback policies for `Retry(feedback=...)`."""

from planish.feedback._findings import environment_findings, execution_findings
from planish.feedback._hidden import hidden_tests
from planish.feedback._hints import HINTS, Hints, hint_for
from planish.feedback._policies import (
    Policy,
    Rule,
    add_hints,
    error_signatures,
    restart_after,
    restart_on_repeat,
    rules,
    window,
)

__all__ = [
    "HINTS",
    "Hints",
    "Policy",
    "Rule",
    "add_hints",
    "environment_findings",
    "error_signatures",
    "execution_findings",
    "hidden_tests",
    "hint_for",
    "restart_after",
    "restart_on_repeat",
    "rules",
    "window",
]

"""Findings of an execution, hints, and feedback policies for `Retry(feedback=...)`."""

from typing import TYPE_CHECKING

from planish.loading import load_on_use

if TYPE_CHECKING:
    from planish.feedback._findings import (
        environment_findings,
        execution_findings,
        failure_kind,
    )
    from planish.feedback._hidden import hidden_tests
    from planish.feedback._hints import HINTS, Hints, hint_for
    from planish.feedback._policies import (
        Policy,
        Rule,
        add_hints,
        error_signatures,
        keep_task,
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
    "failure_kind",
    "hidden_tests",
    "hint_for",
    "keep_task",
    "restart_after",
    "restart_on_repeat",
    "rules",
    "window",
]

_HOMES = {
    "_findings": "environment_findings execution_findings failure_kind",
    "_hidden": "hidden_tests",
    "_hints": "HINTS Hints hint_for",
    "_policies": (
        "Policy Rule add_hints error_signatures keep_task restart_after restart_on_repeat "
        "rules window"
    ),
}

if not TYPE_CHECKING:  # else a checker takes any name for an object, misspelt ones too
    __getattr__ = load_on_use(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__

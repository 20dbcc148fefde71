"""How far a candidate was kept from what decided about it, and whether anything was compared."""

import ast
from collections.abc import Sequence

from planish.data.candidate import Candidate
from planish.data.execution import Separation
from planish.data.program import Completed
from planish.data.tests import Assertions, Cases, PytestFile, StdioPairs, Tests
from planish.verification._plan import tree_of
from planish.verification._records import Run
from planish.verification._together import why_together

__all__ = ["compares", "separation_of"]

_COMPARING = ("assert", "raises", "fail", "check", "expect", "verify", "warns", "approx")


def separation_of(
    candidate: Candidate, completed: Sequence[Completed], runs: Sequence[Run]
) -> tuple[Separation, tuple[str, ...]]:
    """Name the separation of a run, and why it is less than "isolated", a sentence each."""
    match candidate.task.tests:
        case None:
            return "exit_code", ("there are no tests: only the exit code was looked at",)
        case StdioPairs():
            reasons = _of_output(completed)
        case tests if together := why_together(tests):
            reasons = [together]
        case _:
            reasons = [reason for one in completed for reason in _of_sandbox(one)]
            reasons += [reason for run in runs for reason in run.weakened_by]
            if not reasons and not all(run.apart for run in runs):
                reasons = ["the process that judges did not report that it is kept apart"]
    found = tuple(dict.fromkeys(reasons))
    return ("shared_process" if found else "isolated"), found


def _of_output(completed: Sequence[Completed]) -> list[str]:
    """The host compares what a program wrote, so it must not see what it is compared with."""
    if all("files" in one.guarantees for one in completed):
        return []
    return ["the sandbox does not keep programs from the files of the machine that judges"]


def _of_sandbox(completed: Completed) -> list[str]:
    reasons: list[str] = []
    if completed.results is None:
        reasons.append("the sandbox has no descriptor for results: they passed through a file")
    if "results" not in completed.guarantees:
        reasons.append(
            "the sandbox does not promise that programs cannot reach the process that judges"
        )
    return reasons


def compares(tests: Tests | None) -> bool:
    """Tell whether anything in the tests compares: an assert, or a call named like one."""
    match tests:
        case Assertions():
            return _compares(tree_of(tests.code))
        case PytestFile():
            return _compares(tree_of(tests.source))
        case Cases() | StdioPairs():
            return True
        case _:
            return False


def _compares(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert | ast.Raise):
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if any(word in name.lower() for word in _COMPARING):
                return True
    return False

"""The values that flow through a pipeline: tasks, tests, candidates, executions, verdicts, reports.

They know nothing of what makes them. Each name is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from planish.loading import load_on_use

if TYPE_CHECKING:
    from planish.data.attempt import Attempt, Branch, BranchOutcome
    from planish.data.candidate import Candidate, Problem
    from planish.data.contract import (
        AnyFile,
        Contract,
        CsvFile,
        FileFormat,
        Folder,
        ImageFile,
        JsonFile,
        TextFile,
        ValueFile,
    )
    from planish.data.execution import SEPARATIONS, Execution, Failure, Separation, TestResult
    from planish.data.feedback import EarlierCode, Feedback, Issue, PreviousAttempt
    from planish.data.history import History
    from planish.data.literal import parse_literal, to_source
    from planish.data.message import FinishReason, Message, Reply, Request, Role
    from planish.data.program import Completed, LimitName, Program, ResourceLimits, check_program
    from planish.data.record import Record
    from planish.data.report import Report
    from planish.data.sandbox import GUARANTEES, Display, Guarantee, Variable
    from planish.data.status import NEUTRAL_STATUSES, FailureKind, Place, Status, TestStatus
    from planish.data.task import Task, TestsLike
    from planish.data.tests import (
        Assertions,
        Case,
        Cases,
        Compare,
        Origin,
        PytestFile,
        Stdio,
        StdioPairs,
        Tests,
        Tolerance,
    )
    from planish.data.trail import TrailEntry
    from planish.data.usage import FREE, ModelPrice, Price, Usage, attach_usage, usage_of
    from planish.data.verdict import (
        ORIGINS,
        Evidence,
        EvidenceOrigin,
        Finding,
        Label,
        Severity,
        Verdict,
    )

__all__ = [
    "FREE",
    "GUARANTEES",
    "NEUTRAL_STATUSES",
    "ORIGINS",
    "SEPARATIONS",
    "AnyFile",
    "Assertions",
    "Attempt",
    "Branch",
    "BranchOutcome",
    "Candidate",
    "Case",
    "Cases",
    "Compare",
    "Completed",
    "Contract",
    "CsvFile",
    "Display",
    "EarlierCode",
    "Evidence",
    "EvidenceOrigin",
    "Execution",
    "Failure",
    "FailureKind",
    "Feedback",
    "FileFormat",
    "Finding",
    "FinishReason",
    "Folder",
    "Guarantee",
    "History",
    "ImageFile",
    "Issue",
    "JsonFile",
    "Label",
    "LimitName",
    "Message",
    "ModelPrice",
    "Origin",
    "Place",
    "PreviousAttempt",
    "Price",
    "Problem",
    "Program",
    "PytestFile",
    "Record",
    "Reply",
    "Report",
    "Request",
    "ResourceLimits",
    "Role",
    "Separation",
    "Severity",
    "Status",
    "Stdio",
    "StdioPairs",
    "Task",
    "TestResult",
    "TestStatus",
    "Tests",
    "TestsLike",
    "TextFile",
    "Tolerance",
    "TrailEntry",
    "Usage",
    "ValueFile",
    "Variable",
    "Verdict",
    "attach_usage",
    "check_program",
    "parse_literal",
    "to_source",
    "usage_of",
]

_HOMES = {
    "candidate": "Candidate Problem",
    "contract": "AnyFile Contract CsvFile FileFormat Folder ImageFile JsonFile TextFile ValueFile",
    "execution": "SEPARATIONS Execution Failure Separation TestResult",
    "feedback": "EarlierCode Feedback Issue PreviousAttempt",
    "history": "History",
    "literal": "parse_literal to_source",
    "message": "FinishReason Message Reply Request Role",
    "program": "Completed LimitName Program ResourceLimits check_program",
    "record": "Record",
    "attempt": "Attempt Branch BranchOutcome",
    "report": "Report",
    "sandbox": "GUARANTEES Display Guarantee Variable",
    "status": "NEUTRAL_STATUSES FailureKind Place Status TestStatus",
    "task": "Task TestsLike",
    "tests": "Assertions Case Cases Compare Origin PytestFile Stdio StdioPairs Tests Tolerance",
    "trail": "TrailEntry",
    "usage": "FREE ModelPrice Price Usage attach_usage usage_of",
    "verdict": "ORIGINS Evidence EvidenceOrigin Finding Label Severity Verdict",
}

if not TYPE_CHECKING:  # else a checker takes any name for an object, misspelt ones too
    __getattr__ = load_on_use(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__

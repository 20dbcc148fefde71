"""The action that each event stands for."""

import pytest

from planish.data.attempt import Attempt
from planish.data.candidate import Candidate
from planish.data.events import (
    AttemptStarted,
    BranchEnded,
    CandidateJudged,
    CodeExecuted,
    CodeGenerated,
    Event,
    LoopStopped,
    ModelCallEnded,
    ModelCallStarted,
    RunEnded,
    RunStarted,
    SandboxChanged,
    SandboxRunEnded,
    SandboxRunStarted,
    TokensReceived,
)
from planish.data.execution import Execution
from planish.data.feedback import Feedback
from planish.data.message import Request
from planish.data.report import Report
from planish.data.status import Status
from planish.data.task import Task
from planish.data.verdict import Verdict

TASK = Task("Do it.")
FIRST = Candidate(task=TASK, code="x")
AGAIN = Candidate(task=TASK.with_feedback(Feedback(attempt=1)), code="x")
EXECUTION = Execution(candidate=FIRST, status=Status.SUCCESS)
VERDICT = Verdict(execution=EXECUTION, label="passed")
REPORT = Report(task=TASK, history=(Attempt(index=1, verdict=VERDICT),))


@pytest.mark.parametrize(
    ("event", "action"),
    [
        (CodeGenerated(candidate=FIRST), "generate"),
        (CodeGenerated(candidate=AGAIN), "regenerate"),
        (CodeExecuted(execution=EXECUTION), "execute"),
        (CandidateJudged(report=REPORT), "analyze"),
        (LoopStopped(reason="success", passed=True, score=1.0), "terminate"),
        (RunStarted(pipeline="Retry"), None),
        (RunEnded(pipeline="Retry"), None),
        (AttemptStarted(), None),
        (TokensReceived(text="x"), None),
        (BranchEnded(name="Race", outcome="won"), None),
        (ModelCallStarted(model="m", provider="p", request=Request(messages=())), None),
        (ModelCallEnded(model="m", provider="p"), None),
        (SandboxRunStarted(sandbox="local"), None),
        (SandboxRunEnded(sandbox="local"), None),
        (SandboxChanged(sandbox="e2b", sandbox_id="1", state="created"), None),
    ],
)
def test_an_event_stands_for_an_action_or_none(event: Event, action: str | None) -> None:
    assert event.action == action
    assert (event.path, event.attempt) == ((), 0)

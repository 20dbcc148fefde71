"""Feedback on tests that the model must not see."""

from dataclasses import replace
from typing import Literal

from planish.data.execution import Execution
from planish.data.feedback import Feedback
from planish.data.next_feedback import feedback_of
from planish.data.report import Report
from planish.data.status import Status
from planish.feedback._policies import Policy

__all__ = ["hidden_tests"]

_NAMED = frozenset(
    {
        *("AssertionError", "AttributeError", "EOFError", "ImportError", "IndexError", "KeyError"),
        *("MemoryError", "ModuleNotFoundError", "NameError", "NotImplementedError", "OSError"),
        *("OverflowError", "RecursionError", "StopIteration", "Timeout", "TypeError"),
        *("UnboundLocalError", "UnicodeError", "ValueError", "ZeroDivisionError"),
    }
)
"""Exceptions that feedback may name: a candidate chooses which one, but not its message."""

_STOPS = frozenset({"EarlyExit", "Killed", "ResourceLimit", "Tampering", "Timeout"})


class hidden_tests(Policy):
    """A feedback policy for loops whose own tests are hidden from the model.

    What a candidate can shape while a test runs carries the test's inputs: the class, the message
    and the place of an exception, output, values, the number of tests that fail. None of that is
    in the feedback. What went wrong before any test ran, such as a syntax error or a failing
    import, is in it as usual.

    Where you can, split the tests instead: `Task(tests=visible, accept=hidden)` with `Accept`
    tells the model of the visible tests all there is, and nothing of the hidden ones.

    Put it first: what policies before it have added to the feedback is left out, because they
    have seen the tests.

    Args:
        tell: What is shown of a test that fails: "nothing", not even that one did; "failed" (the
            default), that one did; "exception", the class of the exception too, if it is one of
            twenty of Python's own. A candidate can encode some bits of an input in its choice
            among these.

    Raises:
        ValueError: there is no such step.
    """

    def __init__(self, tell: Literal["nothing", "failed", "exception"] = "failed") -> None:
        if tell not in ("nothing", "failed", "exception"):
            raise ValueError(f"hidden_tests({tell!r}): 'nothing', 'failed' or 'exception'")
        self.tell: Literal["nothing", "failed", "exception"] = tell

    def revise(self, feedback: Feedback, report: Report) -> Feedback:
        """Return feedback that has nothing of the tests."""
        previous = tuple(
            replace(one, summary="", score=None, status=Status.INFRA_ERROR)
            for one in feedback.previous_attempts
        )
        # Not of `feedback`: what a policy before this one has changed may be of a test.
        own = report.feedback
        if not report.history:
            return replace(own, previous_attempts=previous, score=None, repeats=None)
        attempt = max(report.history, key=lambda one: (_readiness(one.execution), one.index))
        own = feedback_of(attempt.verdict, [one.verdict for one in report.history])
        if _readiness(attempt.execution) < _TESTED:
            return replace(own, previous_attempts=previous, score=None, repeats=None)
        return Feedback(
            text=self._text(attempt.execution, repeats=own.repeats),
            attempt=own.attempt,
            previous_code=own.previous_code,
            previous_files=own.previous_files,
            previous_attempts=previous,
        )

    def _text(self, execution: Execution, *, repeats: int | None) -> str:
        if self.tell == "nothing":
            return "Check the code again: is it right for every input?"
        text = "It does not pass the tests, which cannot be shown."
        if repeats is not None:
            text += f" The code is the same as in attempt {repeats}: change it."
        failure = execution.failure
        if self.tell == "failed" or failure is None:
            return text
        if failure.name == "AssertionError":
            return f"{text} A result is wrong."
        name = failure.name if failure.name in _NAMED else "an exception"
        return f"{text} It ended with {name}."


_NO_CODE, _NOT_LOADED, _TESTED = range(3)


def _readiness(execution: Execution) -> int:
    """Return how far code came, as far as it did not depend on a test.

    The attempt that is shown is chosen by it, and not by its score: which of several attempts at
    one round is the best one says something of the tests.
    """
    if execution.candidate.problem is not None:
        return _NO_CODE
    failure = execution.failure
    unparsed = execution.status is Status.SYNTAX_ERROR and not execution.runs
    raised = (
        failure is not None
        and failure.loading
        and execution.separation == "isolated"
        and failure.name not in _STOPS
        and failure.line is not None
        and all(test.status == "not_run" for test in execution.tests)
    )
    return _NOT_LOADED if unparsed or raised else _TESTED

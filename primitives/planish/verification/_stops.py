"""Programs that did not come to their end."""

import signal

from planish.data.execution import Failure
from planish.data.program import Completed
from planish.verification._records import Run

__all__ = ["stop_of"]


def stop_of(completed: Completed, run: Run, *, tested: bool) -> Failure | None:
    """What stopped a program; None where it came to its end.

    "Timeout" and "ResourceLimit" name the limit, "Killed" the signal; "EarlyExit" is a program
    that ended itself while tests were left to run.

    Args:
        completed: How it ended.
        run: What it has put on record.
        tested: The tests ran in it.
    """
    if completed.limit == "seconds" or run.timed_out:
        limit = completed.duration if run.seconds is None else run.seconds
        return Failure(
            name="Timeout", message=f"the program was stopped at its time limit of {limit:.3g} s"
        )
    if completed.limit is not None:
        return Failure(
            name="ResourceLimit",
            message=f"the program was stopped at its limit of {completed.limit}",
        )
    if completed.signal is not None:
        return Failure(name="Killed", message=f"the program was killed by {_name(completed)}")
    if tested and not run.ended:
        return Failure(
            name="EarlyExit",
            message=f"the program ended itself with exit code {completed.exit_code}, "
            "before all tests had run",
        )
    return None


def _name(completed: Completed) -> str:
    number = completed.signal or 0
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

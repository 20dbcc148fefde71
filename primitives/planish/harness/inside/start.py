"""From the plan to the end of the run."""

from __future__ import annotations

import sys
from os import _exit, unlink

from .channel import channel
from .failure import Witness
from .place import HOME
from .script import run_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .channel import Put
    from .judge import Judge

__all__ = ["start"]

_PLAN = "plan.json"
_FRAMES = 10  # of the harness, below the candidate's: its own recursion gets all that is usual


def start() -> None:
    """Read the plan, run what it says, and end the process."""
    pipe = _parted()
    plan = _plan()
    put = channel(f"{HOME}/{plan['results']}", plan["nonce"])
    streams: Any = (sys.stdout, sys.stderr)
    for stream in streams:  # so that what was printed before a kill is known
        if stream is not None:  # it is where the sandbox gives no stdout
            stream.reconfigure(line_buffering=True)
    if pipe is None and HOME not in sys.path:
        sys.path.insert(0, HOME)
    sys.argv = ["solution.py"]
    sys.setrecursionlimit(sys.getrecursionlimit() + _FRAMES)
    put("start", seconds=plan["seconds"])
    witness = Witness(put, plan["candidate"], plan["test_file"], plan["offset"])
    if pipe is None:
        run_script(plan, put, witness)
        return
    from .judge import Judge  # noqa: PLC0415  # it is where there are tests

    judge = Judge(pipe, plan, lambda: _flush((*streams, sys.stdout, sys.stderr)))
    try:
        _test(plan, judge, put, witness)
    except BaseException as error:  # noqa: BLE001  # a test runner that is told to stop
        witness.raised(error)
    put("end")
    if plan["name"] == "__main__":
        _at_exit()
        judge.at_exit()
    judge.stop()
    _flush((*streams, sys.stdout, sys.stderr))
    # Threads are not waited for: what they do no longer matters to any test.
    _exit(0 if witness.clean else 1)


def _parted() -> Any:
    """The way to the candidate; None where there are no tests to be kept from it."""
    try:
        from .judge import part  # noqa: PLC0415  # it is where it is needed
    except ImportError:
        return None
    return part()


def _plan() -> dict[str, Any]:
    """The plan, which is gone from the disk before the candidate runs."""
    with open(_PLAN, encoding="utf-8") as file:  # noqa: PTH123  # pathlib costs 10 ms
        text = file.read()
    unlink(_PLAN)  # noqa: PTH108
    # JSON is Python once these three have names; the json module costs 7 ms.
    names: dict[str, Any] = {"__builtins__": {}, "null": None, "true": True, "false": False}
    plan: dict[str, Any] = eval(text, names)  # noqa: S307  # the host wrote it
    return plan


def _test(plan: dict[str, Any], judge: Judge, put: Put, witness: Witness) -> None:
    # Of the ways of testing only the one that is taken is there to be imported.
    if plan["mode"] == "pytest":
        from .pytests import run_pytest  # noqa: PLC0415

        run_pytest(plan, judge, put, witness)
        return
    raised = judge.load()
    if raised is not None:
        witness.raised(raised)
    elif plan["mode"] == "cases":
        from .cases import run_cases  # noqa: PLC0415

        run_cases(plan, judge, put, witness)
    else:
        from .checks import run_checks  # noqa: PLC0415

        run_checks(plan, judge, put, witness)


def _at_exit() -> None:
    import atexit  # noqa: PLC0415

    try:
        # What the interpreter calls at its end.
        atexit._run_exitfuncs()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    except BaseException:  # noqa: BLE001  # printed already, and of no interest to any test
        return


def _flush(streams: Sequence[Any]) -> None:
    for stream in streams:
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # closed, or replaced by something else
            continue

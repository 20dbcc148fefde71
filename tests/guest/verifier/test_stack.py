"""Where a candidate is when its time is over, and what it can do about that."""

import os

import pytest

from planish import Candidate, CodeExecution, Execution, Task
from planish.data import ResourceLimits
from planish.guest.verifier.guard import base_names
from planish.guest.verifier.pipe import Pipe, _frames  # pyright: ignore[reportPrivateUsage]
from planish_integrations.local import LocalSandbox

HEAD = "import faulthandler, os, signal, threading, time\ndef f(x):\n    "

IGNORE = "signal.signal(39, signal.SIG_IGN)"


async def stopped(body: str) -> Execution:
    """The execution of a candidate that is stopped at its time limit."""
    task = Task("Do it.", tests="assert f(1) == 1")
    execution = CodeExecution(LocalSandbox(), limits=ResourceLimits(seconds=0.5))
    return await execution.run(Candidate(task=task, code=HEAD + body))


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("while True: pass", 3),
        ("time.sleep(60)", 3),
        ("def g(): time.sleep(60)\n    g()", 3),
        ("threading.Thread(target=time.sleep, args=(60,)).start()\n    time.sleep(60)", 4),
        # What takes the signal away has no line, and is stopped all the same.
        (f"faulthandler.unregister(39)\n    {IGNORE}\n    time.sleep(60)", None),
        ("signal.pthread_sigmask(signal.SIG_BLOCK, {39})\n    while True: pass", None),
    ],
)  # fmt: skip
async def test_a_candidate_is_stopped_at_its_line(body: str, line: int | None) -> None:
    execution = await stopped(body)
    assert execution.failure is not None
    assert (execution.status, execution.failure.name) == ("timeout", "Timeout")
    assert execution.failure.line == line
    assert execution.tests[0].solution_line == line


@pytest.mark.anyio
async def test_what_a_candidate_writes_to_the_pipe_is_a_line_at_most() -> None:
    lie = r'b"\n  File \"solution.py\", line 3 in f\n  File \"<b>\", line 9999999999 in g\n"'
    body = (
        "for number in range(3, 1024):\n        try: os.write(number, " + lie + " * 99)\n"
        "        except OSError: pass\n    time.sleep(60)"
    )
    execution = await stopped(body)
    assert not any(test.status == "passed" for test in execution.tests)
    assert execution.failure is None or execution.failure.line in (None, 3, 4, 5, 6)


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ('  File "a.py", line 4 in f\n  File "b.py", line 5 in g', [("a.py", 4), ("b.py", 5)]),
        ('Current thread 0x7f (most recent call first):\n  File "a", line 1 in f', [("a", 1)]),
        ('  File "a.py", line 12345678 in f', []),
        ('  File "a.py", line -3 in f', []),
        ('  File "a.py", line x in f', []),
        ('File "a.py", line 4', [("a.py", 4)]),
        ("", []),
        ("\0" * 100 + '", line 3', []),
    ],
)
def test_frames_are_read_from_any_text(text: str, frames: list[tuple[str, int]]) -> None:
    assert _frames(text) == frames


def test_a_pipe_without_a_child_has_no_stack() -> None:
    incoming, outgoing = os.pipe()
    try:
        assert Pipe(incoming, outgoing).stack() == []
    finally:
        os.close(incoming)
        os.close(outgoing)


def test_names_of_base_classes_are_read_without_running_a_metaclass() -> None:
    class Hostile(type):
        def mro(cls) -> list[type]:
            return [*type.mro(cls)]

        def __getattribute__(cls, name: str) -> object:
            raise SystemExit(name)

    class OwnError(KeyError, metaclass=Hostile):
        pass

    value = Exception.__new__(OwnError)
    assert base_names(value) == ["KeyError", "LookupError", "Exception", "BaseException"]
    odd: type = type("a b", (ValueError,), {})
    assert base_names(type("C", (odd,), {})()) == ["ValueError", "Exception", "BaseException"]

"""Messages between two processes: whole, bounded, and the end of the other side is noticed."""

import os
import signal
import time
from collections.abc import Iterator

import pytest
from tests.guest.conftest import Started

from planish.guest.verifier.pipe import GoneError, Pipe
from planish.guest.verifier.reader import MalformedError

Ends = tuple[int, int]


@pytest.fixture
def ends() -> Iterator[Ends]:
    """A descriptor to read from, and one to write to it."""
    found = os.pipe()
    yield found
    for one in found:
        try:
            os.close(one)
        except OSError:
            continue


@pytest.mark.parametrize("text", ["", "a", "two\nlines\n", "ä\ud800\x00", "x" * 40_000, "12\n34"])
def test_a_message_comes_as_it_was_sent(ends: Ends, text: str) -> None:
    pipe = Pipe(*ends)
    pipe.send(text)
    pipe.send("next")
    assert pipe.receive() == text
    assert pipe.receive() == "next"


def test_a_long_message_is_put_together(ends: Ends, started: Started) -> None:
    text = "0123456789" * 300_000
    child = started(lambda: Pipe(*ends).send(text))
    pipe = Pipe(*ends, child)
    assert pipe.receive() == text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        *((b"012345678901", "no length"), (b"x\n", "a message of"), (b"-1\na", "a message of")),
        *((b"\n", "a message of"), (b"268435457\n", "a message of"), (b"1 \na", "a message of")),
        *((b"2\n\xff\xfe", "not text"), (b"a" * 100, "no length")),
    ],
)
def test_what_is_no_message_is_refused(ends: Ends, data: bytes, why: str) -> None:
    os.write(ends[1], data)
    os.close(ends[1])
    with pytest.raises(MalformedError, match=why):
        Pipe(*ends).receive()


def test_the_longest_message_may_be_announced(ends: Ends) -> None:
    os.write(ends[1], b"268435456\nabc")
    os.close(ends[1])
    with pytest.raises(GoneError):
        Pipe(*ends).receive()


def test_the_end_of_the_other_side_gives_its_status(ends: Ends, started: Started) -> None:
    child = started(lambda: None)
    os.close(ends[1])
    with pytest.raises(GoneError) as gone:
        Pipe(*ends, child).receive()
    assert gone.value.status == 7 << 8
    assert str(gone.value) == "the program has ended"


def test_without_a_child_the_status_is_not_known(ends: Ends) -> None:
    os.close(ends[1])
    with pytest.raises(GoneError) as gone:
        Pipe(*ends).receive()
    assert gone.value.status is None


def test_a_message_from_a_child_that_ended_is_read_before_its_end_is_told(
    ends: Ends, started: Started
) -> None:
    child = started(lambda: Pipe(*ends).send("last"))
    pipe = Pipe(*ends, child)
    time.sleep(0.05)
    assert pipe.receive() == "last"
    with pytest.raises(GoneError) as gone:  # this process holds an end of the pipe open
        pipe.receive()
    assert gone.value.status == 7 << 8
    assert pipe.child is None


def test_to_send_after_the_end_gives_the_status(ends: Ends, started: Started) -> None:
    child = started(lambda: None)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    os.close(ends[0])
    pipe = Pipe(0, ends[1], child)
    with pytest.raises(GoneError) as gone:
        pipe.send("x")
    assert gone.value.status == 7 << 8


def test_a_child_that_only_closes_the_pipe_is_ended(
    ends: Ends, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planish.guest.verifier.pipe._POLLS", 5)

    def close() -> None:
        os.close(ends[1])
        signal.pause()

    child = started(close)
    os.close(ends[1])
    pipe = Pipe(ends[0], 1, child)
    with pytest.raises(GoneError) as gone:
        pipe.receive()
    assert gone.value.status is None
    assert pipe.child is None
    with pytest.raises(ChildProcessError):
        os.waitpid(child, 0)


def test_a_child_that_computes_too_long_is_stopped(ends: Ends, started: Started) -> None:
    def spin() -> None:
        while True:
            pass

    overdue: list[int] = []
    child = started(spin)
    pipe = Pipe(*ends, child)
    pipe.limit(0.05, lambda: overdue.append(1))
    pipe.check()  # not yet
    with pytest.raises(GoneError) as gone:
        pipe.receive()
    assert (gone.value.status, overdue, pipe.child) == (9, [1], None)
    with pytest.raises(ChildProcessError):
        os.waitpid(child, 0)


def test_a_child_that_idles_too_long_is_stopped(ends: Ends, started: Started) -> None:
    overdue: list[int] = []
    child = started(signal.pause)
    pipe = Pipe(*ends, child)
    pipe.limit(0.05, lambda: overdue.append(1))
    begin = time.monotonic()
    with pytest.raises(GoneError) as gone:
        pipe.receive()
    assert (gone.value.status, overdue) == (9, [1])
    assert time.monotonic() - begin < 5


def test_an_answer_is_waited_for_until_the_deadline(
    ends: Ends, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planish.guest.verifier.pipe._POLLS", 5)
    child = started(signal.pause)
    pipe = Pipe(*ends, child)
    pipe.deadline = time.monotonic() + 0.1
    with pytest.raises(GoneError):
        pipe.receive()
    pipe.send("to itself")
    assert pipe.receive() == "to itself"
    assert pipe.child is None


def test_a_signal_handler_may_raise_while_a_message_is_waited_for(
    ends: Ends, started: Started
) -> None:
    class AlarmError(OSError):
        pass

    def ring(*_args: object) -> None:
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    child = started(signal.pause)
    pipe = Pipe(*ends, child)
    try:
        os.write(ends[1], b"3\na")
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(AlarmError):
            pipe.receive()
        os.write(ends[1], b"bc")
        assert pipe.receive() == "abc"  # what had come is not lost
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_limit_is_for_a_child() -> None:
    pipe = Pipe(0, 1)
    pipe.limit(0.0, lambda: None)
    assert pipe.clock is None
    pipe.check()

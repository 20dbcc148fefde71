"""Progress: one line on a terminal, few lines elsewhere."""

import io

import pytest

from planish_integrations.cli._progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Times:
    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time


def test_elsewhere_a_line_comes_every_ten_seconds_and_one_at_the_end() -> None:
    stream, times = io.StringIO(), Times()
    with Progress(1_000, "tasks", stream=stream, now=times.now) as progress:
        for _ in range(5):
            times.time += 4.0
            progress.advance(100, note="7 solved")
    assert stream.getvalue().splitlines() == [
        "300/1,000 tasks, 7 solved, 12 s",
        "500/1,000 tasks, 7 solved, 20 s",
    ]


def test_what_was_just_said_is_not_said_again() -> None:
    stream, times = io.StringIO(), Times()
    with Progress(1, "tasks", stream=stream, now=times.now) as progress:
        times.time = 11.0
        progress.advance()
    assert stream.getvalue() == "1/1 tasks, 11 s\n"


def test_on_a_terminal_one_line_is_redrawn() -> None:
    stream, times = Terminal(), Times()
    with Progress(3, "tasks", stream=stream, now=times.now) as progress:
        for step in (0.2, 0.01, 0.2):
            times.time += step
            progress.advance()
    clear = "\r\033[K"
    first, *others = stream.getvalue().removeprefix(clear).split(clear)
    assert first == "0/3 tasks, 0 s"
    assert others == ["1/3 tasks, 0 s", "3/3 tasks, 0 s", "3/3 tasks, 0 s\n"]


def interrupted(progress: Progress) -> None:
    with progress:
        progress.advance()
        raise KeyboardInterrupt


def test_when_it_is_cut_short_it_says_no_more() -> None:
    stream = io.StringIO()
    with pytest.raises(KeyboardInterrupt):
        interrupted(Progress(3, "tasks", stream=stream))
    assert stream.getvalue() == ""

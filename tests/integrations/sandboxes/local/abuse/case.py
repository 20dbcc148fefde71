"""One abuse: what is tried, and how it is judged."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.integrations.sandboxes.local.abuse.driving import Ended
from tests.integrations.sandboxes.local.abuse.stage import Leak, Stage

from planish.data.sandbox import Guarantee

__all__ = [
    "Case",
    "Judge",
    "Play",
    "canary",
    "connected",
    "got",
    "harmed",
    "most",
    "once",
    "planted",
]

Play = Callable[[Stage], Leak]
"""Plays a case and tells what got out."""

Judge = Callable[[Stage, Ended], Leak]
"""Tells what got out of a run that has ended, by looking at the host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One of the list.

    Attributes:
        number: Its place in the list.
        title: What is tried.
        promise: The guarantee that would be broken.
        play: Plays it.
        no_control: Why it may fail without a sandbox too, on some machines or for some users;
            empty where it always succeeds there.
    """

    number: int
    title: str
    promise: Guarantee
    play: Play
    no_control: str = ""

    def __str__(self) -> str:
        return f"{self.number:02}-{self.title.replace(' ', '-')}"


def once(source: str, *judges: Judge, **fields: Any) -> Play:
    """A case of one program: the first judge that sees a leak tells it."""

    def play(stage: Stage) -> Leak:
        ended = stage.run(source, **fields)
        assert ended.error is None, f"{ended.error}: {ended.message}"
        tried = ended.facts or ended.signal == 31 or ended.limit
        assert tried, f"it has tried nothing: {ended.stderr.decode(errors='replace')}"
        leaks = (judge(stage, ended) for judge in (*judges, canary))
        return next((leak for leak in leaks if leak), None)

    return play


def canary(stage: Stage, ended: Ended) -> Leak:
    """A canary came out."""
    return stage.canary(ended)


def got(_stage: Stage, ended: Ended) -> Leak:
    """Something that should be refused was not."""
    successes = [f"{fact['what']}: {fact['got']}" for fact in ended.facts if "got" in fact]
    return "; ".join(successes) or None


def planted(stage: Stage, _ended: Ended) -> Leak:
    """Something was written on the host."""
    return stage.host.planted()


def connected(stage: Stage, _ended: Ended) -> Leak:
    """A listener of the host's was reached."""
    return stage.host.connected()


def harmed(stage: Stage, _ended: Ended) -> Leak:
    """Something came to a process that has done no harm."""
    return stage.host.harm()


def most(ended: Ended, fact: str) -> int:
    """The most that was said of one thing."""
    assert ended.facts or ended.limit or ended.signal, ended.stderr.decode(errors="replace")
    return max((one[fact] for one in ended.facts if fact in one), default=0)

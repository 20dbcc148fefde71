"""Why pip failed, read from what it said.

Its exit status says only that it did. The texts are those of pip 23.2 to 26.3, which have not
changed in that time; a text that nobody knows is trouble of the host, never of the package.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ._process import Ended
from ._requirements import name_of

__all__ = ["PACKAGE_TROUBLE", "Trouble", "TroubleKind", "trouble_of"]

TroubleKind = Literal["missing", "broken", "conflict", "denied", "refused", "unreachable", "host"]
"""`refused`: the index wants other credentials; `host`: pip, the disk, this machine."""

PACKAGE_TROUBLE = ("missing", "broken", "conflict", "denied")
"""It is the package: to ask again would not help."""

_UNREACHED = re.compile(r"Could not fetch URL (\S+): (.*)")
_REFUSED = re.compile(r"\b(401|403) Client Error|HTTP error (401|403)\b")
_NOT_THERE = re.compile(r"\b(404|410) Client Error")
_BROKEN_WAY = re.compile(
    r"HTTP error \d+|Max retries exceeded|[Tt]imed out|Connection broken|IncompleteRead|"
    r"Connection(Reset|Refused|Aborted)|ProtocolError|NewConnectionError|NameResolutionError"
)
_HOST = re.compile(r"\[Errno (ENOSPC|28|122|13|30|12)\]")
_MISSING = re.compile(
    r"Could not find a version that satisfies the requirement (\S+)(?: \(from ([^)]+)\))? \(from"
)
_CONFLICT = re.compile(r"Cannot install (.+) because these package versions have conflicting")
_BROKEN = re.compile(
    r"Wheel '([^']+)' located at|ERROR: (\S+) has an invalid wheel|(\S+) has an invalid wheel|"
    r"Requested (\S+) from \S+ has (?:inconsistent|invalid)|THESE PACKAGES DO NOT MATCH()"
)
_FIRST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why an environment was not built.

    Attributes:
        kind: What road it takes.
        names: The distributions it is about, as far as pip names them.
        text: A line for a reader.
    """

    kind: TroubleKind
    names: tuple[str, ...]
    text: str


def trouble_of(ended: Ended) -> Trouble | None:
    """What went wrong in a run of pip; None if nothing did."""
    if ended.code == 0:
        return None
    lines = list(ended.lines)
    if ended.code is None:
        return Trouble("host", (), "the installation took too long and was stopped")
    for judge in (_host, _way, _conflict, _broken, _missing):
        found = judge(lines)
        if found is not None:
            return found
    errors = [line for line in lines if "ERROR" in line] or lines
    said = errors[-1] if errors else f"it ended with status {ended.code} and said nothing"
    return Trouble("host", (), said)


def _host(lines: Sequence[str]) -> Trouble | None:
    return next((Trouble("host", (), one) for one in lines if _HOST.search(one)), None)


def _way(lines: Sequence[str]) -> Trouble | None:
    for line in lines:
        if _REFUSED.search(line):
            return Trouble("refused", (), line)
        page = _UNREACHED.search(line)
        if page is not None and not _NOT_THERE.search(page[2]):
            return Trouble("unreachable", (), line)
    # A warning may tell of trouble that pip's own second try got over.
    errors = [line for line in lines if "WARNING" not in line and not _UNREACHED.search(line)]
    return next(
        (Trouble("unreachable", (), one) for one in errors if _BROKEN_WAY.search(one)), None
    )


def _conflict(lines: Sequence[str]) -> Trouble | None:
    for line in lines:
        found = _CONFLICT.search(line)
        if found is not None:
            because = [one for one in lines if " depends on " in one or " requested " in one]
            # Those that depend on what cannot be, rather than all that were asked for at once.
            needy = [one.partition(" depends on ")[0] for one in because if " depends on " in one]
            named = needy or re.split(r", | and ", found[1])
            text = "; ".join(dict.fromkeys([line.removeprefix("ERROR: "), *because[:5]]))
            return Trouble("conflict", _names(named), text)
    return None


def _broken(lines: Sequence[str]) -> Trouble | None:
    for line in lines:
        found = _BROKEN.search(line)
        if found is not None:
            named = _names(group for group in found.groups() if group)
            # Not pip's own words: they tell where on this machine the file lies.
            return Trouble("broken", named, f"the file of {' '.join(named) or 'one'} is invalid")
    return None


def _missing(lines: Sequence[str]) -> Trouble | None:
    for line in lines:
        found = _MISSING.search(line)
        if found is not None:
            named = [found[1], *([found[2]] if found[2] else [])]
            return Trouble("missing", _names(named), line.removeprefix("ERROR: "))
    return None


def _names(texts: Iterable[str]) -> tuple[str, ...]:
    """The names at the beginning of requirements: of "good>3" and "good==1.0" it is "good"."""
    found = [match[0] for text in texts if (match := _FIRST.match(text.strip()))]
    return tuple(dict.fromkeys(map(name_of, found)))

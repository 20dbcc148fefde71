"""Read edits in a reply: diffs, SEARCH/REPLACE blocks and patches, and apply them to code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Edit", "apply_edits", "find_edits", "is_edit", "result_of"]

_SEARCH_START = re.compile(r"^[ \t]*<{5,9}[ \t]*(?:SEARCH|ORIGINAL|HEAD)?[ \t]*$", re.MULTILINE)
_DIVIDER = re.compile(r"[ \t]*={5,9}[ \t]*")
_REPLACE_END = re.compile(r"[ \t]*>{5,9}[ \t]*(?:REPLACE|UPDATED)?[^\n]*")
_HUNK = re.compile(r"@@(?:[ \t]*-(?P<line>\d+)(?:,\d+)?[ \t]+\+\d+(?:,\d+)?[ \t]*@@)?.*")
_DIFF_START = re.compile(
    r"^(?:diff --git |--- [^\n]*\n\+\+\+ |@@[ \t]*-\d+(?:,\d+)? \+\d+"
    r"|\*\*\* (?:Begin Patch|Update File:))",
    re.MULTILINE,
)
_TARGET = re.compile(r"(?:\+\+\+|\*\*\* (?:Update|Add) File:)[ \t]+(?:b/)?(?P<path>[^\t\n]+)")
_HEADER = re.compile(
    r"(?:diff --git |index |--- |\+\+\+ |\*\*\* |new file mode |old mode |new mode |similarity "
    r"|rename |deleted file mode )"
)


@dataclass(frozen=True, slots=True)
class Edit:
    """The replacement of consecutive lines.

    Attributes:
        old: The lines to replace, those around included.
        new: The lines in their place.
        line: Number of the first of them, from 1, if the edit names it. Models count badly.
        path: The file, if the edit names it.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    line: int | None = None
    path: str | None = None


def is_edit(text: str, tag: str) -> bool:
    """Return whether a block is an edit: by its marks, or tagged a diff with changed lines."""
    if _SEARCH_START.search(text) or _DIFF_START.search(text):
        return True
    return tag == "diff" and re.search(r"^[+-]", text, re.MULTILINE) is not None


def find_edits(text: str) -> list[Edit]:
    """Return the edits in a block or a reply, in order."""
    if _SEARCH_START.search(text):
        return list(_replacements(text))
    start = _DIFF_START.search(text)
    return list(_hunks(text[start.start() :] if start else text))


def _replacements(text: str) -> Iterator[Edit]:
    """Yield the SEARCH/REPLACE blocks of a text."""
    old: list[str] | None = None
    new: list[str] | None = None
    for line in text.split("\n"):
        if old is None:
            old = [] if _SEARCH_START.fullmatch(line) else None
        elif new is None:
            if _DIVIDER.fullmatch(line):
                new = []
            else:
                old.append(line)
        elif _REPLACE_END.fullmatch(line):
            yield Edit(tuple(old), tuple(new))
            old = new = None
        else:
            new.append(line)


def _hunks(text: str) -> Iterator[Edit]:
    """Yield the hunks of a diff; without hunk headers, its lines are one."""
    old: list[str] = []
    new: list[str] = []
    line: int | None = None
    path: str | None = None

    def hunk() -> Iterator[Edit]:
        if old != new:
            yield Edit(*_without_blank_ends(old, new), line, path)

    for raw in text.split("\n"):
        header = _HUNK.fullmatch(raw)
        if header or _HEADER.match(raw):
            yield from hunk()
            old, new = [], []
            line = int(header["line"]) if header and header["line"] else None
            target = _TARGET.match(raw)
            path = target["path"].strip() if target else path
        elif raw.startswith("-"):
            old.append(raw[1:])
        elif raw.startswith("+"):
            new.append(raw[1:])
        elif not raw.startswith("\\"):  # "\ No newline at end of file"
            shared = raw.removeprefix(" ")
            old.append(shared)
            new.append(shared)
    yield from hunk()


def _without_blank_ends(
    old: Sequence[str], new: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Drop the blank lines that both sides end with: they may be the block's, not the file's."""
    cut = 0
    while cut < min(len(old), len(new)) and not old[-1 - cut].strip() and not new[-1 - cut].strip():
        cut += 1
    return tuple(old[: len(old) - cut]), tuple(new[: len(new) - cut])


def apply_edits(code: str, edits: Sequence[Edit]) -> str | None:
    """Return the code after the edits; None if one of them does not fit it.

    The lines of an edit are searched for: first at the number it names and after the edit
    before, then anywhere; as they are, then without white space at line ends. Of several places
    the nearest is used.
    """
    lines = code.split("\n")
    after = shift = 0
    for edit in edits:
        near = after if edit.line is None else edit.line - 1 + shift
        at = _place(lines, edit, near)
        if at is None:
            return None
        # Lines that stay are kept as they are, whatever white space the edit gives them.
        there = dict(zip(edit.old, lines[at : at + len(edit.old)], strict=True))
        lines[at : at + len(edit.old)] = [there.get(line, line) for line in edit.new]
        after = at + len(edit.new)
        shift += len(edit.new) - len(edit.old)
    return "\n".join(lines)


def _place(lines: Sequence[str], edit: Edit, near: int) -> int | None:
    """Return the index of the line at which an edit fits; None if there is none."""
    if not edit.old:
        empty = not any(line.strip() for line in lines)
        return 0 if empty else min(near, len(lines)) if edit.line is not None else None
    for clean in (str, str.rstrip):
        wanted = [clean(line) for line in edit.old]
        there = [clean(line) for line in lines]
        places = _occurrences(there, wanted)
        if places:
            following = [place for place in places if place >= near]
            if edit.line is None:
                return (following or places)[0]
            return min(places, key=lambda place: abs(place - near))
    return None


def _occurrences(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    first, width = wanted[0], len(wanted)
    found: list[int] = []
    comparisons = 50 * (len(lines) + width)  # more lines than that are all alike
    for index in range(len(lines) - width + 1):
        if lines[index] == first:
            comparisons -= width
            if comparisons < 0:
                break
            if list(lines[index : index + width]) == list(wanted):
                found.append(index)
    return found


def result_of(edits: Sequence[Edit]) -> str:
    """Return the lines that the edits leave, for edits whose code is not known."""
    return "\n".join(line for edit in edits for line in edit.new)

"""Find code among prose, by its lines."""

import re
import textwrap
from collections.abc import Iterator
from itertools import accumulate
from typing import Literal, NamedTuple

from planish.extraction._python import Strings, is_program, parse

__all__ = ["runs"]

# What a statement can start with. Lenient: what starts so must also parse.
_START = re.compile(
    r"@\w|(?:async|def|class|import|from|if|for|while|with|try|match|return|raise|assert|del"
    r"|global|nonlocal|pass|break|continue|yield|await)\b"
    r"|[A-Za-z_(\[][\w.,()\[\] \t\"'*:]{0,200}?[-+*/%&|^@<>]{0,3}=(?!=)"
    r"|[A-Za-z_][\w.]{0,200}\("
)
# Definitions, and headers with an indented line after them: code even when they do not parse.
_BROKEN = re.compile(
    r"(?:@\w[^\n]*\n)*"
    r"(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\("
    r"|class[ \t]+\w+[ \t]*[(:]"
    r"|(?:(?:async[ \t]+)?def|class)[ \t]+\w+[^\n]*\n\s*[ \t]\S"
    r"|for[ \t]+[\w, ()]{1,200}[ \t]in[ \t]+[\w.\[\]]+[^\n]*\n\s*[ \t]\S"
    r"|(?:if|while|with)[ \t][^\n]*[()<>=][^\n]*\n\s*[ \t]\S"
    r"|try[^\n\w]*\n\s*[ \t]\S)"
)
# An assignment or a call: enough beside lines that are code, not enough alone.
_BROKEN_LINE = re.compile(r"[A-Za-z_][\w.\[\]'\"]*(?:[ \t]*[-+*/%&|^@<>]{0,2}=|\()")


def _may_start(line: str, position: int) -> bool:
    """Whether a statement may start at `position`, the first character that is not indent."""
    return _START.match(line, position) is not None


def _is_broken_code(code: str) -> bool:
    """Whether what does not parse is code all the same."""
    return _BROKEN.match(code) is not None


def _is_broken_line(code: str) -> bool:
    """Whether what does not parse is code if its neighbours are."""
    return _BROKEN_LINE.match(code) is not None


_PATIENCE = 2  # how often a text may be read for nothing, in times its length
_GOES_ON = re.compile(r"(?:else|elif|except|finally)\b|[)\]}]")


class _Run(NamedTuple):
    """Lines that belong together, from `begin` to before `end`."""

    begin: int
    end: int
    sure: bool  # code by itself, not only beside code


class _Lines:
    """The lines of a text: where each starts, and its indent."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.raw = text.split("\n")
        self.start = list(accumulate((len(line) + 1 for line in self.raw), initial=0))

    def indent(self, index: int) -> int:
        line = self.raw[index]
        return len(line) - len(line.lstrip())

    def is_blank(self, index: int) -> bool:
        return not self.raw[index].strip()

    def is_comment(self, index: int) -> bool:
        return self.raw[index].lstrip().startswith("#")

    def between(self, begin: int, end: int) -> str:
        return self.text[self.start[begin] : self.start[end] - 1]


def runs(text: str) -> list[str]:
    """The runs of lines of `text` that are code, in order, as they stand there.

    Blank lines and comments may be within a run, prose ends it. Each statement is parsed by
    itself: what does not parse counts only if it is plainly a definition, or looks like a
    statement and stands directly beside one.
    """
    lines = _Lines(text)
    found: list[_Run] = []
    for run in _statements(lines):
        floor = found[-1].end if found else 0
        begin = _with_comments(lines, run.begin, floor)
        if found and _touch(lines, found[-1], run):
            found[-1] = _Run(found[-1].begin, run.end, found[-1].sure or run.sure)
        else:
            found.append(_Run(begin, run.end, run.sure))
    return [lines.between(run.begin, run.end) for run in found if run.sure]


def _with_comments(lines: _Lines, begin: int, floor: int) -> int:
    while begin > floor and lines.is_comment(begin - 1):
        begin -= 1
    return begin


def _touch(lines: _Lines, before: _Run, after: _Run) -> bool:
    gap = range(before.end, after.begin)
    if before.sure and after.sure:
        return all(lines.is_blank(index) or lines.is_comment(index) for index in gap)
    return not gap


def _statements(lines: _Lines) -> Iterator[_Run]:
    """The statements, each as a run of its own."""
    index, patience = 0, _PATIENCE * len(lines.text)
    while index < len(lines.raw):
        begin = index
        index += 1
        if not _may_start(lines.raw[begin], lines.indent(begin)):
            continue
        end, by_string = _extent(lines, begin, minding=patience > 0)
        kind = _judge(lines.between(begin, end))
        if by_string and kind != "code":
            patience -= lines.start[end] - lines.start[begin]
            end, _ = _extent(lines, begin, minding=False)
            kind = _judge(lines.between(begin, end))
        if kind != "prose":
            yield _Run(begin, end, kind != "line")
            index = end
            continue
        patience -= lines.start[end] - lines.start[begin]
        index = index if patience > 0 else end


def _judge(text: str) -> Literal["code", "broken", "line", "prose"]:
    """What `text` is; "line" is code if its neighbours are."""
    code = textwrap.dedent(text)
    tree = parse(code)
    if tree:
        return "code" if is_program(tree) else "prose"
    if _is_broken_code(code):
        return "broken"
    return "line" if _is_broken_line(code) else "prose"


def _extent(lines: _Lines, begin: int, *, minding: bool) -> tuple[int, bool]:
    """Where the statement that starts at line `begin` ends, and whether a string decided it.

    It ends before the next line that is indented no more, unless that goes on (`else`, a
    closing bracket, what a decorator decorates) or is inside a string.
    """
    base, end, by_string = lines.indent(begin), begin + 1, False
    strings = Strings(lines.text, lines.start[begin])
    for index in range(begin + 1, len(lines.raw)):
        if lines.is_blank(index):
            continue
        belongs = (
            lines.indent(index) > base
            or lines.raw[end - 1].startswith("@", base)
            or _GOES_ON.match(lines.raw[index], base) is not None
        )
        if not belongs:
            if not (minding and strings.cover(lines.start[index])):
                break
            by_string = True
        end = index + 1
    return end, by_string

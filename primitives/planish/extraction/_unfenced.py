"""Find unfenced code: the regions of a text whose lines are Python, not prose."""

import re
import textwrap
from collections.abc import Iterator
from itertools import accumulate
from typing import Literal, NamedTuple

from planish.extraction._python import StringLiterals, is_program, parse

__all__ = ["find_code"]

# The start of a statement. Lenient: the statement must also parse.
_START = re.compile(
    r"@\w|(?:async|def|class|import|from|if|for|while|with|try|match|return|raise|assert|del"
    r"|global|nonlocal|pass|break|continue|yield|await)\b"
    r"|[A-Za-z_(\[][\w.,()\[\] \t\"'*:]{0,200}?[-+*/%&|^@<>]{0,3}=(?!=)"
    r"|[A-Za-z_][\w.]{0,200}\("
)
# Definitions, and headers before an indented line: code even if they do not parse.
_INVALID_CODE = re.compile(
    r"(?:@\w[^\n]*\n)*"
    r"(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\("
    r"|class[ \t]+\w+[ \t]*[(:]"
    r"|(?:(?:async[ \t]+)?def|class)[ \t]+\w+[^\n]*\n\s*[ \t]\S"
    r"|for[ \t]+[\w, ()]{1,200}[ \t]in[ \t]+[\w.\[\]]+[^\n]*\n\s*[ \t]\S"
    r"|(?:if|while|with)[ \t][^\n]*[()<>=][^\n]*\n\s*[ \t]\S"
    r"|try[^\n\w]*\n\s*[ \t]\S)"
)
# An assignment or a call that does not parse: code only next to other code.
_INVALID_STATEMENT = re.compile(r"[A-Za-z_][\w.\[\]'\"]*(?:[ \t]*[-+*/%&|^@<>]{0,2}=|\()")
_REREADS = 2  # characters that may be read in vain, as a multiple of the text's length
_CONTINUATION = re.compile(r"(?:else|elif|except|finally)\b|[)\]}]")


def _can_start(line: str, position: int) -> bool:
    """Return whether a statement can start at `position`, the end of the line's indent."""
    return _START.match(line, position) is not None


def _looks_like_code(code: str) -> bool:
    """Return whether text that does not parse is code nevertheless."""
    return _INVALID_CODE.match(code) is not None


def _looks_like_statement(code: str) -> bool:
    """Return whether text that does not parse is code if its neighbours are."""
    return _INVALID_STATEMENT.match(code) is not None


class _Region(NamedTuple):
    """The consecutive lines from `begin` to before `end`."""

    begin: int
    end: int
    standalone: bool  # False: code only next to other code


class _Lines:
    """The lines of a text, with their offsets and indents."""

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

    def text_between(self, begin: int, end: int) -> str:
        return self.text[self.start[begin] : self.start[end] - 1]


def find_code(text: str) -> list[str]:
    """Return the regions of `text` that are code, verbatim and in order.

    Blank lines and comments may be inside a region; prose ends it. Each statement is parsed
    alone. One that does not parse counts if it is clearly a definition, or if it looks like a
    statement and is directly next to code.
    """
    lines = _Lines(text)
    regions: list[_Region] = []
    for region in _statements(lines):
        floor = regions[-1].end if regions else 0
        begin = _include_comments(lines, region.begin, floor)
        if regions and _are_adjacent(lines, regions[-1], region):
            regions[-1] = _Region(
                regions[-1].begin, region.end, regions[-1].standalone or region.standalone
            )
        else:
            regions.append(_Region(begin, region.end, region.standalone))
    return [lines.text_between(region.begin, region.end) for region in regions if region.standalone]


def _include_comments(lines: _Lines, begin: int, floor: int) -> int:
    while begin > floor and lines.is_comment(begin - 1):
        begin -= 1
    return begin


def _are_adjacent(lines: _Lines, before: _Region, after: _Region) -> bool:
    gap = range(before.end, after.begin)
    if before.standalone and after.standalone:
        return all(lines.is_blank(index) or lines.is_comment(index) for index in gap)
    return not gap


def _statements(lines: _Lines) -> Iterator[_Region]:
    """Yield each statement as a region."""
    index, rereads = 0, _REREADS * len(lines.text)
    while index < len(lines.raw):
        begin = index
        index += 1
        if not _can_start(lines.raw[begin], lines.indent(begin)):
            continue
        end, by_string = _statement_end(lines, begin, skip_strings=rereads > 0)
        kind = _classify(lines.text_between(begin, end))
        if by_string and kind != "code":
            rereads -= lines.start[end] - lines.start[begin]
            end, _ = _statement_end(lines, begin, skip_strings=False)
            kind = _classify(lines.text_between(begin, end))
        if kind != "prose":
            yield _Region(begin, end, kind != "line")
            index = end
            continue
        rereads -= lines.start[end] - lines.start[begin]
        index = index if rereads > 0 else end


def _classify(text: str) -> Literal["code", "broken", "line", "prose"]:
    """Classify `text`: code, code that does not parse, code if its neighbours are, or prose."""
    code = textwrap.dedent(text)
    tree = parse(code)
    if tree:
        return "code" if is_program(tree) else "prose"
    if _looks_like_code(code):
        return "broken"
    return "line" if _looks_like_statement(code) else "prose"


def _statement_end(lines: _Lines, begin: int, *, skip_strings: bool) -> tuple[int, bool]:
    """Return the line after the statement at line `begin`, and if a string literal moved it.

    A statement ends before the next line that is not indented further, unless that line
    continues it (`else`, a closing bracket, the function below a decorator) or is inside a
    string literal.
    """
    base, end, by_string = lines.indent(begin), begin + 1, False
    strings = StringLiterals(lines.text, lines.start[begin])
    for index in range(begin + 1, len(lines.raw)):
        if lines.is_blank(index):
            continue
        continues = (
            lines.indent(index) > base
            or lines.raw[end - 1].startswith("@", base)
            or _CONTINUATION.match(lines.raw[index], base) is not None
        )
        if not continues:
            if not (skip_strings and strings.contains(lines.start[index])):
                break
            by_string = True
        end = index + 1
    return end, by_string

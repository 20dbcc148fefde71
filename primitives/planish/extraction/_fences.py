"""Split a reply into fenced blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from planish.extraction._languages import MARKDOWN, PYTHON, UNTAGGED, is_known_tag, parse_tag
from planish.extraction._python import StringLiterals, parse

__all__ = ["Block", "find_blocks"]

# A fence after indent, quote marks and list marks; or an opening fence at the end of a line of
# prose ("late").
_FENCE = re.compile(
    r"^(?P<lead>[ \t]*+(?:(?:>|[-*+](?=[ \t])|\d{1,3}[.)](?=[ \t]))[ \t]*+)*+)"
    r"(?P<run>`{3,}+|~{3,}+)(?P<info>[^\n]*+)$"
    r"|^[^\n`]{1,500}+(?P<late>`{3,}+)(?P<tag>[A-Za-z][\w+#.-]*+)[ \t]*+$",
    re.MULTILINE,
)
_CODE = re.compile(
    r"(?P<tag>[\w+.-]*[ \t]+)??"
    r"(?P<code>(?:(?:async[ \t]+)?(?:def|class)[ \t]+\w+[ \t]*[(:]|import[ \t]+\w|from[ \t]+\w).*)"
)
_MARKS = re.compile(r"[^\s>]")
_INDENT = re.compile(r"^([ \t]*)\S", re.MULTILINE)
_EXTRA_INDENT = 3  # CommonMark: a closing fence may be indented by up to three spaces more
_DEPTH = 3  # levels of markdown within markdown
_REREADS = 2  # characters that may be read in vain, as a multiple of the text's length


def _may_open(fence: re.Match[str], *, within: re.Match[str] | None = None) -> bool:
    """Return whether a fence can open a block.

    Inside an open block (`within`) it needs a known tag: without one it is a closing fence.
    """
    if fence["late"]:
        return within is None and is_known_tag(fence["tag"])
    run, info = fence["run"], fence["info"].strip()
    if run[0] == "`" and "`" in info:
        return False
    if within is None:
        return True
    outer = _delimiter(within)
    return run.startswith(outer) and is_known_tag(info)


def _may_close(fence: re.Match[str], opening: re.Match[str], *, any_indent: bool) -> bool:
    """Return whether a fence can close the block that `opening` opened."""
    if fence["late"] or fence["info"].strip() or _MARKS.search(fence["lead"]):
        return False
    lead, outer, outer_lead = fence["lead"], _delimiter(opening), opening["lead"] or ""
    if lead.count(">") > outer_lead.count(">"):
        return False
    if not any_indent and len(lead) > len(outer_lead) + _EXTRA_INDENT:
        return False
    run: str = fence["run"]
    return run.startswith(outer)


def _inline_code(opening: re.Match[str]) -> tuple[str, str] | None:
    """Return the tag and the code of an info string such as "python def f():"; None if no code."""
    match = _CODE.fullmatch((opening["info"] or "").strip())
    return ((match["tag"] or "").strip(), match["code"]) if match else None


def _dedent(text: str, opening: re.Match[str]) -> str:
    """Remove the prefix that the position of `opening` puts before each line of `text`.

    The prefix is the quote marks, and the indent that the fence and the first line share.
    """
    lead = opening["lead"] or ""
    quotes = lead.count(">")
    if quotes:
        text = re.sub(rf"^[ \t]*+(?:> ?){{1,{quotes}}}", "", text, flags=re.MULTILINE)
        lead = lead[lead.rindex(">") + 1 :].removeprefix(" ")
    first = _INDENT.search(text)
    width = min(len(lead), len(first[1]) if first else 0)
    return re.sub(rf"^[ \t]{{1,{width}}}", "", text, flags=re.MULTILINE) if width else text


def _delimiter(opening: re.Match[str]) -> str:
    """Return the backticks or tildes of an opening fence."""
    run: str = opening["run"] or opening["late"]
    return run


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Attributes:
        start: Offset in the text of the opening fence's line.
        end: Offset of the first character after the block.
        tag: The language of its tag, "" without one.
        text: The content, dedented.
        closed: True if a closing fence ended it.
        info: The text beside the opening fence.
    """

    start: int
    end: int
    tag: str
    text: str
    closed: bool
    info: str = ""


def find_blocks(text: str, language: str, *, depth: int = _DEPTH) -> Iterator[Block]:
    """Yield the fenced blocks of `text` that have content, in order.

    A fence inside a Python string literal does not close a block. If a block cut by this rule
    does not parse, it is cut again at its first fence. The number of characters read twice is
    bounded, so that time is linear.

    Args:
        text: The text, with LF line ends only.
        language: The canonical name of the wanted language.
        depth: Levels of blocks tagged markdown that are searched for inner blocks.
    """
    position, rereads = 0, _REREADS * len(text)
    while opening := next(filter(_may_open, _FENCE.finditer(text, position)), None):
        tag = _language(opening)
        python = language == PYTHON and tag in (UNTAGGED, PYTHON)
        skip = python and rereads > 0
        block, in_string = _cut_block(text, opening, tag, any_indent=python, skip_strings=skip)
        if in_string and not parse(block.text):
            rereads -= len(block.text)
            block, _ = _cut_block(text, opening, tag, any_indent=python, skip_strings=False)
        position = block.end
        yield from _nested_blocks(block, language, depth)


def _nested_blocks(block: Block, language: str, depth: int) -> Iterator[Block]:
    """Yield the block, or the blocks inside it if it is tagged markdown and has any."""
    inner: list[Block] = []
    if block.tag == MARKDOWN and depth:
        inner = list(find_blocks(block.text, language, depth=depth - 1))
    if inner:
        yield from (replace(part, start=block.start, end=block.end) for part in inner)
    elif block.text.strip():
        yield block


def _language(opening: re.Match[str]) -> str:
    inline = _inline_code(opening)
    return parse_tag(inline[0] if inline else opening["tag"] or opening["info"] or "")


def _cut_block(
    text: str, opening: re.Match[str], tag: str, *, any_indent: bool, skip_strings: bool
) -> tuple[Block, bool]:
    """Return the block that starts at `opening`, and whether a fence in a string was skipped."""
    begin = opening.end() + 1
    strings = StringLiterals(text, begin)
    in_string, closed, stop, end = False, False, len(text), len(text)
    for fence in _FENCE.finditer(text, begin):
        if skip_strings and strings.contains(fence.start()):
            in_string = True
        elif closed := _may_close(fence, opening, any_indent=any_indent):
            stop, end = fence.start(), fence.end()
            break
        elif _may_open(fence, within=opening):
            stop = end = fence.start()
            break
    raw = text[begin : stop - 1] if closed else text[begin:stop].rstrip()
    inline = _inline_code(opening)
    body = _dedent(raw, opening)
    body = f"{inline[1]}\n{body}" if inline else body
    info = (opening["info"] or "").strip()
    return Block(opening.start(), end, tag, body, closed, info), in_string

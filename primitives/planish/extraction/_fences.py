"""Split a reply into fenced blocks, and remove its reasoning sections."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from planish.extraction._languages import MARKDOWN, PYTHON, UNTAGGED, is_tag, tag_of
from planish.extraction._python import Strings, parse

__all__ = ["Block", "blocks", "without_thought"]

# A fence with what stands before it (indent, quote and list marks), or an opening one at the
# end of a line of prose.
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


def _may_open(fence: re.Match[str], *, within: re.Match[str] | None = None) -> bool:
    """Whether it can open a block; inside an open one only a tag tells it from a closing one."""
    if fence["late"]:
        return within is None and is_tag(fence["tag"])
    run, info = fence["run"], fence["info"].strip()
    if run[0] == "`" and "`" in info:
        return False
    if within is None:
        return True
    outer = _run(within)
    return run[0] == outer[0] and len(run) >= len(outer) and is_tag(info)


def _may_close(fence: re.Match[str], opening: re.Match[str], *, any_indent: bool) -> bool:
    """Whether it can close the block that `opening` opened."""
    if fence["late"] or fence["info"].strip() or _MARKS.search(fence["lead"]):
        return False
    lead, outer, outer_lead = fence["lead"], _run(opening), opening["lead"] or ""
    if lead.count(">") > outer_lead.count(">"):
        return False
    if not any_indent and len(lead) > len(outer_lead) + _EXTRA_INDENT:
        return False
    return fence["run"][0] == outer[0] and len(fence["run"]) >= len(outer)


def _code_beside(opening: re.Match[str]) -> tuple[str, str] | None:
    """The tag and the code of an info string that has code in it, as in "```python def f():"."""
    found = _CODE.fullmatch((opening["info"] or "").strip())
    return ((found["tag"] or "").strip(), found["code"]) if found else None


def _content(text: str, opening: re.Match[str]) -> str:
    """`text` without what the place of `opening` put before its lines.

    That is the quote marks, and as much indent as the fence and the first line both have.
    """
    lead = opening["lead"] or ""
    quotes = lead.count(">")
    if quotes:
        text = re.sub(rf"^[ \t]*+(?:> ?){{1,{quotes}}}", "", text, flags=re.MULTILINE)
        lead = lead[lead.rindex(">") + 1 :].removeprefix(" ")
    first = _INDENT.search(text)
    width = min(len(lead), len(first[1]) if first else 0)
    return re.sub(rf"^[ \t]{{1,{width}}}", "", text, flags=re.MULTILINE) if width else text


def _run(opening: re.Match[str]) -> str:
    run: str = opening["run"] or opening["late"]
    return run


_DEPTH = 3  # levels of markdown within markdown
_PATIENCE = 2  # how often a text may be read for nothing, in times its length


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Attributes:
        start: Where its opening fence's line starts in the text.
        end: Where what follows it starts.
        tag: Its language, "" when it names none.
        text: Its content, dedented.
        closed: Whether a closing fence ended it.
    """

    start: int
    end: int
    tag: str
    text: str
    closed: bool


def blocks(text: str, language: str, *, depth: int = _DEPTH) -> Iterator[Block]:
    """The blocks of `text` that have content, in order.

    Strings of Python may hold fences. If minding them gives what is no Python, the first
    fence counts; how much may be read in vain is bounded, so that time stays linear.

    Args:
        text: With LF only.
        language: The language wanted; strings are minded where that is Python.
        depth: How many levels of blocks tagged markdown to look into.
    """
    position, patience = 0, _PATIENCE * len(text)
    while opening := next(filter(_may_open, _FENCE.finditer(text, position)), None):
        tag = _tag(opening)
        python = language == PYTHON and tag in (UNTAGGED, PYTHON)
        block, swallowed = _cut(text, opening, python=python, minding=python and patience > 0)
        if swallowed and not parse(block.text):
            patience -= len(block.text)
            block, _ = _cut(text, opening, python=python, minding=False)
        position = block.end
        yield from _inside(block, language, depth)


def _inside(block: Block, language: str, depth: int) -> Iterator[Block]:
    """The block, or those in it if it is a page of markdown."""
    inner: list[Block] = []
    if block.tag == MARKDOWN and depth:
        inner = list(blocks(block.text, language, depth=depth - 1))
    if inner:
        yield from (replace(part, start=block.start, end=block.end) for part in inner)
    elif block.text.strip():
        yield block


def _tag(opening: re.Match[str]) -> str:
    beside = _code_beside(opening)
    return tag_of(beside[0] if beside else opening["tag"] or opening["info"] or "")


def _cut(text: str, opening: re.Match[str], *, python: bool, minding: bool) -> tuple[Block, bool]:
    """The block from `opening` on, and whether strings swallowed fences."""
    begin = opening.end() + 1
    strings = Strings(text, begin)
    swallowed, closed, stop, end = False, False, len(text), len(text)
    for fence in _FENCE.finditer(text, begin):
        if minding and strings.cover(fence.start()):
            swallowed = True
        elif closed := _may_close(fence, opening, any_indent=python):
            stop, end = fence.start(), fence.end()
            break
        elif _may_open(fence, within=opening):
            stop = end = fence.start()
            break
    inside = text[begin : stop - 1] if closed else text[begin:stop].rstrip()
    beside = _code_beside(opening)
    body = _content(inside, opening)
    body = f"{beside[1]}\n{body}" if beside else body
    return Block(opening.start(), end, _tag(opening), body, closed), swallowed


_NAMES = "think|thinking|thought|thoughts|reasoning"
_EVENT = re.compile(
    r"^[ \t>]*+(?P<run>`{3,}|~{3,})(?P<info>[^\n]*+)"
    rf"|^[ \t]*+<(?P<open>{_NAMES})>"
    rf"|^[^\n]{{0,2000}}?(?<![`'\"])</(?P<close>{_NAMES})>(?![`'\"])",
    re.MULTILINE,
)
_FENCE_START = re.compile(r"^[ \t]*+(?:`{3,}|~{3,})", re.MULTILINE)
_TAG = re.compile(rf"^[ \t]*+<(?:{_NAMES})>", re.MULTILINE)


def without_thought(text: str) -> str:
    """`text` without its `<think>` sections; tags inside fenced code are code.

    A closing tag alone ends a thought whose opening was in the prompt: all before it goes.
    One never closed hides the rest, unless a fence follows: then only the tag goes.
    """
    if "think" not in text and "thought" not in text and "reasoning" not in text:
        return text
    kept: list[str] = []
    position = 0
    fence = ""
    start = 0
    while event := _EVENT.search(text, position):
        position = event.end()
        if event["run"]:
            fence = _after_fence(fence, event["run"], event["info"])
        elif fence:
            continue
        elif event["close"]:
            kept, start = [], position
        else:
            kept.append(text[start : event.start()])
            start = position = _thought_end(text, event)
            if start == event.end():  # never closed, so no later one of its name is either
                break
    return "".join(kept) + text[start:]


def _after_fence(fence: str, run: str, info: str) -> str:
    if not fence:
        return "" if run[0] == "`" and "`" in info else run
    closes = run[0] == fence[0] and len(run) >= len(fence) and not info.strip()
    return "" if closes else fence


def _thought_end(text: str, opening: re.Match[str]) -> int:
    closing = f"</{opening['open']}>"
    end = text.find(closing, opening.end())
    if end >= 0:
        return end + len(closing)
    return opening.end() if _FENCE_START.search(text, opening.end()) else len(text)

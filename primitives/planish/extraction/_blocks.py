"""Cutting a text into its fenced blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from planish.extraction import _fences as fences
from planish.extraction._languages import MARKDOWN, PYTHON, UNTAGGED, tag_of
from planish.extraction._python import parse
from planish.extraction._strings import Strings

__all__ = ["Block", "blocks"]

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
    while opening := next(filter(fences.may_open, fences.find(text, position)), None):
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
    beside = fences.code_beside(opening)
    return tag_of(beside[0] if beside else opening["tag"] or opening["info"] or "")


def _cut(text: str, opening: re.Match[str], *, python: bool, minding: bool) -> tuple[Block, bool]:
    """The block from `opening` on, and whether strings swallowed fences."""
    begin = opening.end() + 1
    strings = Strings(text, begin)
    swallowed, closed, stop, end = False, False, len(text), len(text)
    for fence in fences.find(text, begin):
        if minding and strings.cover(fence.start()):
            swallowed = True
        elif closed := fences.may_close(fence, opening, any_indent=python):
            stop, end = fence.start(), fence.end()
            break
        elif fences.may_open(fence, within=opening):
            stop = end = fence.start()
            break
    inside = text[begin : stop - 1] if closed else text[begin:stop].rstrip()
    beside = fences.code_beside(opening)
    body = fences.content(inside, opening)
    body = f"{beside[1]}\n{body}" if beside else body
    return Block(opening.start(), end, _tag(opening), body, closed), swallowed

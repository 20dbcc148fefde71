"""Choosing the answer when another language than Python is wanted."""

import re
from collections.abc import Sequence

from planish.extraction._blocks import Block
from planish.extraction._definers import looks_defined
from planish.extraction._languages import UNTAGGED

__all__ = ["choose_block", "without_prose"]

# A sentence: a capital or a list mark, then words, and nothing that only code has.
_PROSE = re.compile(
    r"[ \t]*(?:[-*] |\d+[.)] |#+ )?(?:\*\*)?[A-Z]['\w]*(?:[ \t,]+[^{};=<>\n]+)?[.:!?*]*[ \t]*"
)


def choose_block(blocks: Sequence[Block], language: str, name: str | None) -> int | None:
    """The index of the block to take; None when there are none.

    The last that defines `name`, those of the language first; else the last of the language,
    the last without a tag, the longest.
    """
    own = [index for index, block in enumerate(blocks) if block.tag == language]
    untagged = [index for index, block in enumerate(blocks) if block.tag == UNTAGGED]
    pools = [own, untagged, list(range(len(blocks)))]
    if name:
        for pool in pools:
            for index in reversed(pool):
                if looks_defined(blocks[index].text, name, python=False):
                    return index
    for pool in (own, untagged):
        if pool:
            return pool[-1]
    return max(pools[-1], key=lambda index: len(blocks[index].text), default=None)


def without_prose(text: str) -> str:
    """`text` without the sentences and blank lines before and after its code."""
    lines = text.split("\n")
    begin, end = 0, len(lines)
    while begin < end and _is_prose(lines[begin]):
        begin += 1
    while begin < end and _is_prose(lines[end - 1]):
        end -= 1
    return "\n".join(lines[begin:end])


def _is_prose(line: str) -> bool:
    return not line.strip() or (_PROSE.fullmatch(line) is not None and "(" not in line)

"""Extract the code of a reply."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from planish.extraction._completion import completed
from planish.extraction._fences import Block, blocks, without_thought
from planish.extraction._languages import PYTHON, UNTAGGED, canonical, looks_defined
from planish.extraction._pieces import Piece, choose, spans, transcript
from planish.extraction._python import is_program, parse
from planish.extraction._unfenced import runs

__all__ = ["Extracted", "extract"]


@dataclass(frozen=True, slots=True)
class Extracted:
    """The code of a reply.

    Attributes:
        code: The code, its lines ended by LF; "" when there is a problem.
        problem: "empty_reply" when the reply is empty or white space, "no_code" when it has
            prose only, else None. Code that does not parse is not a problem here.
        block: The index from 0 of the fenced block taken; None when it came from outside any.
        blocks: How many fenced blocks with content the reply has, thoughts not counted.
    """

    code: str
    problem: Literal["empty_reply", "no_code"] | None
    block: int | None
    blocks: int


_NEWLINE = re.compile(r"\r\n?")


def extract(
    reply_text: str, *, entry_point: str | None = None, language: str = "python"
) -> Extracted:
    r"""The code of a reply; see the package for the rules. Never raises for any text.

    Args:
        reply_text: What the model wrote.
        entry_point: The name the code has to define, if that is known; of a dotted name the
            first part counts.
        language: The language wanted, by any common name: "python", "js", "c++", "sh", ...

    Example:
        >>> extract("Sure!\n```python\ndef f():\n    return 1\n```", entry_point="f").code
        'def f():\n    return 1'
    """
    text = _NEWLINE.sub("\n", reply_text).removeprefix("\ufeff")
    if not text.strip():
        return Extracted("", "empty_reply", None, 0)
    wanted = canonical(language)
    name = entry_point.partition(".")[0] if entry_point else None
    if wanted == PYTHON and _is_program(text):
        return Extracted(text, None, None, 0)
    text = without_thought(text)
    found = list(blocks(text, wanted))
    if wanted == PYTHON:
        return _python(text, found, name)
    return _in_other(text, found, wanted, name)


def _is_program(text: str) -> bool:
    tree = parse(text)
    return tree is not None and is_program(tree)


def _python(text: str, found: Sequence[Block], name: str | None) -> Extracted:
    pieces = [
        Piece(block.text, tag=block.tag, index=index, closed=block.closed)
        for index, block in enumerate(found)
    ]
    own = [piece for piece in pieces if piece.tag in (UNTAGGED, PYTHON)]
    foreign = [piece for piece in pieces if piece.tag not in (UNTAGGED, PYTHON)]

    @cache
    def loose() -> list[Piece]:
        return [Piece(run) for run in runs(_outside(text, found))]

    chosen = choose(own, foreign, loose, name) or transcript(text, name) or spans(text, name)
    if chosen is None:
        return Extracted("", "no_code", None, len(found))
    beside = loose() if chosen.index is None else own
    code = completed(chosen, beside[: beside.index(chosen)] if chosen in beside else ())
    return Extracted(code, None, chosen.index, len(found))


def _outside(text: str, found: Sequence[Block]) -> str:
    """The text without its blocks; one whose end is not known may have prose, so it stays."""
    return "\n\n".join(_parts(text, found))


def _parts(text: str, found: Sequence[Block]) -> Iterator[str]:
    position = 0
    for block in found:
        yield text[position : block.start]
        if not block.closed:
            yield block.text
        position = block.end
    yield text[position:]


def _in_other(text: str, found: Sequence[Block], language: str, name: str | None) -> Extracted:
    index = _choose_block(found, language, name)
    code = _without_prose(text) if index is None else found[index].text
    return Extracted(code, None if code.strip() else "no_code", index, len(found))


# A sentence: a capital or a list mark, then words, and nothing that only code has.
_PROSE = re.compile(
    r"[ \t]*(?:[-*] |\d+[.)] |#+ )?(?:\*\*)?[A-Z]['\w]*(?:[ \t,]+[^{};=<>\n]+)?[.:!?*]*[ \t]*"
)


def _choose_block(blocks: Sequence[Block], language: str, name: str | None) -> int | None:
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


def _without_prose(text: str) -> str:
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

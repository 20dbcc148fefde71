"""The whole way from a reply to its code."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from planish.extraction._blocks import Block, blocks
from planish.extraction._choose import choose
from planish.extraction._extracted import Extracted
from planish.extraction._join import completed
from planish.extraction._languages import PYTHON, UNTAGGED, canonical
from planish.extraction._other import choose_block, without_prose
from planish.extraction._piece import Piece
from planish.extraction._python import is_program, parse
from planish.extraction._runs import runs
from planish.extraction._spans import spans, transcript
from planish.extraction._thought import without_thought

__all__ = ["extract"]

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
    index = choose_block(found, language, name)
    code = without_prose(text) if index is None else found[index].text
    return Extracted(code, None if code.strip() else "no_code", index, len(found))

"""Extract the code from a reply: find it, select it, complete it, by the rules in `__init__`."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from planish.extraction._completion import complete
from planish.extraction._extracted import ExtractedCode, Problem
from planish.extraction._fences import Block, find_blocks
from planish.extraction._languages import (
    PYTHON,
    UNTAGGED,
    canonical_language,
    is_other_language,
    matches_definition,
)
from planish.extraction._pieces import Piece, contradicts, select
from planish.extraction._preference import other_program_rank
from planish.extraction._python import defines_any, is_program, limited_parsing, parse
from planish.extraction._unfenced import find_code

__all__ = ["extract"]
_NEWLINE = re.compile(r"\r\n?")
# A sentence: a capital or a list mark, then words, and no character that only code has.
_PROSE = re.compile(
    r"[ \t]*(?:[-*] |\d+[.)] |#+ )?(?:\*\*)?[A-Z]['\w]*(?:[ \t,]+[^{};=<>\n]+)?[.:!?*]*[ \t]*"
)
_SPAN = re.compile(
    r"(?<!`)(?P<mark>`++)(?:python[ \t]+)?"
    r"(?P<code>[^`\n]*?\b(?:def|class|lambda)\b[^`\n]++)(?P=mark)(?!`)"
)
_PROMPT_LINE = re.compile(r"^[ \t]*+(?:>>>|\.\.\.)(?: [^\n]*+)?$", re.MULTILINE)
# What may be a mark of reasoning, an edit, a JSON object, or the path of a file: the modules that
# read them are loaded and run for such replies only.
_REASONING_HINT = re.compile(
    r"think|thought|reason|reflect|scratchpad|channel|\Aanalysis|unused\d|inner_|<\|", re.IGNORECASE
)
_FORM_HINT = re.compile(
    r"^[ \t]*<{5,9}|^@@|^(?:diff|---|\*\*\*) |(?:```|~~~)[ \t]*(?:diff|patch)"
    r"|\"[\w./-]+\"[ \t]*:[ \t\n]*[\"\[{]",
    re.MULTILINE,
)
_PATH_HINT = re.compile(
    r"(?:```|~~~)[^\n]*\.\w|^[^\n]{1,200}\.\w{1,8}[`*\"':) \t]*\n+[ \t]*(?:```|~~~)"
    r"|^[ \t]*(?:#|//)[^\n]{0,200}\.\w",
    re.MULTILINE,
)


def extract(
    reply_text: str,
    *,
    entry_point: str | None = None,
    language: str = "python",
    previous: str = "",
    previous_files: Sequence[tuple[str, str]] = (),
) -> ExtractedCode:
    r"""Extract the code from a model's reply. Never raises, whatever the text.

    The rules are those of `planish.extraction`.

    Args:
        reply_text: The model's reply.
        entry_point: The name that the code must define, if known; the first part of a dotted
            name. None by default.
        language: The language of the code, by any common name: "python" (the default), "js",
            "c++", "sh", ...
        previous: The code that the reply may edit; "" (the default) for none.
        previous_files: Path and content of its other files.

    Example:
        >>> extract("Sure!\n```python\ndef f():\n    return 1\n```", entry_point="f").code
        'def f():\n    return 1'
    """
    text = _NEWLINE.sub("\n", reply_text).removeprefix("\ufeff")
    if not text.strip():
        return ExtractedCode("", "empty_reply", None, 0)
    target = canonical_language(language)
    name = entry_point.partition(".")[0] if entry_point else None
    with limited_parsing():
        return _extract(text, target, name, (previous, tuple(previous_files)))


def _extract(
    text: str, target: str, name: str | None, previous: tuple[str, tuple[tuple[str, str], ...]]
) -> ExtractedCode:
    if target == PYTHON and _is_program(text):
        return ExtractedCode(text, None, None, 0)
    if _REASONING_HINT.search(text):
        from planish.extraction._reasoning import remove_reasoning  # noqa: PLC0415 - see above

        text = remove_reasoning(text)
    fenced = list(find_blocks(text, target))
    if _FORM_HINT.search(text) or (fenced and _PATH_HINT.search(text)):
        from planish.extraction._forms import read_forms  # noqa: PLC0415 - see above

        return read_forms(text, fenced, target, name, _select_code, previous)
    return _select_code(text, fenced, target, name)


def _is_program(text: str) -> bool:
    tree = parse(text)
    return tree is not None and is_program(tree)


def _select_code(
    text: str, fenced: Sequence[Block], target: str, name: str | None
) -> ExtractedCode:
    """Select the code among the blocks of a reply and its unfenced text."""
    if target == PYTHON:
        return _extract_python(text, fenced, name)
    return _extract_other(text, fenced, target, name)


def _extract_python(text: str, fenced: Sequence[Block], name: str | None) -> ExtractedCode:
    pieces = list(_pieces(text, fenced))
    matching = [piece for piece in pieces if piece.tag in (UNTAGGED, PYTHON)]
    other = [piece for piece in pieces if piece.tag not in (UNTAGGED, PYTHON)]

    @cache
    def unfenced() -> list[Piece]:
        return list(_unfenced_pieces(_unfenced_text(text, fenced)))

    selected = (
        select(matching, other, unfenced, name)
        or _find_transcript(text, name)
        or _find_span(text, name)
    )
    if selected is None:
        return ExtractedCode("", "no_code", None, len(fenced))
    neighbors = unfenced() if selected.index is None else matching
    if selected not in neighbors or len(neighbors) == 1:
        foreign = selected.tree is None and is_other_language(selected.tag, PYTHON)
        return ExtractedCode(
            selected.code,
            None,
            selected.index,
            len(fenced),
            other_language=selected.tag if foreign else None,
        )
    index = neighbors.index(selected)
    code = complete(selected, neighbors[:index], neighbors[index + 1 :])
    findings: tuple[str, ...] = ()
    if name and contradicts(selected, neighbors, name):
        finding = (
            f"the reply defines {name!r} in several blocks, differently, and does not say which "
            "one is the answer: the last one was used"
        )
        findings = (finding,)
    return ExtractedCode(code, None, selected.index, len(fenced), findings=findings)


def _pieces(text: str, fenced: Sequence[Block]) -> Iterator[Piece]:
    """Yield the blocks as pieces, with the text between them."""
    for index, block in enumerate(fenced):
        begin = fenced[index - 1].end if index else 0
        end = fenced[index + 1].start if index + 1 < len(fenced) else len(text)
        yield Piece(
            block.text,
            tag=block.tag,
            index=index,
            closed=block.closed,
            before=text[begin : block.start],
            after=text[block.end : end],
        )


def _unfenced_pieces(text: str) -> Iterator[Piece]:
    """Yield the regions of code in unfenced text, with the text before each."""
    position = 0
    for region in find_code(text):
        begin = text.find(region, position)
        yield Piece(region, before=text[position:begin])
        position = begin + len(region)


def _unfenced_text(text: str, fenced: Sequence[Block]) -> str:
    """Return the text outside the closed blocks.

    An unclosed block stays, because prose may follow its code.
    """
    return "\n\n".join(_unfenced_parts(text, fenced))


def _unfenced_parts(text: str, fenced: Sequence[Block]) -> Iterator[str]:
    position = 0
    for block in fenced:
        yield text[position : block.start]
        if not block.closed:
            yield block.text
        position = block.end
    yield text[position:]


def _extract_other(
    text: str, fenced: Sequence[Block], language: str, name: str | None
) -> ExtractedCode:
    index = _select_block(fenced, language, name)
    code = _strip_prose(text) if index is None else fenced[index].text
    other = None
    if index is not None and is_other_language(fenced[index].tag, language):
        other = fenced[index].tag
    problem: Problem | None = None if code.strip() else "no_code"
    return ExtractedCode(code, problem, index, len(fenced), other_language=other)


def _select_block(blocks: Sequence[Block], language: str, name: str | None) -> int | None:
    """Return the index of the block to use; None if there is no block.

    It is the last block that defines `name`, with a preference for blocks in the language; else
    the block in the language that is most of a whole program, the same of those without a tag,
    or the longest block.
    """
    matching = [index for index, block in enumerate(blocks) if block.tag == language]
    untagged = [index for index, block in enumerate(blocks) if block.tag == UNTAGGED]
    pools = [matching, untagged, list(range(len(blocks)))]
    if name:
        for pool in pools:
            for index in reversed(pool):
                if matches_definition(blocks[index].text, name, python=False):
                    return index
    for pool in (matching, untagged):
        if pool:
            return _most_whole(blocks, pool)
    return max(pools[-1], key=lambda index: len(blocks[index].text), default=None)


def _most_whole(blocks: Sequence[Block], pool: Sequence[int]) -> int:
    """Return the index of the block that is most of a whole program; of several, the last.

    Blocks of less than half the length of the longest of these are parts of it, or examples.
    """
    if len(pool) == 1:
        return pool[0]
    ranks = {index: other_program_rank(blocks[index].text) for index in pool}
    best = [index for index in pool if ranks[index] == max(ranks.values())]
    longest = max(len(blocks[index].text) for index in best)
    return [index for index in best if 2 * len(blocks[index].text) >= longest][-1]


def _strip_prose(text: str) -> str:
    """Remove the sentences and blank lines before and after the code."""
    lines = text.split("\n")
    begin, end = 0, len(lines)
    while begin < end and _is_prose(lines[begin]):
        begin += 1
    while begin < end and _is_prose(lines[end - 1]):
        end -= 1
    return "\n".join(lines[begin:end])


def _is_prose(line: str) -> bool:
    return not line.strip() or (_PROSE.fullmatch(line) is not None and "(" not in line)


def _find_span(text: str, name: str | None) -> Piece | None:
    """Return the last inline code span that defines `name`, or any name if `name` is None.

    A call in a span is mostly an example, so that only definitions count.
    """
    found = [
        piece for span in _SPAN.finditer(text) if _is_definition(piece := Piece(span["code"]), name)
    ]
    return found[-1] if found else None


def _find_transcript(text: str, name: str | None) -> Piece | None:
    """Return the input of an interpreter session that defines `name`, or any name if None."""
    piece = Piece("\n".join(line[0] for line in _PROMPT_LINE.finditer(text)))
    return piece if _is_definition(piece, name) else None


def _is_definition(piece: Piece, name: str | None) -> bool:
    """Return whether a piece parses and defines `name`, or any name if `name` is None."""
    if name is not None:
        return piece.tree is not None and piece.defines(name)
    return piece.tree is not None and defines_any(piece.tree)

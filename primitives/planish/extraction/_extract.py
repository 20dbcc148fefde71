"""Extract the code from a reply: find it, select it, complete it, by the rules in `__init__`."""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from planish.extraction._fences import Block, find_blocks, remove_reasoning
from planish.extraction._languages import PYTHON, UNTAGGED, canonical_language, matches_definition
from planish.extraction._pieces import Piece, find_span, find_transcript, select
from planish.extraction._python import is_program, parse
from planish.extraction._unfenced import find_code

__all__ = ["ExtractedCode", "extract"]
_NEWLINE = re.compile(r"\r\n?")
# A sentence: a capital or a list mark, then words, and no character that only code has.
_PROSE = re.compile(
    r"[ \t]*(?:[-*] |\d+[.)] |#+ )?(?:\*\*)?[A-Z]['\w]*(?:[ \t,]+[^{};=<>\n]+)?[.:!?*]*[ \t]*"
)


_MAX_EARLIER = 64  # pieces that are searched, so that time is linear; no real reply has more
_COPYABLE = (
    ast.FunctionDef
    | ast.AsyncFunctionDef
    | ast.ClassDef
    | ast.Import
    | ast.ImportFrom
    | ast.Assign
    | ast.AnnAssign
    | ast.Try
)
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


@dataclass(frozen=True, slots=True)
class ExtractedCode:
    """The code of a reply, and where it was found.

    Attributes:
        code: The code, with LF line ends; "" if there is a problem.
        problem: "empty_reply" if the reply is empty or white space, "no_code" if it holds no
            code, else None. Code that does not parse is not a problem here.
        block: Index from 0 of the fenced block that holds the code; None if it was unfenced.
        blocks: Number of fenced blocks with content, those in reasoning sections not counted.
    """

    code: str
    problem: Literal["empty_reply", "no_code"] | None
    block: int | None
    blocks: int


def extract(
    reply_text: str, *, entry_point: str | None = None, language: str = "python"
) -> ExtractedCode:
    r"""Extract the code from a model's reply. Never raises, whatever the text.

    The rules are those of `planish.extraction`.

    Args:
        reply_text: The model's reply.
        entry_point: The name that the code must define, if known; the first part of a dotted
            name. None by default.
        language: The language of the code, by any common name: "python" (the default), "js",
            "c++", "sh", ...

    Example:
        >>> extract("Sure!\n```python\ndef f():\n    return 1\n```", entry_point="f").code
        'def f():\n    return 1'
    """
    text = _NEWLINE.sub("\n", reply_text).removeprefix("\ufeff")
    if not text.strip():
        return ExtractedCode("", "empty_reply", None, 0)
    target = canonical_language(language)
    name = entry_point.partition(".")[0] if entry_point else None
    if target == PYTHON and _is_program(text):
        return ExtractedCode(text, None, None, 0)
    text = remove_reasoning(text)
    fenced = list(find_blocks(text, target))
    if target == PYTHON:
        return _extract_python(text, fenced, name)
    return _extract_other(text, fenced, target, name)


def _is_program(text: str) -> bool:
    tree = parse(text)
    return tree is not None and is_program(tree)


def _extract_python(text: str, fenced: Sequence[Block], name: str | None) -> ExtractedCode:
    pieces = [
        Piece(block.text, tag=block.tag, index=index, closed=block.closed)
        for index, block in enumerate(fenced)
    ]
    matching = [piece for piece in pieces if piece.tag in (UNTAGGED, PYTHON)]
    other = [piece for piece in pieces if piece.tag not in (UNTAGGED, PYTHON)]

    @cache
    def unfenced() -> list[Piece]:
        return [Piece(region) for region in find_code(_unfenced_text(text, fenced))]

    selected = (
        select(matching, other, unfenced, name)
        or find_transcript(text, name)
        or find_span(text, name)
    )
    if selected is None:
        return ExtractedCode("", "no_code", None, len(fenced))
    neighbors = unfenced() if selected.index is None else matching
    earlier = neighbors[: neighbors.index(selected)] if selected in neighbors else ()
    code = _complete(selected, earlier)
    return ExtractedCode(code, None, selected.index, len(fenced))


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
    return ExtractedCode(code, None if code.strip() else "no_code", index, len(fenced))


def _select_block(blocks: Sequence[Block], language: str, name: str | None) -> int | None:
    """Return the index of the block to use; None if there is no block.

    It is the last block that defines `name`, with a preference for blocks in the language; else
    the last block in the language, the last block without a tag, or the longest block.
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
            return pool[-1]
    return max(pools[-1], key=lambda index: len(blocks[index].text), default=None)


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


def _complete(selected: Piece, earlier: Sequence[Piece]) -> str:
    """Return the code of `selected`, preceded by earlier definitions of names it lacks.

    The nearest earlier definition of a name is used; names that this definition lacks are
    searched for in turn, before it. Nothing is added to code that does not parse, has a star
    import, or starts with `from __future__`.
    """
    missing: set[str] = set()
    if selected.tree and not _must_come_first(selected.tree):
        missing = _undefined_names(selected.tree)
    parts = [selected.code]
    for piece in reversed(earlier[-_MAX_EARLIER:]):
        if any(name in piece.raw for name in missing) and piece.tree:
            part, missing = _copy_definitions(piece, piece.tree, missing)
            parts.extend([part] if part else [])
    return "\n\n".join(reversed(parts))


def _must_come_first(tree: ast.Module) -> bool:
    """Return whether no code may be put before it: a `__future__` or a star import."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return any(node.module == "__future__" or node.names[0].name == "*" for node in imports)


def _undefined_names(tree: ast.AST) -> set[str]:
    """Return the names that are used and not bound in any scope."""
    loaded: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            loaded.add(node.id)
    return loaded - _bindings(tree) - _BUILTINS


def _bindings(tree: ast.AST) -> set[str]:
    """Return the names that are bound in any scope."""
    names: set[str | None] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del(), id=name):
                names.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.arg():
                names.add(node.arg)
            case ast.alias():
                names.add(node.asname or node.name.partition(".")[0])
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                names.add(node.name)
            case ast.MatchMapping():
                names.add(node.rest)
            case _:
                pass
    return {name for name in names if name}


def _copy_definitions(piece: Piece, tree: ast.Module, missing: set[str]) -> tuple[str, set[str]]:
    """Return the source of the statements that bind missing names, and the unresolved names."""
    binders: dict[str, list[int]] = {}
    for index, node in enumerate(tree.body):
        if isinstance(node, _COPYABLE):
            for name in _outer_bindings(node):
                binders.setdefault(name, []).append(index)
    indices: set[int] = set()
    pending, unresolved = list(missing), set[str]()
    seen = set(missing)
    while pending:
        name = pending.pop()
        if name not in binders:
            unresolved.add(name)
        for index in set(binders.get(name, ())) - indices:
            indices.add(index)
            new = _undefined_names(tree.body[index]) - seen
            seen |= new
            pending.extend(new)
    return _statement_lines(piece.code, [tree.body[index] for index in sorted(indices)]), unresolved


def _outer_bindings(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds, those inside a function or class left out."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case _:
            return _bindings(node)


def _statement_lines(code: str, nodes: Sequence[ast.stmt]) -> str:
    """Return the source lines of statements, with their decorators."""
    lines = code.split("\n")
    numbers: dict[int, None] = {}
    for node in nodes:
        decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
        begin = min([node.lineno, *(each.lineno for each in decorators)])
        numbers.update(dict.fromkeys(range(begin - 1, node.end_lineno or begin)))
    return "\n".join(lines[index] for index in numbers)

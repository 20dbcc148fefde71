"""Pieces of a reply that may be the answer: parse them on first use, and select one."""

import ast
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from planish.extraction._languages import matches_definition, matches_nested_definition
from planish.extraction._python import (
    defines,
    has_effect,
    is_program,
    is_stub,
    parse,
    parse_unfinished,
    statements,
)
from planish.extraction._repairs import repairs, unescape_entities
from planish.extraction._unfenced import find_code

if TYPE_CHECKING:
    from planish.extraction._preference import Advice

__all__ = ["Piece", "contradicts", "select"]

_RECOMMENDED = 2
_MAX_DEFINERS = 64  # pieces that are compared, so that time is linear

_PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)", re.MULTILINE)
_TRAILING_FENCE = re.compile(r"(?<=[^`\s])[ \t]*`{3,}[ \t]*$", re.MULTILINE)
_DEFINITION = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+\w", re.MULTILINE)


def _repair(text: str, *, closed: bool) -> tuple[str, ast.Module | None]:
    """Return the code in `text` and its syntax tree; `text` and None if no repair helps.

    Args:
        text: The content of a block, or a region of unfenced lines.
        closed: True if its end is known; otherwise prose may follow the code.
    """
    text = unescape_entities(text) if "&" in text else text
    for variant in _variants(text, closed=closed):
        tree = parse(variant)
        if tree and _is_acceptable(tree, changed=variant is not text, closed=closed):
            return variant, tree
    if not closed:
        longest = max(find_code(text), key=len, default=text)
        return longest, parse(longest)
    return text, None


def _is_acceptable(tree: ast.Module, *, changed: bool, closed: bool) -> bool:
    """Return whether a variant that parses may replace the text.

    A changed variant must not be a function's body, whose indent matters. Without a closing
    fence a bare word such as "Done" may follow, so that the variant must be a program.
    """
    return not (changed and _is_function_body(tree)) and (closed or is_program(tree))


def _variants(text: str, *, closed: bool) -> Iterator[str]:
    """Yield `text`, then its repairs: dedented, without prompts, cut at a trailing fence, ..."""
    yield text
    if text.lstrip("\n")[:1] in (" ", "\t"):
        yield textwrap.dedent(text)
    if text.lstrip().startswith(">>>"):
        yield _strip_prompts(text)
    trailing = None if closed else _TRAILING_FENCE.search(text)
    if trailing:
        yield text[: trailing.start()]
    yield from repairs(text)


def _strip_prompts(text: str) -> str:
    lines = [line.lstrip() for line in text.split("\n")]
    return "\n".join(_PROMPT.sub("", line, count=1) for line in lines if _PROMPT.match(line))


def _is_function_body(tree: ast.Module) -> bool:
    """Return whether a `return` at the top level shows that it is a function's body."""
    return any(isinstance(node, ast.Return) for node in statements(tree))


class Piece:
    """A fenced block or a region of unfenced lines, parsed as Python on first use.

    Attributes:
        raw: The text, verbatim.
        tag: The language of its fence, "" without one.
        index: Index of the fenced block; None for unfenced lines.
        closed: True if its end is known.
        before: The text before it, back to the piece before.
        after: The text after it, up to the next piece.
    """

    __slots__ = ("_advice", "_parsed", "after", "before", "closed", "index", "raw", "tag")

    def __init__(
        self,
        raw: str,
        *,
        tag: str = "",
        index: int | None = None,
        closed: bool = True,
        before: str = "",
        after: str = "",
    ) -> None:
        self.raw = raw
        self.tag = tag
        self.index = index
        self.closed = closed
        self.before = before
        self.after = after
        self._advice: Advice | None = None
        self._parsed: tuple[str, ast.Module | None] | None = None

    def _parse(self) -> tuple[str, ast.Module | None]:
        if self._parsed is None:
            self._parsed = _repair(self.raw, closed=self.closed)
        return self._parsed

    @property
    def code(self) -> str:
        """The code, after repairs."""
        return self._parse()[0]

    @property
    def tree(self) -> ast.Module | None:
        """The syntax tree of the code; None if it does not parse."""
        return self._parse()[1]

    @property
    def advice(self) -> "Advice":
        """What the reply says of it: 0 not to use it, 2 to use it, 1 nothing."""
        if self._advice is None:
            from planish.extraction._preference import advice  # noqa: PLC0415 - for several

            self._advice = advice(self.before, self.raw, self.after)
        return self._advice

    def has_effect(self) -> bool:
        """Return whether it parses and has an effect."""
        return self.tree is not None and has_effect(self.tree)

    def defines(self, name: str) -> bool:
        """Return whether it defines `name` at the top level; by pattern if it does not parse."""
        if name not in self.raw:
            return False
        if self.tree is None:
            return matches_definition(self.code, name, python=True)
        return defines(self.tree, name)

    def defines_nested(self, name: str) -> bool:
        """Return whether it seems to define `name` as a method or inside a function."""
        return name in self.raw and matches_nested_definition(self.code, name)

    def is_stub(self, name: str) -> bool:
        """Return whether it defines `name` by its signature only."""
        tree = self.tree or parse_unfinished(self.code)
        return tree is not None and is_stub(tree, name)


def select(
    matching: Sequence[Piece],
    other: Sequence[Piece],
    unfenced: Callable[[], Sequence[Piece]],
    name: str | None,
) -> Piece | None:
    """Select the piece that is the answer; None if there is no code.

    Args:
        matching: The blocks tagged Python or without a tag, in order.
        other: The blocks with another tag.
        unfenced: Returns the regions of unfenced code; called only when needed.
        name: The name that the answer must define, if known.
    """
    definition = _select_definition(matching, other, unfenced, name) if name else None
    return definition or _select_fallback(matching, other, unfenced)


def _select_definition(
    matching: Sequence[Piece],
    other: Sequence[Piece],
    unfenced: Callable[[], Sequence[Piece]],
    name: str,
) -> Piece | None:
    fenced = _first_with_body((piece for piece in reversed(matching) if piece.defines(name)), name)
    fenced = fenced or _first_with_body(
        (piece for piece in reversed(other) if piece.defines(name)), name
    )
    if fenced and not fenced.is_stub(name):
        return fenced
    outside_pieces = [piece for piece in unfenced() if piece.defines(name)]
    if matching or other:  # next to blocks, unfenced text may be prose about code: it must parse
        outside_pieces = [piece for piece in outside_pieces if piece.tree]
    outside = _first_with_body(reversed(outside_pieces), name)
    if fenced:
        return fenced if outside is None or outside.is_stub(name) else outside
    return outside or next(
        (piece for piece in reversed(matching) if piece.defines_nested(name)), None
    )


def _first_with_body(definers: Iterable[Piece], name: str) -> Piece | None:
    """Return the piece of `definers` to use: with a body, and recommended, else the first.

    A piece that the reply recommends is preferred to one of which it says nothing, and this to
    one that it advises against.
    """
    found = list(islice(definers, _MAX_DEFINERS))
    bodies = [piece for piece in found if not piece.is_stub(name)]
    if len(bodies) > 1:
        return max(bodies, key=lambda piece: piece.advice)
    return next(iter(bodies or found), None)


def contradicts(piece: Piece, others: Sequence[Piece], name: str) -> bool:
    """Return whether another piece defines `name` differently, and the reply prefers neither."""
    if piece.advice == _RECOMMENDED:
        return False
    same = piece.advice
    return any(
        other is not piece
        and other.defines(name)
        and not other.is_stub(name)
        and other.advice == same
        and other.code.strip() != piece.code.strip()
        for other in others[-_MAX_DEFINERS:]
    )


def _select_fallback(
    matching: Sequence[Piece], other: Sequence[Piece], unfenced: Callable[[], Sequence[Piece]]
) -> Piece | None:
    tagged = [piece for piece in matching if piece.tag]
    untagged = [piece for piece in matching if not piece.tag]
    program = _best_program([piece for piece in tagged if piece.has_effect()])
    if program is None:
        program = _best_program([piece for piece in untagged if _is_answer(piece, tagged)])
    if program or tagged:
        return program or _longest(tagged)
    program = _best_program([piece for piece in other if piece.has_effect()])
    return program or _best_unfenced(unfenced()) or _longest(untagged) or _longest(other)


def _best_program(pieces: Sequence[Piece]) -> Piece | None:
    """Return the piece that is a whole program; of several, the recommended or last one.

    Of several that read input, one of less than half the length of the longest is a part of it.
    """
    if len(pieces) <= 1:
        return pieces[0] if pieces else None
    from planish.extraction._preference import (  # noqa: PLC0415 - for several
        reads_input,
        whole_programs,
    )

    pieces = [piece for piece in pieces[-_MAX_DEFINERS:] if piece.tree]
    if not pieces:
        return None
    trees = [piece.tree for piece in pieces if piece.tree]
    whole = [pieces[index] for index in whole_programs(trees)]
    if any(piece.tree and reads_input(piece.tree) for piece in whole):
        longest = max(len(piece.raw) for piece in whole)
        whole = [piece for piece in whole if 2 * len(piece.raw) >= longest]
    return max(reversed(whole), key=lambda piece: piece.advice)


def _is_answer(piece: Piece, tagged: Sequence[Piece]) -> bool:
    """Return whether an untagged block is code: next to tagged ones it must define a name.

    There it is mostly the output of a program.
    """
    return piece.has_effect() and (not tagged or _DEFINITION.search(piece.code) is not None)


def _longest(pieces: Sequence[Piece]) -> Piece | None:
    return max(pieces, key=lambda piece: len(piece.raw), default=None)


def _best_unfenced(pieces: Sequence[Piece]) -> Piece | None:
    def rank(piece: Piece) -> tuple[bool, bool, int]:
        defining = _DEFINITION.search(piece.raw) is not None
        return defining, piece.tree is not None, len(piece.raw)

    return max(pieces, key=rank, default=None)

"""Choosing the piece that is the answer, when Python is wanted."""

import re
from collections.abc import Callable, Iterable, Sequence

from planish.extraction._piece import Piece

__all__ = ["choose"]

_DEFINITION = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+\w", re.MULTILINE)


def choose(
    own: Sequence[Piece],
    foreign: Sequence[Piece],
    loose: Callable[[], Sequence[Piece]],
    name: str | None,
) -> Piece | None:
    """The answer; None when there is no code at all.

    Args:
        own: The blocks in the wanted language or without a tag, in order.
        foreign: The other blocks.
        loose: Gives the runs of unfenced code; asked only when it matters.
        name: What the answer has to define, if that is known.
    """
    found = _definer(own, foreign, loose, name) if name else None
    return found or _other(own, foreign, loose)


def _definer(
    own: Sequence[Piece],
    foreign: Sequence[Piece],
    loose: Callable[[], Sequence[Piece]],
    name: str,
) -> Piece | None:
    found = _last((piece for piece in reversed(own) if piece.defines(name)), name)
    found = found or _last((piece for piece in reversed(foreign) if piece.defines(name)), name)
    if found and not found.is_stub(name):
        return found
    unfenced = [piece for piece in loose() if piece.defines(name)]
    if own or foreign:  # it may be prose about code: beside blocks only what parses counts
        unfenced = [piece for piece in unfenced if piece.tree]
    outside = _last(reversed(unfenced), name)
    if found:
        return found if outside is None or outside.is_stub(name) else outside
    return outside or next((piece for piece in reversed(own) if piece.nests(name)), None)


def _last(definers: Iterable[Piece], name: str) -> Piece | None:
    """The first of `definers` that is no stub, else the first."""
    first: Piece | None = None
    for piece in definers:
        if not piece.is_stub(name):
            return piece
        first = first or piece
    return first


def _other(
    own: Sequence[Piece], foreign: Sequence[Piece], loose: Callable[[], Sequence[Piece]]
) -> Piece | None:
    tagged = [piece for piece in own if piece.tag]
    untagged = [piece for piece in own if not piece.tag]
    acting = next((piece for piece in reversed(tagged) if piece.acts()), None)
    if acting is None:
        acting = next((piece for piece in reversed(untagged) if _is_answer(piece, tagged)), None)
    if acting or tagged:
        return acting or _longest(tagged)
    acting = next((piece for piece in reversed(foreign) if piece.acts()), None)
    return acting or _best(loose()) or _longest(untagged) or _longest(foreign)


def _is_answer(piece: Piece, tagged: Sequence[Piece]) -> bool:
    """Beside tagged code an untagged block is mostly output, unless it defines something."""
    return piece.acts() and (not tagged or _DEFINITION.search(piece.code) is not None)


def _longest(pieces: Sequence[Piece]) -> Piece | None:
    return max(pieces, key=lambda piece: len(piece.raw), default=None)


def _best(pieces: Sequence[Piece]) -> Piece | None:
    def rank(piece: Piece) -> tuple[bool, bool, int]:
        defining = _DEFINITION.search(piece.raw) is not None
        return defining, piece.tree is not None, len(piece.raw)

    return max(pieces, key=rank, default=None)

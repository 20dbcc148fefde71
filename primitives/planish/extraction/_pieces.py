"""Parts of a reply that may be the answer: repair them, and select one."""

import ast
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

from planish.extraction._languages import looks_defined, looks_nested
from planish.extraction._python import (
    closed_up,
    defines,
    defines_any,
    is_code,
    is_program,
    is_stub,
    parse,
    statements,
)
from planish.extraction._unfenced import runs

__all__ = ["Piece", "choose", "spans", "transcript"]

_PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)", re.MULTILINE)
_LATE_CLOSE = re.compile(r"(?<=[^`\s])[ \t]*`{3,}[ \t]*$", re.MULTILINE)


def _repaired(text: str, *, closed: bool) -> tuple[str, ast.Module | None]:
    """The code in `text` and its tree; `text` and None when no repair helps.

    Args:
        text: The content of a block, or a run of unfenced lines.
        closed: Whether its end is known; otherwise prose may follow the code.
    """
    for form in _forms(text, closed=closed):
        tree = parse(form)
        if tree and _is_right(tree, changed=form is not text, closed=closed):
            return form, tree
    if not closed:
        longest = max(runs(text), key=len, default=text)
        return longest, parse(longest)
    return text, None


def _is_right(tree: ast.Module, *, changed: bool, closed: bool) -> bool:
    """Whether the form should be taken; a lone last word, "Done", is no part of a program."""
    return not (changed and _is_body(tree)) and (closed or is_program(tree))


def _forms(text: str, *, closed: bool) -> Iterator[str]:
    yield text
    if text.lstrip("\n")[:1] in (" ", "\t"):
        yield textwrap.dedent(text)
    if text.lstrip().startswith(">>>"):
        yield _without_prompts(text)
    cut = None if closed else _LATE_CLOSE.search(text)
    if cut:
        yield text[: cut.start()]


def _without_prompts(text: str) -> str:
    lines = [line.lstrip() for line in text.split("\n")]
    return "\n".join(_PROMPT.sub("", line, count=1) for line in lines if _PROMPT.match(line))


def _is_body(tree: ast.Module) -> bool:
    """Whether it is the inside of a function, whose indent is worth keeping."""
    return any(isinstance(node, ast.Return) for node in statements(tree))


class Piece:
    """A part of a reply, read as Python when first asked and only then.

    Attributes:
        raw: Its text as it stands.
        tag: Its language, "" when it names none.
        index: Which fenced block it is; None for unfenced lines.
        closed: Whether its end is known.
    """

    __slots__ = ("_read", "closed", "index", "raw", "tag")

    def __init__(
        self, raw: str, *, tag: str = "", index: int | None = None, closed: bool = True
    ) -> None:
        self.raw = raw
        self.tag = tag
        self.index = index
        self.closed = closed
        self._read: tuple[str, ast.Module | None] | None = None

    def _reading(self) -> tuple[str, ast.Module | None]:
        if self._read is None:
            self._read = _repaired(self.raw, closed=self.closed)
        return self._read

    @property
    def code(self) -> str:
        """The code, after small repairs."""
        return self._reading()[0]

    @property
    def tree(self) -> ast.Module | None:
        """The tree of the code; None when it does not parse."""
        return self._reading()[1]

    def acts(self) -> bool:
        """Whether it parses and does something."""
        return self.tree is not None and is_code(self.tree)

    def defines(self, name: str) -> bool:
        """Whether it defines `name` at the top level, as far as can be seen."""
        if name not in self.raw:
            return False
        if self.tree is None:
            return looks_defined(self.code, name, python=True)
        return defines(self.tree, name)

    def nests(self, name: str) -> bool:
        """Whether it defines `name` as a method or inside a function."""
        return name in self.raw and looks_nested(self.code, name)

    def is_stub(self, name: str) -> bool:
        """Whether it has no more than the signature of `name`, which it defines."""
        tree = self.tree or closed_up(self.code)
        return tree is not None and is_stub(tree, name)


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


_SPAN = re.compile(
    r"(?<!`)(?P<mark>`++)(?:python[ \t]+)?"
    r"(?P<code>[^`\n]*?\b(?:def|class|lambda)\b[^`\n]++)(?P=mark)(?!`)"
)
_PROMPT_LINE = re.compile(r"^[ \t]*+(?:>>>|\.\.\.)(?: [^\n]*+)?$", re.MULTILINE)


def spans(text: str, name: str | None) -> Piece | None:
    """The last span between backticks that defines something, and `name` if that is given.

    A call there is mostly an example, so only definitions count.
    """
    found = [piece for span in _SPAN.finditer(text) if _fits(piece := Piece(span["code"]), name)]
    return found[-1] if found else None


def transcript(text: str, name: str | None) -> Piece | None:
    """The input of an interpreter's transcript, if it defines something, and `name` if given."""
    piece = Piece("\n".join(line[0] for line in _PROMPT_LINE.finditer(text)))
    return piece if _fits(piece, name) else None


def _fits(piece: Piece, name: str | None) -> bool:
    if name is not None:
        return piece.tree is not None and piece.defines(name)
    return piece.tree is not None and defines_any(piece.tree)

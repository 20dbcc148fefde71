"""A part of a reply that may be the code: a fenced block, or a run of unfenced lines."""

import ast

from planish.extraction._definers import looks_defined, looks_nested
from planish.extraction._python import closed_up, defines, is_code
from planish.extraction._repair import repaired
from planish.extraction._stubs import is_stub

__all__ = ["Piece"]


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
            self._read = repaired(self.raw, closed=self.closed)
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

"""Small repairs of code that does not parse as it stands."""

import ast
import re
import textwrap
from collections.abc import Iterator

from planish.extraction._python import is_program, parse, statements
from planish.extraction._runs import runs

__all__ = ["repaired"]

_PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)", re.MULTILINE)
_LATE_CLOSE = re.compile(r"(?<=[^`\s])[ \t]*`{3,}[ \t]*$", re.MULTILINE)


def repaired(text: str, *, closed: bool) -> tuple[str, ast.Module | None]:
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

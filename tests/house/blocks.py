"""The fenced blocks of Markdown, and how those of one document are run: in order, together."""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import anyio

__all__ = ["Block", "blocks", "run"]

_FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?P<ticks>`{3,}|~{3,})(?P<info>[^\n`]*)\n"
    r"(?P<body>.*?)"
    r"^(?P=indent)(?P=ticks)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block.

    Attributes:
        path: The document.
        line: Where its first line of code stands, from 1.
        info: What the fence says after its backticks: "python".
        text: The code, without the fence's indentation.
    """

    path: Path
    line: int
    info: str
    text: str


def blocks(path: Path) -> Iterator[Block]:
    """Every fenced block of a document."""
    document = path.read_text(encoding="utf-8")
    for found in _FENCE.finditer(document):
        line = document.count("\n", 0, found.start("body")) + 1
        yield Block(path, line, found["info"].strip(), textwrap.dedent(found["body"]))


def run(shown: Sequence[Block], *, backend: str) -> None:
    """Run blocks one after the other in one namespace and one event loop.

    What stands in a block may use `await`, `async with` and `async for` at its top level.
    """
    # A module that can be found by name: annotations are looked up there.
    module = ModuleType("__planish_docs__")
    sys.modules[module.__name__] = module
    try:
        anyio.run(_run, shown, module, backend=backend)
    finally:
        del sys.modules[module.__name__]


async def _run(shown: Sequence[Block], module: ModuleType) -> None:
    for block in shown:
        # Blank lines before it, so that a traceback names the document's own line.
        text = "\n" * (block.line - 1) + block.text
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(text, str(block.path), "exec", flags=flags, dont_inherit=True)
        # What the document tells its readers to run.
        result = eval(code, module.__dict__)  # noqa: S307
        if inspect.iscoroutine(result):
            await result

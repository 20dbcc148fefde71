"""Plain words: no participle for a noun in identifiers, and the worst words in no prose.

Identifiers of some rooms of the guest and of the sandboxes' host side are not checked yet.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.house.arrows import PACKAGES, ROOT

_GUEST = "primitives/planish/guest"
_SANDBOXES = "integrations/planish_integrations/sandboxes"
UNCHECKED = (  # for identifiers
    *(f"{_GUEST}/{room}/" for room in ("e2b", "linux", "loopback", "verifier", "zygote")),
    *(f"{_SANDBOXES}/{room}/" for room in ("e2b", "local")),
)
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]

# A name that ends in one of these says what was done to a thing, not what it is.
PARTICIPLES = {
    *("asked", "given", "heard", "held", "kept", "noted", "said", "shown", "sought"),
    *("taken", "taught", "told"),
}
# `is_held` is a statement; `_held` alone is a riddle.
STATEMENT = re.compile(r"(is|was|has|are|were|not|be|if)_")

WORST = re.compile(
    r"\b(nobody|somebody|anybody|whoever|walls|doors?|bur(y|ies|ied)|taught|riddles?|wardens?)\b"
    r"|\b(is|are|was|been) told of\b"
    r"|\b(the|a|no|in|of|this|any|its|such|what|other|this) troubles?\b",
    re.IGNORECASE,
)


def sources() -> list[Path]:
    """Return the library's files."""
    return [path for package in PACKAGES for path in sorted(package.rglob("*.py"))]


def names(text: str) -> Iterator[tuple[int, str]]:
    """Find each name that a module, class or function defines, with its line."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr
            case ast.arg():
                yield node.lineno, node.arg
            case _:
                pass


def is_participle(name: str) -> bool:
    """Return whether a name stands for a thing and says only what was done to it."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_")
    return words.rpartition("_")[2] in PARTICIPLES and not STATEMENT.match(words)


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Find the comments and strings of a module, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def test_no_identifier_is_a_participle() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in [*sources(), *sorted((ROOT / "examples").glob("*.py"))]
        if not str(path.relative_to(ROOT)).startswith(UNCHECKED)
        for line, name in names(path.read_text(encoding="utf-8"))
        if is_participle(name)
    ]
    assert not found, "\n".join(found)


def test_the_worst_words_are_in_no_prose() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sources()
        for number, line in prose(path.read_text(encoding="utf-8"))
        if WORST.search(line)
    ]
    found += [
        f"{page.relative_to(ROOT)}:{number}: {line.strip()}"
        for page in PAGES
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if WORST.search(line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["told", "_asked", "Told", "asked", "lastSaid"])
def test_a_participle_is_seen(name: str) -> None:
    assert is_participle(name)


@pytest.mark.parametrize("name", ["is_held", "tokens", "shown_text", "kept_files", "report"])
def test_what_is_none_is_not(name: str) -> None:
    assert not is_participle(name)


@pytest.mark.parametrize(
    "text", ["for whoever reads it", "Bury the dead.", "no trouble", "behind four walls"]
)
def test_a_worst_word_is_seen(text: str) -> None:
    assert WORST.search(text)

"""Read the files of a reply: find the path of each block, and select the main file."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from planish.extraction._extracted import ExtractedCode
from planish.extraction._fences import Block
from planish.extraction._languages import canonical_language
from planish.extraction._preference import advice

__all__ = ["add_files", "named_blocks"]

_PART = r"[^\s`*\"'<>|:;,()\[\]{}#=/\\]"
_PATH = rf"(?P<path>(?:{_PART}*[/\\])*{_PART}*[\w-]\.[A-Za-z]\w{{0,7}})"
# In the words beside a fence: "src/f.py", "python src/f.py", "python:src/f.py", 'title="f.py"'.
_INFO = re.compile(rf"(?:^|[\s:=\"'])(?P<quote>[\"']?){_PATH}(?P=quote)(?=$|[\s\"'}}:])")
# A line above the fence that is a path, marked up or not, after few words.
_ABOVE = re.compile(
    r"[ \t]*(?:[#>*-]+[ \t]+|\d+[.)][ \t]+)*(?:\*\*|__)?"
    r"(?:(?:[A-Za-z][\w']*[ \t]+){0,4}"
    r"|(?:[Ff]ile(?:[ ]?name|[ ]?path)?|[Pp]ath)[ \t]*:[ \t]*(?:\*\*)?[ \t]*)"
    rf"[`\"'*_]*{_PATH}[`\"'*_]*"
    r"(?:[ \t]+(?:as follows|like this)|[ \t]*\([^()\n]{0,60}\))?[ \t]*:?[ \t]*(?:\*\*|__)?:?[ \t]*"
)
_COMMENT = re.compile(
    r"\s*(?:#|//|--|;|/\*|<!--)[ \t]*(?:=+[ \t]*)?(?:[Ff]ile(?:name|path)?[ \t]*:?[ \t]+)?"
    rf"[`\"']?{_PATH}[`\"']?[ \t]*(?:=+|\*/|-->)?[ \t]*(?:\n|$)"
)
_MAINS = ("solution", "main", "app", "__main__")
_ABOVE_CHARS = 300

Select = Callable[[str, Sequence[Block], str, "str | None"], ExtractedCode]
Previous = tuple[str, tuple[tuple[str, str], ...]]


def named_blocks(text: str, fenced: Sequence[Block]) -> Mapping[int, str]:
    """Return the path of each block that the reply names, by the index of the block."""
    found: dict[int, str] = {}
    for index, block in enumerate(fenced):
        begin = fenced[index - 1].end if index else 0
        path = _path_of(block, text[max(begin, block.start - _ABOVE_CHARS) : block.start])
        if path is not None:
            found[index] = path
    return found


def _path_of(block: Block, above: str) -> str | None:
    """Return the path of a block: beside its fence, above it, or in its first comment."""
    line = above.rstrip().rpartition("\n")[2]
    for match in (
        _INFO.search(block.info) if "." in block.info else None,
        _ABOVE.fullmatch(line) if "." in line else None,
        _COMMENT.match(block.text),
    ):
        if match is not None:
            return match["path"].replace("\\", "/").removeprefix("./")
    return None


def add_files(
    text: str,
    blocks: Sequence[Block],
    paths: Sequence[str | None],
    target: str,
    name: str | None,
    select: Select,
    previous: Previous,
) -> ExtractedCode:
    """Select the main file of a reply, and return it with the other files.

    A reply that names no second file is one program.

    Args:
        text: The reply.
        blocks: Its blocks.
        paths: The path of each block; None for a block without one.
        target: The canonical name of the wanted language.
        name: The name that the main file must define, if known.
        select: Selects the code among blocks and unfenced text.
        previous: The previous code and its files.
    """
    contents, findings = _contents(text, blocks, paths)
    if not contents:
        return select(text, blocks, target, name)
    code = {path: one for path, one in contents.items() if canonical_language(path) == target}
    chosen = select("", list(code.values()), target, name) if code else None
    main = None if chosen is None or chosen.block is None else list(code)[chosen.block]
    if name is None and code:
        stems = {path.rpartition("/")[2].partition(".")[0]: path for path in reversed(code)}
        main = next((stems[stem] for stem in _MAINS if stem in stems), main)
    whole = select(text, blocks, target, name)
    block = None if whole.block is None else blocks[whole.block]
    if block is not None and paths[whole.block or 0] is None and len(contents) > 0:
        # The answer itself has no path. It has other files only if it imports them.
        others = {path: one.text for path, one in contents.items()}
        used = {path for path in others if _imports(whole.code, path)}
        if not used and len(others) == 1:
            return whole
        main_is_unnamed = main is None or not _defines(code[main], name, select, target)
        if used or main_is_unnamed:
            return replace(whole, files=tuple(others.items()), findings=findings)
    if main is None or (len(contents) == 1 and not previous[1]):
        return replace(whole, path=main if block is not None else None)
    merged = dict(previous[1]) if set(contents) <= {path for path, _ in previous[1]} else {}
    if merged and not _defines(code[main], name, select, target):
        merged.update((path, one.text) for path, one in contents.items())
        return ExtractedCode(
            previous[0], None, None, len(blocks), files=tuple(merged.items()), findings=findings
        )
    if len(contents) == 1:
        return replace(whole, path=main)
    return ExtractedCode(
        select("", [code[main]], target, name).code,
        None,
        next((i for i, one in enumerate(blocks) if one is code[main]), None),
        len(blocks),
        path=main,
        files=tuple((path, one.text) for path, one in contents.items() if path != main),
        findings=findings,
    )


def _contents(
    text: str, blocks: Sequence[Block], paths: Sequence[str | None]
) -> tuple[dict[str, Block], tuple[str, ...]]:
    """Return the block of each path, and findings on paths that several blocks have.

    Of several, the one that the reply recommends is used, else the last.
    """
    found: dict[str, tuple[int, Block]] = {}
    findings: list[str] = []
    for index, (block, path) in enumerate(zip(blocks, paths, strict=True)):
        if path is None:
            continue
        begin = blocks[index - 1].end if index else 0
        rank = advice(text[begin : block.start], block.text)
        known = found.get(path)
        if known is not None and known[1].text != block.text:
            findings.append(f"the reply has {path!r} twice, with different content")
        if known is None or rank >= known[0]:
            found[path] = (rank, block)
    return {path: block for path, (_, block) in found.items()}, tuple(dict.fromkeys(findings))


def _imports(code: str, path: str) -> bool:
    """Return whether code names the module, or the file, at a path."""
    stem = path.rpartition("/")[2].partition(".")[0]
    module = path.rpartition(".")[0].replace("/", ".")
    wanted = rf"^[ \t]*(?:from|import)[ \t][^\n]*\b(?:{re.escape(module)}|{re.escape(stem)})\b"
    return path in code or re.search(wanted, code, re.MULTILINE) is not None


def _defines(block: Block, name: str | None, select: Select, target: str) -> bool:
    """Return whether a block defines the name; True if no name is known."""
    if name is None:
        return True
    return re.search(rf"\b{re.escape(name)}\b", select("", [block], target, name).code) is not None

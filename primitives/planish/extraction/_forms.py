"""Read replies whose code comes in another form: edits, JSON objects, several files."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from planish.extraction._edits import Edit, apply_edits, find_edits, is_edit, result_of
from planish.extraction._extracted import ExtractedCode
from planish.extraction._fences import Block, find_blocks
from planish.extraction._files import add_files, named_blocks
from planish.extraction._languages import PYTHON, UNTAGGED, matches_definition
from planish.extraction._objects import code_in_json, files_in_json
from planish.extraction._python import defines, is_program, is_stub, parse

__all__ = ["read_forms"]

Select = Callable[[str, Sequence[Block], str, "str | None"], ExtractedCode]
Previous = tuple[str, tuple[tuple[str, str], ...]]
_MAX_EDITS = 1_000


def read_forms(
    text: str,
    fenced: Sequence[Block],
    target: str,
    name: str | None,
    select: Select,
    previous: Previous,
) -> ExtractedCode:
    """Extract the code of a reply that may hold edits, JSON objects or several files.

    Args:
        text: The reply, without its reasoning.
        fenced: Its blocks.
        target: The canonical name of the wanted language.
        name: The name that the code must define, if known.
        select: Selects the code among blocks and unfenced text.
        previous: The code that the reply may edit, and its other files.
    """
    named = named_blocks(text, fenced)
    files = [] if named else _json_files(text, fenced)
    if files:
        blocks = [Block(0, len(text), PYTHON, content, closed=True) for _, content in files]
        return add_files("", blocks, [path for path, _ in files], target, name, select, previous)
    blocks, edits, unfenced = _sort(text, fenced, target, name, set(named))
    if not edits:
        paths = [named.get(index) for index in range(len(blocks))]
        return add_files(unfenced, blocks, paths, target, name, select, previous)
    return _edited(unfenced, blocks, edits, target, name, select, previous)


def _json_files(text: str, fenced: Sequence[Block]) -> list[tuple[str, str]]:
    """Return the files of the reply's JSON object, if it is one or has a block that is one."""
    for candidate in (text, *(block.text for block in fenced)):
        files = files_in_json(candidate)
        if len(files) > 1 or (files and files[0][0].endswith(".py")):
            return files
    return []


def _sort(
    text: str, fenced: Sequence[Block], target: str, name: str | None, named: set[int]
) -> tuple[list[Block], list[tuple[int, list[Edit]]], str]:
    """Return the blocks of code, the edits with their offsets, and the text without both."""
    blocks: list[Block] = []
    edits: list[tuple[int, list[Edit]]] = []
    for index, block in enumerate(fenced):
        found = find_edits(block.text) if is_edit(block.text, block.tag) else []
        if found:
            edits.append((block.start, found))
            blocks.append(replace(block, tag="diff", text=""))
            continue
        code = None if index in named else _json_code(block.text, target, name)
        blocks.append(block if code is None else replace(block, tag=target, text=code))
    if not fenced:
        code = _json_code(text, target, name)
        if code is not None:
            return [Block(0, len(text), target, code, closed=True)], [], ""
        if is_edit(text, ""):
            return [], [(0, find_edits(text))], ""
    return blocks, edits, text


def _json_code(text: str, target: str, name: str | None) -> str | None:
    """Return the code in a JSON object; None if the text is no JSON or has none."""
    for code in code_in_json(text):
        inner = list(find_blocks(code, target)) if "```" in code or "~~~" in code else []
        for one in (*(block.text for block in reversed(inner)), code):
            if _is_answer(one, target, name):
                return one
    return None


def _is_answer(code: str, target: str, name: str | None) -> bool:
    """Return whether a text is code that may be the answer."""
    if target != PYTHON:
        return bool(code.strip()) and (name is None or matches_definition(code, name, python=False))
    tree = parse(code)
    if tree is None:
        return name is not None and matches_definition(code, name, python=True)
    return defines(tree, name) and not is_stub(tree, name) if name else is_program(tree)


def _edited(
    text: str,
    blocks: Sequence[Block],
    edits: Sequence[tuple[int, list[Edit]]],
    target: str,
    name: str | None,
    select: Select,
    previous: Previous,
) -> ExtractedCode:
    """Return the code that the edits of a reply make of its own code, or of the previous code.

    Whole code after the edits is the answer itself.
    """
    all_edits = [edit for _, group in edits for edit in group][:_MAX_EDITS]
    whole = [replace(one, text="") if one.tag not in (UNTAGGED, target) else one for one in blocks]
    own = select(text if blocks else "", whole, target, name)
    if own.problem is None and own.block is not None and _is_answer(own.code, target, name):
        before = [edit for at, group in edits if at > blocks[own.block].start for edit in group]
        if not before:
            return own
        code = apply_edits(own.code, before)
        if code is not None:
            return replace(own, code=code)
    elif own.problem is None and not previous[0]:
        own = replace(own, problem="no_code")
    changed = _apply_to_files(previous, all_edits) if previous[0] else None
    if changed is not None:
        return ExtractedCode(changed[0], None, None, len(blocks), files=changed[1])
    if own.problem is None and own.block is not None and _is_answer(own.code, target, name):
        return replace(own, findings=(*own.findings, _LEFT_OUT))
    result = result_of(all_edits)
    if not previous[0] and _is_answer(result, target, name):
        return ExtractedCode(result, None, None, len(blocks), findings=(_NO_BASE,))
    return ExtractedCode("", "edit_failed", None, len(blocks))


_LEFT_OUT = "the reply has an edit that does not fit its code: it was left out"
_NO_BASE = "the reply is an edit of unknown code: its new lines were used"


def _apply_to_files(
    previous: Previous, edits: Iterable[Edit]
) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """Apply edits to the previous code and files, each to the first that it fits, or None."""
    code, files = previous[0], list(previous[1])
    after: list[Edit] = []  # the edits of the main file are applied together, in their order
    for edit in edits:
        if apply_edits(code, [*after, edit]) is not None:
            after.append(edit)
            continue
        for index, (path, content) in enumerate(files):
            changed = apply_edits(content, [edit])
            if changed is not None:
                files[index] = (path, changed)
                break
        else:
            return None
    changed_code = apply_edits(code, after)
    return None if changed_code is None else (changed_code, tuple(files))

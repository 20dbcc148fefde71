"""Tell which of several pieces of code a reply recommends, and which is a whole program."""

import ast
import re
from collections.abc import Sequence
from typing import Literal

__all__ = [
    "Advice",
    "advice",
    "other_program_rank",
    "reads_input",
    "whole_programs",
]

Advice = Literal[0, 1, 2]
"""What the text says of a piece: 0 that it is not to be used, 2 that it is, 1 nothing."""

_NEAR = 300  # characters of text before a piece, and after it, that may speak of it
_NOUN = r"(?:code|version|way|approach|implementation|function|solution|one|definition|attempt)"
# The author advises against it, whatever else the sentence says.
_AGAINST = re.compile(
    r"^\W*(?:instead of|rather than|not like (?:this|that)|not (?:this|that))\b"
    r"|^\W*(?:don'?t|do not|never|before|was|old|avoid(?: (?:this|that|it))?)\W*$"
    r"|^\W*(?:wrong|incorrect|bad|buggy|broken)\b[ \w]{0,12}\W*$"
    r"|^\W*(?:the |your |my )?(?:old|original|previous|earlier|existing|wrong|incorrect|buggy"
    rf"|broken|bad|faulty|failing|naive)[ \w]{{0,20}}\b{_NOUN}?[ \w]{{0,20}}\W*$"
    r"|\b(?:do not|don'?t|never|should(?: not|n'?t)|must(?: not|n'?t)) (?:use|do|write|copy|run)\b"
    rf"|\b(?:the|a) (?:wrong|incorrect|buggy|broken|bad) {_NOUN}\b"
    rf"|\b(?:it|this|that) replaces\b|\binstead of (?:this|that)?\W*$",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"\b(?:fix(?:ed)?|correct(?:ed)?|final|improve\w*|better|updated|revised|recommended|repaired"
    r"|working|instead use|use this|use the following|should be|replace (?:it|this|that) with"
    r"|right (?:way|version))\b|^\W*after\W*$",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    rf"\b(?:old|original|previous|earlier|existing|current|your|initial)\b[ \w]{{0,20}}\b{_NOUN}\b"
    r"|\bfor (?:reference|comparison)\b|\b(?:was|used to be)\b\W*$",
    re.IGNORECASE,
)
_AFTERWARDS = re.compile(
    r"^\W*(?:(?:please )?(?:do not|don'?t|never) use (?:this|that|it|the above)"
    r"|(?:this|that|the (?:code|version|one) above|the above)(?: \w+){0,2} is"
    r" (?:wrong|incorrect|buggy|broken|the (?:wrong|old|original)))",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_COMMENT = re.compile(r"\s*(?:#|//)+[ \t]*([^\n]{1,80})")


def advice(before: str, code: str, after: str = "") -> Advice:
    """Return what a reply says of a piece of code.

    Args:
        before: The text before the piece, back to the piece before.
        code: The piece; its first line may be a comment that speaks of it.
        after: The text after it, up to the next piece.
    """
    following = _SENTENCE_END.split(after[:_NEAR].strip(), maxsplit=1)[0]
    if _AFTERWARDS.search(following) and not following.rstrip("*_ ").endswith(":"):
        return 0  # with a colon it speaks of the next piece
    comment = _COMMENT.match(code)
    sentences = [part for part in _SENTENCE_END.split(before[-_NEAR:].strip()) if part.strip()]
    for text in (comment[1] if comment else "", sentences[-1] if sentences else ""):
        found = _advice(text)
        if found != 1:
            return found
    return 1


def _advice(sentence: str) -> Advice:
    if _AGAINST.search(sentence):
        return 0
    if _FOR.search(sentence):
        return 2
    return 0 if _REFERENCE.search(sentence) else 1


_TESTING = {"pytest", "unittest", "doctest", "subprocess", "hypothesis"}
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _is_no_test_script(tree: ast.Module) -> bool:
    return not _is_test_script(tree)


def whole_programs(trees: Sequence[ast.Module]) -> list[int]:
    """Return the indices of the pieces that are whole programs; of all if none is.

    Test scripts are left out. If a piece reads input, only such pieces are whole; if a piece
    defines something and runs it, pieces that define nothing are examples.
    """
    indices = list(range(len(trees)))
    for is_whole in (_is_no_test_script, reads_input):
        indices = [one for one in indices if is_whole(trees[one])] or indices
    if any(_defines_something(trees[one]) and _runs(trees[one]) for one in indices):
        indices = [one for one in indices if _defines_something(trees[one])]
    return indices


def reads_input(tree: ast.Module) -> bool:
    """Return whether a program reads standard input or its arguments."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="input")):
                return True
            case ast.Call(func=ast.Name(id="open"), args=[ast.Constant(value=0), *_]):
                return True
            case ast.Attribute(value=ast.Name(id="sys"), attr="stdin" | "argv"):
                return True
            case ast.Name(id="stdin" | "fileinput" | "argv"):
                return True
            case _:
                pass
    return False


def _runs(tree: ast.Module) -> bool:
    """Return whether a statement at the top level does more than define and import."""
    return any(
        isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await))
        for node in tree.body
    )


def _defines_something(tree: ast.Module) -> bool:
    return any(isinstance(node, _Definition) for node in tree.body)


def _is_test_script(tree: ast.Module) -> bool:
    """Return whether a piece tests other code: it defines nothing but tests, and has some."""
    tests = False
    for node in tree.body:
        match node:
            case ast.Import(names=names):
                tests |= any(name.name.partition(".")[0] in _TESTING for name in names)
            case ast.ImportFrom(module=str(module)):
                tests |= module.partition(".")[0] in _TESTING
            case ast.Assert():
                tests = True
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                if not node.name.lower().startswith("test"):
                    return False
                tests = True
            case _:
                pass
    return tests


_OTHER_MAIN = re.compile(r"\A#!|\bmain\s*\(|\bpackage main\b|__main__|\bstatic void Main\b")
_OTHER_READS = re.compile(
    r"\b(?:stdin|scanf|cin|getline|readline|readLine|read|Scanner|BufferedReader|gets|input"
    r"|Scanln|Scan|ReadLine|process\.argv|ARGV|args)\b|\$[@1]"
)
_OTHER_WRITES = re.compile(
    r"\b(?:print\w*|puts|echo|cout|console\.log|Println|Printf|WriteLine|write|say)\b"
)


def other_program_rank(code: str) -> int:
    """Return how much of a whole program a piece in another language is: greater is more."""
    found = (_OTHER_MAIN, _OTHER_READS, _OTHER_WRITES)
    return sum(pattern.search(code) is not None for pattern in found)

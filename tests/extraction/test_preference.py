"""Of several pieces of code, the one that the reply recommends; without a name, the program."""

import ast

import pytest
from tests.extraction.samples import CODE, OLD, fence, lines

from planish.extraction import extract
from planish.extraction._preference import advice, reads_input

ADVISED_AGAINST = [
    "Instead of:",
    "instead of this:",
    "Instead of the old code:",
    "rather than:",
    "The wrong way (do not use):",
    "Do not use this:",
    "Don't write it like this:",
    "The old version:",
    "Your original code:",
    "Before:",
    "**Before:**",
    "### Wrong",
    "Wrong:",
    "The buggy version was:",
    "It replaces the original implementation:",
    "For reference, the original code:",
    "You should not use this one:",
    "Here is a naive approach, which is too slow. Never use it:",
]
RECOMMENDED = [
    "Fixed:",
    "Here is the corrected version:",
    "Use this:",
    "The fixed code, which replaces the old one:",
    "The original code was wrong. This is the corrected version:",
    "Improved version of your original code:",
    "After:",
    "Final solution:",
]


@pytest.mark.parametrize("words", ADVISED_AGAINST)
def test_code_that_the_reply_advises_against_is_not_the_answer(words: str) -> None:
    reply = lines("Here it is:", fence(CODE), "", words, fence(OLD), "", "That is all.")
    extracted = extract(reply, entry_point="f")
    assert (extracted.code, extracted.findings) == (CODE, ())


@pytest.mark.parametrize("words", RECOMMENDED)
def test_code_that_the_reply_recommends_is_the_answer(words: str) -> None:
    first = lines(words, fence(CODE), "", "It came from this:", fence(OLD))
    extracted = extract(first, entry_point="f")
    assert (extracted.code, extracted.findings) == (CODE, ())
    last = lines("What you have:", fence(OLD), words, fence(CODE))
    extracted = extract(last, entry_point="f")
    assert (extracted.code, extracted.findings) == (CODE, ())


@pytest.mark.parametrize("comment", ["# Wrong: do not use", "# old version", "# BEFORE"])
def test_a_first_comment_speaks_of_its_block(comment: str) -> None:
    reply = lines(fence(CODE), fence(f"{comment}\n{OLD}"))
    assert extract(reply, entry_point="f").code == CODE


def test_words_after_a_block_speak_of_it() -> None:
    reply = lines(fence(CODE), "and", fence(OLD), "Do not use this: it adds nothing.")
    assert extract(reply, entry_point="f").code == CODE


def test_unfenced_code_is_recommended_too() -> None:
    reply = f"Fixed:\n\n{CODE}\n\nInstead of:\n\n{OLD}\n"
    assert extract(reply, entry_point="f").code == CODE


def test_two_that_differ_without_a_word_are_a_finding() -> None:
    extracted = extract(lines(fence(OLD), "And:", fence(CODE)), entry_point="f")
    assert extracted.code == CODE
    assert "'f'" in extracted.findings[0]
    assert "differently" in extracted.findings[0]


@pytest.mark.parametrize(
    "reply",
    [
        lines(fence(CODE), "Once more:", fence(CODE)),
        lines(fence("def f(x):\n    ..."), "Now:", fence(CODE)),
        lines(fence("def g():\n    return 1"), "Now:", fence(CODE)),
    ],
)
def test_no_contradiction_is_no_finding(reply: str) -> None:
    assert extract(reply, entry_point="f").findings == ()


PROGRAM = "import sys\n\ndef solve(n):\n    return n * n\n\nprint(solve(int(sys.stdin.readline())))"
OTHERS = {
    "a snippet": "n = int(input())\nprint(n)",
    "an example": "print(solve(3))",
    "a part of it": "def solve(n):\n    return n * n",
    "a test script": (
        "import subprocess\n\n"
        "def test_it():\n    done = subprocess.run(['python', 'main.py'], input=b'3')\n"
        "    assert done.stdout == b'9'"
    ),
    "asserts": "assert solve(3) == 9\nassert solve(0) == 0",
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
@pytest.mark.parametrize("tag", ["python", ""])
def test_without_a_name_the_whole_program_is_taken(other: str, tag: str) -> None:
    assert extract(lines(fence(PROGRAM, tag), "So:", fence(other, tag))).code == PROGRAM
    assert extract(lines(fence(other, tag), "So:", fence(PROGRAM, tag))).code == PROGRAM


COUNTS = "def count():\n    return sum(range(9))\n\nprint(count())"
EACH_RULE = {
    "a test script that runs": (
        COUNTS,
        "import pytest\n\ndef test_it():\n    assert count() == 36\n\npytest.main()",
    ),
    "a demonstration that reads nothing": (
        PROGRAM,
        "def solve(n):\n    return n * n\n\nfor n in range(3):\n    print(solve(n))",
    ),
    "an example that defines nothing": (COUNTS, "total = count()\nprint(total)"),
    "a part that reads": (PROGRAM, "def read():\n    return int(input())"),
}


@pytest.mark.parametrize(("program", "other"), EACH_RULE.values(), ids=EACH_RULE.keys())
def test_each_rule_finds_the_program_where_no_other_does(program: str, other: str) -> None:
    assert extract(lines(fence(program), "So:", fence(other))).code == program
    assert extract(lines(fence(other), "So:", fence(program))).code == program


def test_commands_are_not_the_program() -> None:
    for tag in ("bash", ""):
        reply = lines(fence(PROGRAM), "Run it:", fence("chmod +x main.py\n./main.py", tag))
        assert extract(reply).code == PROGRAM


def test_a_second_whole_program_replaces_the_first() -> None:
    better = PROGRAM.replace("n * n", "n ** 2")
    assert extract(lines(fence(PROGRAM), "Faster:", fence(better))).code == better
    reply = lines("Use this:", fence(better), "What you had:", fence(PROGRAM))
    assert extract(reply).code == better


@pytest.mark.parametrize(
    ("language", "program", "other"),
    [
        ("bash", '#!/bin/bash\nread n\necho "$((n * n))"', "chmod +x square.sh"),
        (
            "javascript",
            "const n = require('fs').readFileSync(process.stdin.fd);\nconsole.log(n * n);",
            "npm_config = 1;",
        ),
        (
            "cpp",
            "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << n * n; }",
            "int square(int n) { return n * n; }",
        ),
    ],
)
def test_in_other_languages_the_whole_program_is_taken(
    language: str, program: str, other: str
) -> None:
    first = lines(fence(program, language), "Then:", fence(other, language))
    last = lines(fence(other, language), "Then:", fence(program, language))
    assert extract(first, language=language).code == program
    assert extract(last, language=language).code == program


def test_what_reads_input_is_found_in_the_tree() -> None:
    for code in ("input()", "open(0).read()", "import sys\nsys.argv", "import fileinput"):
        assert reads_input(ast.parse(code)) == (code != "import fileinput"), code
    for code in ("open('a')", "inputs()", "x.input()"):
        assert not reads_input(ast.parse(code)), code


def test_a_long_text_is_not_searched() -> None:
    assert advice("Do not use this. " + "And so on, and on, and on. " * 20, CODE) == 1

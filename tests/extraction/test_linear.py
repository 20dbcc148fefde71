"""The time of an extraction is linear in the reply's length, for any reply."""

import ast
import gc
import math
import time

import pytest

from planish.extraction import extract

UNITS = {
    "prose": "This is some prose, with words (and signs) = nothing.\n",
    "words on one line": "hello world ",
    "blocks": "```python\ndef f(x):\n    return x\n```\nText.\n",
    "blocks without an end": "```python\ndef g(x):\n    return x\n",
    "blocks in use of others": "```python\nf(g0)\n```\n",
    "stubs": "```python\ndef f(x):\n    ...\n```\n",
    "broken blocks": "```python\ndef f(x)\n    return\n```\n",
    "pages of markdown": "````markdown\n```python\nx = 1\n```\n````\n",
    "bare fences": "```\n",
    "backticks": "`",
    "strings without an end": '```python\nx = """a\n```\ny = 1\n',
    "triple quotes": '"""\n',
    "escaped quotes": '\\"',
    "thoughts": "<think>\na\n</think>\n",
    "thoughts without an end": "<think>\n",
    "ends of thoughts": "a</think>\n",
    "quote marks": "> > > ",
    "list marks": "- - - ",
    "broken definitions": "def f(x):\n    return x +\n",
    "definitions among prose": "def f(x):\n    return x\n\nWords follow.\n",
    "decorators": "@a\n",
    "headers": "if x:\n",
    "broken lines": "x = = 3\n",
    "brackets": "f(",
    "spans": "use `def f(x): return x` or ",
    "spans without an end": "`def ",
    "prompts": ">>> f(1)\n2\n",
    "uneven indents": "    x = 1\n  y = = 2\n",
    "NULs": "\0\n",
    "returns": "\r",
    "JSON": '{"code": "x"}\n',
    "JSON blocks": '```json\n{"code": "x = 1"}\n```\n',
    "diffs": "```diff\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n```\n",
    "hunks": "@@ -1 +1 @@\n-a\n+b\n",
    "searches": "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
    "searches without an end": "<<<<<<< SEARCH\n",
    "named blocks": "**a.py**\n```python\nx = 1\n```\n",
    "paths": "a/b.py ",
    "entities": "x = a &lt; b\n",
    "no-break spaces": "x\u00a0= 1\n",
    "line numbers": "1 | x\n",
    "magics": "%time x\n",
    "channels": "<|channel|>analysis<|message|>a<|end|>\n",
    "old code": "Instead of the old code:\n```python\ndef f(x):\n    return 1\n```\n",
}


def parsed(unit: str, size: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the characters that one extraction gives to Python's parser."""
    count, parse = 0, ast.parse

    def counting(source: str) -> ast.Module:
        nonlocal count
        count += len(source)
        return parse(source)

    with monkeypatch.context() as patch:
        patch.setattr(ast, "parse", counting)
        extract(unit * (size // len(unit)), entry_point="f")
    return count


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
def test_each_character_is_parsed_a_few_times_at_most(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 1_500
    few, many = parsed(unit, size, monkeypatch), parsed(unit, 4 * size, monkeypatch)
    assert few <= 6 * size
    assert many <= 4.2 * few


@pytest.mark.one_in(8)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
def test_of_a_long_reply_only_a_part_is_parsed(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parsed(unit, 600_000, monkeypatch) <= 450_000  # what does not parse is read in part


def cpu_ratio(unit: str, size: int, language: str) -> float:
    """Measure four times the size against the size, each by the least CPU time of three rounds.

    The collector of cycles is off: it walks over all objects of the test run, at moments that
    have nothing to do with the reply.
    """
    lengths = (size, 4 * size)
    least = [math.inf, math.inf]
    gc.disable()
    try:
        for _ in range(3):
            for number, length in enumerate(lengths):
                reply = unit * (length // len(unit))
                begin = time.process_time()
                extract(reply, entry_point="f", language=language)
                least[number] = min(least[number], time.process_time() - begin)
    finally:
        gc.enable()
    # The constant keeps replies that take microseconds from being judged by the timer.
    return least[1] / (least[0] + 0.002)


MUCH = 10  # quadratic time has 16; what is above 4 is memory, which caches hold less of


@pytest.mark.benchmark
@pytest.mark.parametrize("language", ["python", "javascript"])
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
def test_four_times_the_reply_takes_about_four_times_as_long(unit: str, language: str) -> None:
    assert cpu_ratio(unit, 12_500, language) < MUCH


@pytest.mark.benchmark
def test_ten_megabytes_are_read() -> None:
    block = "```python\ndef f(x):\n    return x\n```\nText, and more of it, goes on here.\n"
    size = 10_000_000 // len(block)
    extracted = extract(block * size, entry_point="f")
    assert (extracted.block, extracted.blocks) == (size - 1, size)
    assert extract("Only words, no code. " * 500_000).problem == "no_code"

"""The time of an extraction is linear in the reply's length, for any reply."""

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
}


def seconds(unit: str, size: int, language: str) -> float:
    """The lesser of two, in seconds of this process."""
    reply = unit * (size // len(unit))
    times: list[float] = []
    for _ in range(2):
        begin = time.process_time()
        extract(reply, entry_point="f", language=language)
        times.append(time.process_time() - begin)
    return min(times)


@pytest.mark.benchmark
@pytest.mark.parametrize("language", ["python", "javascript"])
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
def test_four_times_the_reply_takes_about_four_times_as_long(unit: str, language: str) -> None:
    # Quadratic time would be 16 times; 10 leaves room for memory growing slower than caches.
    # The constant keeps shapes that take microseconds from being judged by the timer.
    size = 25_000
    assert seconds(unit, 4 * size, language) <= 10 * seconds(unit, size, language) + 0.02


@pytest.mark.benchmark
def test_ten_megabytes_are_read() -> None:
    block = "```python\ndef f(x):\n    return x\n```\nText, and more of it, goes on here.\n"
    size = 10_000_000 // len(block)
    extracted = extract(block * size, entry_point="f")
    assert (extracted.block, extracted.blocks) == (size - 1, size)
    assert extract("Only words, no code. " * 500_000).problem == "no_code"

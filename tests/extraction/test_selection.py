"""Selection among several pieces of code, with and without an entry point `f`."""

import pytest
from tests.extraction.samples import BINDING, BODY, BROKEN, CODE, OLD, fence, lines

from planish.extraction import ExtractedCode, extract

SEVERAL = {
    "the last definer": (lines(fence(OLD), "Better:", fence(CODE)), CODE),
    "not an example after it": (lines(fence(CODE), "Example:", fence("print(f(1))")), CODE),
    "not another problem after it": (lines(fence(CODE), fence("def g():\n    return 1")), CODE),
    "not its output": (lines(fence(CODE), fence("f = 2", "text")), CODE),
    "not how to install": (lines(fence("pip install f", "bash"), fence(CODE)), CODE),
    "not JavaScript": (lines(fence(CODE), fence("function f(x) {}", "js")), CODE),
    "an untagged definer after a tagged one": (lines(fence(OLD), fence(CODE, "")), CODE),
    "a definer with a strange tag": (lines(fence("y = 1"), fence(CODE, "solution")), CODE),
    "a broken last definer": (lines(fence(OLD), "Fixed:", fence(BROKEN)), BROKEN),
    "not a stub after it": (lines(fence(CODE), fence("def f(x):\n    ...")), CODE),
    "not a docstring after it": (lines(fence(CODE), fence('def f(x):\n    "Add."')), CODE),
    "not comments after it": (lines(fence(CODE), fence("def f(x):\n    # as before")), CODE),
    "not an empty class after it": (
        lines(fence("class f:\n    x = 1"), fence('class f:\n    """It."""\n    def m(self): ...')),
        "class f:\n    x = 1",
    ),
    "not an empty assignment after it": (lines(fence(CODE), fence("f = ...")), CODE),
    "not a stub though the rest is unfenced": (
        lines(fence("def f(x):\n    pass"), "", CODE, "", "Done."),
        CODE,
    ),
    "not an annotated nothing after it": (lines(fence(CODE), fence("f: int = ...")), CODE),
    "not a bare NotImplementedError after it": (
        lines(fence(CODE), fence("def f(x):\n    raise NotImplementedError")),
        CODE,
    ),
    "a value after a function": (lines(fence(OLD), fence("f: int = 1")), "f: int = 1"),
    "a stub when there is no more": (fence("def f(x):\n    pass"), "def f(x):\n    pass"),
    "the last of stubs": (
        lines(fence("def f(x):\n    pass"), fence("def f(x):\n    ...")),
        "def f(x):\n    ...",
    ),
    "not a stub that says more": (
        lines(fence(CODE), fence("def f(x):\n    raise NotImplementedError('soon')")),
        CODE,
    ),
    "an assignment": (fence("f = lambda x: x + 1"), "f = lambda x: x + 1"),
    "a class": (fence("class f:\n    x = 1"), "class f:\n    x = 1"),
    "async": (fence("async def f(x):\n    return x"), "async def f(x):\n    return x"),
    "a definer under if": (fence("if True:\n    f = print"), "if True:\n    f = print"),
    "a method when nothing better": (
        lines(fence("class S:\n    def f(self): return 1"), fence("print(1)")),
        "class S:\n    def f(self): return 1",
    ),
    "unfenced code before fenced output": (lines(CODE, "", "Output:", fence("2", "")), CODE),
    "a helper from before": (
        lines(
            fence("import math\n\ndef g(x):\n    return math.floor(x)\n\nprint(g(1.5))"),
            fence("def f(x):\n    return g(x)"),
        ),
        "import math\ndef g(x):\n    return math.floor(x)\n\ndef f(x):\n    return g(x)",
    ),
    "a helper's import from before it": (
        lines(
            fence("import math as m"),
            fence("@print\ndef g(x):\n    return m.pi"),
            fence("def f(x):\n    return g(x)"),
        ),
        "import math as m\n\n@print\ndef g(x):\n    return m.pi\n\ndef f(x):\n    return g(x)",
    ),
    "no helper it has itself": (
        lines(fence("def g():\n    return 0"), fence(f"g = 1\n{CODE}")),
        f"g = 1\n{CODE}",
    ),
    "no helper it binds in a pattern": (
        lines(fence("g = h = e = 0"), fence(f"{BINDING}")),
        BINDING,
    ),
    "no helper where a star may bring it": (
        lines(fence("g = 1"), fence("from m import *\nf = g")),
        "from m import *\nf = g",
    ),
    "the last that parses, without a definer": (
        lines(fence("def h():\n    return 1"), fence("def h(:"), fence("55", "")),
        "def h():\n    return 1",
    ),
    "the longest, when none parses": (lines(fence(BODY), fence("x +")), BODY),
    "a body keeps its indent": (fence(BODY), BODY),
}


@pytest.mark.parametrize(("reply", "code"), SEVERAL.values(), ids=SEVERAL.keys())
def test_one_of_several_is_taken(reply: str, code: str) -> None:
    windows = reply.replace("\n", "\r\n")
    extracted = extract(reply, entry_point="f")
    assert extracted.code == code
    assert extracted.problem is None
    assert extract(windows, entry_point="f") == extracted


def test_the_block_taken_and_the_number_of_blocks_are_told() -> None:
    reply = f"{fence('pip install f', 'sh')}\n{fence(CODE)}\n{fence('print(f(1))')}\n{fence('')}"
    assert extract(reply, entry_point="f") == ExtractedCode(CODE, None, 1, 3)
    assert extract(CODE, entry_point="f") == ExtractedCode(CODE, None, None, 0)


def test_a_dotted_entry_point_is_its_first_part() -> None:
    code = "class C:\n    def m(self):\n        return 1"
    reply = f"{fence(code)}\n{fence('print(C().m())')}"
    assert extract(reply, entry_point="C.m").code == code


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (lines(fence("def g():\n    return 1"), fence("print(1)")), "print(1)"),
        (lines(fence(CODE), fence("2", "")), CODE),
        (lines(fence(CODE), fence("y = 2", "")), CODE),
        (lines(fence(BROKEN), fence("y = 2", "")), BROKEN),
        (lines(fence(CODE), fence("y = 2", "solution")), CODE),
        (lines(fence("Some words", ""), "So:", fence(CODE, "solution")), CODE),
        (lines(fence("z = 3"), fence("print(z)")), "z = 3\n\nprint(z)"),
        (f"So:\n\nimport os\n\nand then:\n\n{BROKEN}\n\nEnd.", BROKEN),
        ("for i in range(3)\n    print(i)\n\nThat loops.", "for i in range(3)\n    print(i)"),
    ],
)
def test_without_an_entry_point_the_last_code_is_taken(reply: str, code: str) -> None:
    assert extract(reply).code == code


def test_code_of_the_future_is_not_pushed_down() -> None:
    code = "from __future__ import annotations\n\ndef f(x):\n    return g(x)"
    assert extract(f"{fence('g = print')}\n{fence(code)}", entry_point="f").code == code

"""What copying did to Python code is repaired where the text can mean nothing else."""

import pytest
from tests.extraction.samples import CODE, fence, lines

from planish.extraction import extract

ESCAPED = {
    "the whole block": (
        "def f(x):\n    if x &lt; 1:\n        return &quot;a &amp; b&quot;\n    return x",
        'def f(x):\n    if x < 1:\n        return "a & b"\n    return x',
    ),
    "what parses as an operation": (
        "def f(x, y):\n    return x &lt; y",
        "def f(x, y):\n    return x < y",
    ),
    "only outside literals": (
        'def f(x) -> str:\n    return "&lt;" if x &lt; 1 else "&amp;"  # &gt;',
        'def f(x) -> str:\n    return "&lt;" if x < 1 else "&amp;"  # &gt;',
    ),
    "numbers": ("def f(x):\n    return &#39;a&#39; + x", "def f(x):\n    return 'a' + x"),
}
KEPT = {
    "entities in a literal": 'def f(x):\n    return x.replace("&lt;", "<")',
    "entities in a comment": "def f(x):\n    return x  # &lt; is escaped",
    "no-break spaces in a literal": 'def f(x):\n    return x + "\u00a0"',
    "quotes in a literal": 'def f(x):\n    return x + "\u201cyes\u201d"',
    "a remainder at the start of a line": "def f(x):\n    return (x\n%2)",
    "lines that count in a literal": 'def f(x):\n    return """\n1 | a\n2 | b\n"""',
    "a broken line": "def f(x)\n    return x &lt",
}
SPOILT = {
    "no-break spaces": CODE.replace(" ", "\u00a0"),
    "narrow no-break spaces": CODE.replace("    ", "\u202f\u202f\u202f\u202f"),
    "ideographic spaces": CODE.replace("x + 1", "x\u3000+\u30001"),
    "spaces without a width": CODE.replace("return", "\u200breturn"),
    "a byte order mark within": CODE.replace("return", "\ufeffreturn"),
    "line numbers with bars": "1 | def f(x):\n2 |     return x + 1",
    "line numbers with colons": "1: def f(x):\n2:     return x + 1",
    "line numbers with dots": " 9. def f(x):\n10.     return x + 1",
    "line numbers with spaces": " 1  def f(x):\n 2      return x + 1",
    "line numbers with tabs": "41\tdef f(x):\n42\t    return x + 1",
    "box drawing": "1 \u2502 def f(x):\n2 \u2502     return x + 1",
}


@pytest.mark.parametrize(("code", "repaired"), ESCAPED.values(), ids=ESCAPED.keys())
def test_entities_are_replaced(code: str, repaired: str) -> None:
    assert extract(fence(code), entry_point="f").code == repaired


@pytest.mark.parametrize("code", KEPT.values(), ids=KEPT.keys())
def test_what_may_be_meant_stays(code: str) -> None:
    assert extract(fence(code), entry_point="f").code == code


@pytest.mark.parametrize("code", SPOILT.values(), ids=SPOILT.keys())
def test_what_was_copied_along_goes(code: str) -> None:
    assert extract(fence(code), entry_point="f").code == CODE
    assert extract(fence(code, ""), entry_point="f").code == CODE


def test_typographic_quotes_become_plain() -> None:
    code = "def f(x):\n    return \u201cit\u2019s\u201d + \u2018a\u2019"
    assert extract(fence(code), entry_point="f").code == "def f(x):\n    return \"it's\" + 'a'"


def test_lines_of_a_notebook_become_comments() -> None:
    code = lines(
        *("%matplotlib inline", "!pip install numpy", "import math", "math.floor?"),
        *("def f(x):", "    %debug", "    return x % 2", "%time y = f(1)"),
    )
    assert extract(fence(code), entry_point="f").code == lines(
        *("# %matplotlib inline", "# !pip install numpy", "import math", "# math.floor?"),
        *("def f(x):", "    pass  # %debug", "    return x % 2", "y = f(1)"),
    )


def test_two_repairs_at_once() -> None:
    code = "%%time\n" + CODE.replace(" ", "\u00a0")
    assert extract(fence(code), entry_point="f").code == "# %%time\n" + CODE


def test_numbers_with_a_gap_are_not_line_numbers() -> None:
    code = "1 | def f(x):\n3 |     return x + 1"
    assert extract(fence(code), entry_point="f").code == code

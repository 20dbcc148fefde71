"""A table of replies, each with the code that is extracted for the entry point `f`."""

import pytest
from tests.extraction.samples import (
    BODY,
    BROKEN,
    CODE,
    NESTING,
    OLD,
    QUOTING,
    fence,
    indented,
    lines,
)

from planish.extraction import ExtractedCode, extract

FENCED = {
    "a fence": (fence(CODE), CODE),
    "prose around": (f"Sure!\n\n{fence(CODE)}\n\nIt adds 1.", CODE),
    "no tag": (fence(CODE, ""), CODE),
    "tag py": (fence(CODE, "py"), CODE),
    "tag python3": (fence(CODE, "python3"), CODE),
    "tag Python 3.11": (fence(CODE, "Python 3.11"), CODE),
    "tag {.python}": (fence(CODE, "{.python .numberLines}"), CODE),
    "tag after a space": (fence(CODE, " python"), CODE),
    "tag with a file": (fence(CODE, "python:src/f.py"), CODE),
    "a file for a tag": (fence(CODE, "f.py"), CODE),
    "tildes": (fence(CODE, "python", "~~~"), CODE),
    "five backticks": (fence(CODE, "", "`````"), CODE),
    "a longer closing fence": (f"```python\n{CODE}\n`````", CODE),
    "a shorter fence within": (fence(QUOTING, "python", "````"), QUOTING),
    "tildes within": (fence(f'D = """\n~~~\n"""\n{CODE}'), f'D = """\n~~~\n"""\n{CODE}'),
    "indented by a list": (f"1. So:\n\n{indented(fence(CODE), '   ')}\n\n2. Done", CODE),
    "indented by a tab": (indented(fence(CODE), "\t"), CODE),
    "fence indented, code not": (f"   ```python\n{CODE}\n   ```", CODE),
    "code indented, fence not": (fence(indented(CODE, "    ")), CODE),
    "in a list mark": (f"- {fence(CODE)}".replace("\n", "\n  "), CODE),
    "quoted": (
        indented(fence(f"{CODE}\n\ny = 1"), "> ").replace("\n\n", "\n>\n"),
        f"{CODE}\n\ny = 1",
    ),
    "a body quoted and indented": (indented(fence(BODY), ">   "), BODY),
    "quoted twice": (indented(fence(CODE), "> > "), CODE),
    "never closed": (f"So:\n```python\n{CODE}", CODE),
    "never closed, blank lines after": (f"```python\n{CODE}\n\n", CODE),
    "never closed, the code after prose": (
        f"```python\nimport os\nimport re\nimport sys\nimport json\n\nThen this:\n\n{CODE}",
        CODE,
    ),
    "never closed, prose after": (f"```python\n{CODE}\n\nThis adds one to the number.", CODE),
    "never closed, a word after": (f"```python\n{CODE}\n\nDone", CODE),
    "closed at the end of a line": (f"```python\n{CODE}```\n\nThis adds one.", CODE),
    "opened at the end of a line": (f"Here it is: {fence(CODE)}\nDone.", CODE),
    "code beside the opening fence": (f"```python {CODE}\n```", CODE),
    "closed only, never opened": (f"{CODE}\n```\n\nThis adds one.", CODE),
    "words beside the closing fence": (f"```python\n{CODE}\n``` This adds one.\n\nSo.", CODE),
    "triple quotes for a fence": (fence(CODE, "python", "'''"), CODE),
    "backticks around a line of prose": (lines("```so it goes```", fence(CODE)), CODE),
    "a block that is too long to parse": (
        fence(f"{CODE}\n# {'x' * 1_000_000}"),
        f"{CODE}\n# {'x' * 1_000_000}",
    ),
    "an open one before": (lines("```python\ndef g():\n    pass\n\nThen:", fence(CODE)), CODE),
    "CRLF": (fence(CODE).replace("\n", "\r\n"), CODE),
    "CR": (fence(CODE).replace("\n", "\r"), CODE),
    "a byte order mark": ("\ufeff" + fence(CODE), CODE),
    "tabs": (fence("def f(x):\n\treturn x"), "def f(x):\n\treturn x"),
    "blank lines at its ends": (fence(f"\n{CODE}\n"), f"\n{CODE}\n"),
    "a fence in a docstring": (f"{fence(NESTING)}\n\nSo.", NESTING),
    "a fence in a string at column 0": (f"{fence(QUOTING)}\n\n```\nout\n```", QUOTING),
    "backticks in the code": (fence("def f(x):\n    return '```'"), "def f(x):\n    return '```'"),
    "a string that never ends": (
        lines(fence('def f(x):\n    """doc\n    return 1'), fence(CODE)),
        CODE,
    ),
    "a page of markdown": (fence(f"# f\n\n{fence(CODE)}\n\nDone", "markdown", "````"), CODE),
    "a page in short fences": (f"```markdown\n# f\n{fence(CODE)}\n```", CODE),
    "prompts": (fence(">>> def f(x):\n...     return x + 1\n...\n>>> f(1)\n2"), f"{CODE}\n\nf(1)"),
    "backticks on one line": ("It is ```f = lambda x: x + 1``` here.", "f = lambda x: x + 1"),
    "NUL": (fence(f"{CODE}\0"), f"{CODE}\0"),
    "a lone surrogate": (fence(f"{CODE} # \ud800"), f"{CODE} # \ud800"),
}

UNFENCED = {
    "only code": (CODE, CODE),
    "only code, with fences in it": (QUOTING, QUOTING),
    "prose before": (f"Please complete the class f in the following code.\n\n{CODE}", CODE),
    "prose after": (f"{CODE}\n\nThis function adds 1 to x.", CODE),
    "prose touching": (f"Here is the code:\n{CODE}\nThat is it.", CODE),
    "an import before": (
        f"So:\n\nimport re\n\n# adds\n{CODE}\n\nEnd.",
        f"import re\n\n# adds\n{CODE}",
    ),
    "a tag left over": (f"python\n{CODE}", CODE),
    "headings": (f"## Solution\n\n{CODE}\n\n**Note**: fast.", CODE),
    "marks of another kind": (f"[PYTHON]\n{CODE}\n[/PYTHON]", CODE),
    "indented as markdown has it": (f"So:\n\n{indented(CODE, '    ')}\n\nEnd.", CODE),
    "decorated": (f"So:\n\n@print\n{CODE}\n\nEnd.", f"@print\n{CODE}"),
    "else at column 0": (
        "So:\nif 1:\n    f = 1\nelse:\n    f = 2\nEnd.",
        "if 1:\n    f = 1\nelse:\n    f = 2",
    ),
    "text at column 0 in a string": (
        'So:\n\ndef f(x):\n    """Add.\n\nTo what is given.\n"""\n    return x\n\nEnd.',
        'def f(x):\n    """Add.\n\nTo what is given.\n"""\n    return x',
    ),
    "a string that never ends": (f'So:\n\ny = """a\n\n{CODE}\n\nEnd here.', CODE),
    "broken": (f"Here you go.\n\n{BROKEN}\n\nIt adds 1.", BROKEN),
    "broken, with an import": (f"Go.\n\nimport re\n\n{BROKEN}\n\nEnd.", f"import re\n\n{BROKEN}"),
    "broken line among others": ("Go on.\n\ny = = 3\nprint(y)\n\nEnd.", "y = = 3\nprint(y)"),
    "a definer after an example": (f"print(f(1))\n\nwith this one:\n\n{CODE}", CODE),
    "a helper from before prose": (
        "First:\n\ndef g():\n    return 1\n\nand then:\n\ndef f():\n    return g()\n",
        "def g():\n    return 1\n\ndef f():\n    return g()",
    ),
    "prompts": (">>> def f(x):\n...     return x + 1\n", CODE),
    "prompts and prose": (
        "So:\n\n>>> def f(x):\n...     return x + 1\n>>> f(1)\n2\n\nEnd.",
        f"{CODE}\nf(1)",
    ),
    "a span": ("Use `f = lambda x: x + 1` for it.", "f = lambda x: x + 1"),
}

THOUGHTS = {
    "before": (f"<think>\nMaybe\n{fence(OLD)}\n</think>\n\n{fence(CODE)}", CODE),
    "after": (f"{fence(CODE)}\n<think>\n{fence(OLD)}\n</think>", CODE),
    "opened in the prompt": (f"Maybe\n{fence(OLD)}\nyes.\n</think>\n{CODE}", CODE),
    "never closed, then a fence": (f"<think>\nHm.\n{fence(CODE)}", CODE),
    "a closing tag in a string": (fence('f = "</think>"'), 'f = "</think>"'),
    "tags in a fence": (fence('f = """\n<think>\n"""'), 'f = """\n<think>\n"""'),
    "after backticks around a line": (
        f"{fence(CODE)}\n```so it goes```\n<think>\n{fence(OLD)}\n</think>",
        CODE,
    ),
    "tags in a fence of tildes with a backtick": (
        '~~~python `f`\nf = """\n<think>\n"""\n~~~',
        'f = """\n<think>\n"""',
    ),
    "tags behind a shorter fence": (
        fence('y = """\n```\n<think>\n"""\nf = 1', "python", "````"),
        'y = """\n```\n<think>\n"""\nf = 1',
    ),
    "tags behind a fence of the other kind": (
        fence('y = """\n~~~~\n<think>\n"""\nf = 1'),
        'y = """\n~~~~\n<think>\n"""\nf = 1',
    ),
    "tags behind a fence with a tag": (
        fence('y = """\n```text\n<think>\n"""\nf = 1'),
        'y = """\n```text\n<think>\n"""\nf = 1',
    ),
    "after a fence that is closed by a longer one": (
        f"{fence(CODE)}``\n<think>\n{fence(OLD)}\n</think>",
        CODE,
    ),
    "unfenced after": (f"<thinking>a</thinking>\n{CODE}", f"{CODE}"),
}

CASES = {
    f"{group}: {name}": case
    for group, cases in {
        "fenced": FENCED,
        "unfenced": UNFENCED,
        "thoughts": THOUGHTS,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize(("reply", "code"), CASES.values(), ids=CASES.keys())
def test_a_reply_gives_its_code(reply: str, code: str) -> None:
    extracted = extract(reply, entry_point="f")
    assert extracted.code == code
    assert extracted.problem is None


@pytest.mark.parametrize(("reply", "code"), CASES.values(), ids=CASES.keys())
def test_line_ends_make_no_difference(reply: str, code: str) -> None:
    windows = reply.replace("\r\n", "\n").replace("\n", "\r\n")
    assert extract(windows, entry_point="f") == extract(reply, entry_point="f")


@pytest.mark.parametrize("reply", ["", " ", "\n\n\t", "\r\n", "\ufeff", "\u2003"])
def test_white_space_is_an_empty_reply(reply: str) -> None:
    assert extract(reply) == ExtractedCode("", "empty_reply", None, 0)


@pytest.mark.parametrize(
    "reply",
    [
        "I cannot help with that.",
        "Please complete the class C by implementing its methods. Import math at the top.",
        "# Heading\n\n- a point\n- another = point\n",
        "Note: done",
        "ok",
        "<think>def f(x): return x",
        "<think>\nx = 1\n</think>\n",
        "```python\n```",
        "You could call `print(f(1))`.",
        "It works so:\n\n>>> f(1)\n2\n",
        "Yes, if you want: for example, with care.",
    ],
)
def test_prose_has_no_code(reply: str) -> None:
    assert extract(reply).problem == "no_code"
    assert extract(reply).code == ""


def test_a_span_that_defines_another_name_is_no_answer() -> None:
    assert extract("Use `g = lambda x: x` for it.", entry_point="f").problem == "no_code"
    assert extract("Use `g = lambda x: x` for it.").code == "g = lambda x: x"

"""Properties of extraction that hold for every reply."""

import ast

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planish.extraction import ExtractedCode, extract

UNHURRIED = settings(deadline=None)  # a busy machine is no failure; time has tests of its own
NAMES = st.sampled_from(["f", "g", "solve", "Thing"])
TEXTS = st.text(st.characters(exclude_characters="\r"), max_size=20)
LINES = st.sampled_from(["```", "```python", "    ```", "~~~", "text", "", "`x`", "# no", "    x"])


def function(name: str, text: str, lines: list[str]) -> str:
    document = "\n".join(lines)
    return f'def {name}(x):\n    """About it.\n{document}\n    """\n    y = {text!r}\n    return y'


FUNCTIONS = st.builds(function, NAMES, TEXTS, st.lists(LINES, max_size=4))
OTHERS = st.one_of(
    st.builds("{} = {!r}".format, NAMES, TEXTS),
    st.sampled_from(["import re", "class C:\n\tx = 1", "# a comment", "", "print(1)", "\n"]),
)


def program(before: list[str], function: str, after: list[str]) -> str:
    return "\n".join([*before, function, *after])


PROGRAMS = st.builds(program, st.lists(OTHERS, max_size=3), FUNCTIONS, st.lists(OTHERS, max_size=3))
# Quotes are left out: prose that makes a string of the fence is another program altogether.
PROSE = st.text(st.characters(exclude_characters="`~<\"'", exclude_categories=["Cs"]), max_size=80)
FENCES = st.sampled_from(["```python", "```", "~~~py", "````", "``` Python3", "~~~~ {.python}"])
SHREDS = st.lists(
    st.one_of(
        LINES,
        FUNCTIONS,
        TEXTS,
        st.sampled_from(
            [
                "<think>",
                "</think>",
                ">>> f(1)",
                "> ```python",
                "- ```",
                "```md",
                "````",
                '"""',
                "'''",
                "def f(x):",
                "    return \\",
                "@a",
                "else:",
                "f(",
                ")",
                "\0",
                "\ud800",
                "\r",
                "class f: pass",
                "```def f(): 1```",
            ]
        ),
    ),
    max_size=12,
).map("\n".join)


@UNHURRIED
@given(st.one_of(st.text(), SHREDS), st.sampled_from([None, "f", "f.g", "(", ""]))
def test_no_reply_makes_it_raise(reply: str, name: str | None) -> None:
    for language in ("python", "js", "nothing known"):
        extracted = extract(reply, entry_point=name, language=language)
        assert (extracted.problem is None) == bool(extracted.code.strip())


@UNHURRIED
@given(PROGRAMS, PROSE, PROSE, FENCES, st.sampled_from(["named", ""]))
def test_fenced_code_comes_out_exactly(
    code: str, before: str, after: str, fence: str, named: str
) -> None:
    mark = fence[: len(fence) - len(fence.lstrip("`~"))]
    name = next(node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef))
    reply = f"{before}\n{fence}\n{code}\n{mark}\n{after}"
    extracted = extract(reply, entry_point=name if named else None)
    assert extracted == ExtractedCode(code, None, 0, 1)


@UNHURRIED
@given(PROGRAMS)
def test_a_program_is_its_own_code(code: str) -> None:
    assert extract(code).code == code


@UNHURRIED
@given(SHREDS, PROGRAMS, FENCES, SHREDS)
def test_code_is_extracted_from_itself(before: str, code: str, fence: str, after: str) -> None:
    once = extract(f"{before}\n{fence}\n{code}\n{after}", entry_point="f")
    assume(_is_whole(once.code))
    assert extract(once.code, entry_point="f").code == once.code


def _is_whole(code: str) -> bool:
    """Whether it is a program: a line of bare words makes it something else when unfenced."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    defining = any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in tree.body)
    return defining and not any(isinstance(node, ast.Expr) for node in tree.body)


@UNHURRIED
@given(st.one_of(st.text(), SHREDS))
def test_crlf_is_lf(reply: str) -> None:
    unix = reply.replace("\r", "")
    windows = unix.replace("\n", "\r\n")
    assert extract(windows, entry_point="f") == extract(unix, entry_point="f")

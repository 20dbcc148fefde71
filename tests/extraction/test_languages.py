"""Extraction in other languages: blocks by tag, definitions by pattern."""

import pytest

from planish.extraction import extract
from planish.extraction._languages import canonical_language, is_known_tag, parse_tag


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("js", "javascript"),
        ("Node", "javascript"),
        ("ts", "typescript"),
        ("sh", "bash"),
        ("shell", "bash"),
        ("C++", "cpp"),
        ("c++17", "cpp"),
        ("golang", "go"),
        ("rs", "rust"),
        ("rb", "ruby"),
        ("py", "python"),
        ("PYTHON3.12", "python"),
        ("language-python", "python"),
        ("src/main.rs", "rust"),
        ("zig", "zig"),
        ("", ""),
    ],
)
def test_a_language_has_one_name(tag: str, name: str) -> None:
    assert canonical_language(tag) == name


ALIASES = {
    "python": "py py2 py3 pyi pyw pycon ipython ipython3 python-repl pytb python2 python3",
    "markdown": "md mdx",
    "javascript": "js jsx mjs cjs node nodejs ecmascript",
    "typescript": "ts tsx mts cts",
    "bash": "sh shell zsh ksh shellscript shell-session console",
    "powershell": "ps1 pwsh posh",
    "cpp": "c++ cc cxx hpp h++",
    "c": "h",
    "csharp": "c# cs dotnet",
    "fsharp": "f# fs",
    "rust": "rs",
    "ruby": "rb jruby",
    "go": "golang",
    "java": "jav",
    "kotlin": "kt kts",
    "swift": "swiftlang",
    "php": "php5 php7 php8",
    "perl": "pl pm",
    "haskell": "hs",
    "scala": "sc",
    "r": "rscript rlang",
    "julia": "jl",
    "lua": "luajit",
    "elixir": "ex exs",
    "clojure": "clj cljs",
    "ocaml": "ml",
    "sql": "postgres postgresql mysql sqlite plsql tsql",
    "html": "htm xhtml",
    "css": "scss sass less",
    "json": "jsonc json5 jsonl",
    "yaml": "yml",
    "text": "txt plain plaintext output",
    "diff": "patch",
    "toml": "ini cfg conf",
    "dockerfile": "docker containerfile",
    "makefile": "make mk",
    "xml": "svg",
}


@pytest.mark.parametrize(("name", "aliases"), ALIASES.items())
def test_every_alias_of_a_language_is_known(name: str, aliases: str) -> None:
    for tag in (name, *aliases.split()):
        assert (canonical_language(tag), parse_tag(f"{tag} title=x"), is_known_tag(tag)) == (
            name,
            name,
            True,
        )


@pytest.mark.parametrize(
    ("info", "tag", "known"),
    [("", "", False), ("  ", "", False), ("zig", "zig", False), ("{.py}", "python", True)],
)
def test_an_info_string_may_name_no_known_language(info: str, tag: str, *, known: bool) -> None:
    assert (parse_tag(info), is_known_tag(info)) == (tag, known)


DEFINITIONS = {
    "javascript": [
        "function f(x) { return x; }",
        "export async function f(x) {}",
        "const f = x => x;",
        "module.exports.f = x => x;",
    ],
    "typescript": ["export const f = (x: number): number => x;", "interface f {}"],
    "go": ["func f(x int) int {\n\treturn x\n}", "func (t *T) f() int { return 1 }"],
    "rust": ["pub fn f<T>(x: T) -> T { x }", "struct f;"],
    "cpp": ["std::vector<int> f(int x) {\n  return {};\n}", "int C::f(int x)\n{\n}"],
    "c": ["static char *f(char *x) {\n  return x;\n}"],
    "java": ["public static int f(int x) { return x; }"],
    "ruby": ["def self.f(x)\n  x\nend"],
    "bash": ["f() {\n  echo 1\n}", "function f {\n  echo 1\n}"],
    "r": ["f <- function(x) x"],
    "haskell": ["f :: Int -> Int\nf x = x"],
}


@pytest.mark.parametrize(
    ("language", "code"),
    [(language, code) for language, codes in DEFINITIONS.items() for code in codes],
)
def test_the_last_block_that_defines_the_name_is_taken(language: str, code: str) -> None:
    reply = f"```{language}\n{code}\n```\nUse it:\n```{language}\nreturn f(1)\nif (f(2)) {{ }}\n```"
    assert extract(reply, entry_point="f", language=language).code == code


def test_the_last_of_two_definers_is_taken() -> None:
    reply = "```js\nlet f = 1;\n```\n```js\nlet f = 2;\n```\n```js\nf();\n```"
    assert extract(reply, entry_point="f", language="js").code == "let f = 2;"


def test_a_block_is_dedented_by_its_fence() -> None:
    reply = "1. So:\n   ```js\n   a();\n     b();\n\n   ```"
    assert extract(reply, language="js").code == "a();\n  b();\n"


def test_a_longer_fence_may_hold_a_shorter_one() -> None:
    code = "const t = `\n```\n`;"
    assert extract(f"````js\n{code}\n````", language="js").code == code


def test_without_a_definer_the_last_block_of_the_language_is_taken() -> None:
    reply = "```js\na();\n```\n```js\nb();\n```\n```\nc\n```\n```python\nd = 1\n```"
    assert extract(reply, language="node").code == "b();"
    assert extract(reply, language="rust").code == "c"


def test_an_answer_in_the_wrong_language_is_still_shown() -> None:
    assert extract("```python\nx = 1\n```", language="js").code == "x = 1"


def test_an_unfenced_reply_loses_only_its_prose() -> None:
    code = "function f(x) {\n  return x; // Same\n}\n\nf(1);"
    assert extract(code, language="js").code == code
    assert extract(f"Here is the function:\n\n{code}\n\nIt works.", language="js").code == code
    assert extract("ls -la", language="sh").code == "ls -la"


def test_prose_alone_has_no_code() -> None:
    assert extract("I cannot write that. Sorry.", language="js").problem == "no_code"
    assert extract("  \n", language="js").problem == "empty_reply"


@pytest.mark.parametrize("line", ["        ```", "> ```", "~~~", "- ```", "``` x y", "so ```js"])
def test_text_in_a_block_may_hold_what_is_almost_its_closing_fence(line: str) -> None:
    code = f"const t = `\n{line}\n`;"
    assert extract(f"```js\n{code}\n```", language="js").code == code


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("after", range(4))
def test_sentences_around_code_without_a_fence_are_left_out(before: int, after: int) -> None:
    code = "x <- function(a) a\ny"
    reply = "Here it is:\n" * before + code + "\nIt works." * after
    assert extract(reply, entry_point="x", language="r").code == code


@pytest.mark.parametrize(("depth", "levels"), [(1, 0), (2, 0), (3, 0), (4, 1), (5, 2)])
def test_markdown_within_markdown_is_opened_three_levels_deep(depth: int, levels: int) -> None:
    replies = ["x = 1", "```python\nx = 1\n```"]
    for level in range(depth):
        run = "`" * (4 + level)
        replies.append(f"{run}markdown\n{replies[-1]}\n{run}")
    assert extract(replies[-1]).code == replies[levels]


@pytest.mark.parametrize("tag", ["think", "thinking", "thought", "thoughts", "reasoning"])
def test_a_tag_of_reasoning_inside_fenced_code_stays(tag: str) -> None:
    code = f'x = """\n<{tag}>\nnot a thought\n</{tag}>\n"""'
    assert extract(f"Here:\n```python\n{code}\n```\nDone.").code == code
    assert extract(f"<{tag}>\n```python\ny = 2\n```\n</{tag}>\nx = 1").code == "x = 1"

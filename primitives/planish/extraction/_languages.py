"""Languages: names and aliases of fence tags, and patterns of definitions."""

import re
from functools import lru_cache

__all__ = [
    "MARKDOWN",
    "PYTHON",
    "UNTAGGED",
    "canonical_language",
    "is_known_tag",
    "is_other_language",
    "matches_definition",
    "matches_nested_definition",
    "parse_tag",
]

PYTHON = "python"
MARKDOWN = "markdown"
UNTAGGED = ""

_ALIASES = {
    PYTHON: "py py2 py3 pyi pyw pycon ipython ipython3 python-repl pytb python2 python3",
    MARKDOWN: "md mdx",
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
_CANONICAL = {alias: name for name, all_ in _ALIASES.items() for alias in (name, *all_.split())}
_WORD = re.compile(r"[^\s,:;{}()=\"'`]+")
_VERSION = re.compile(r"[-\d.]+$")
_PYTHON_DEFINITION = (
    r"^(?:(?:async[ \t]+)?def[ \t]+{0}\b|class[ \t]+{0}\b|{0}[ \t]*(?::[^=\n]{{0,200}})?=(?!=))"
)
_NESTED_DEFINITION = r"^[ \t]+(?:async[ \t]+)?(?:def|class)[ \t]+{0}\b"
_KEYWORDS = (
    "class|data|def|defmodule|defn|defp|defun|enum|fn|fun|func|function|impl|interface|let"
    "|module|namespace|object|procedure|proc|record|struct|sub|trait|type|val|var|const"
)
_NO_TYPE = "return|else|new|await|if|while|for|switch|throw|yield|case|echo|print|not|and|or"
# A defining keyword and the name; `name = ...`; `name() {` or `int name(...) {`; a Haskell
# signature; a Go method.
_OTHER_DEFINITION = (
    r"\b(?:" + _KEYWORDS + r")[*!]?[ \t]+[*&]?(?:\w+(?:\.|::|#))?{0}(?![\w-])"
    r"|^[ \t]*(?:(?:module\.)?exports\.|self\.|\$|local[ \t]+)?{0}[ \t]*(?:<-|:?=)(?![=>])"
    r"|^[ \t]*(?:(?!(?:" + _NO_TYPE + r")\b)[\w:<>*&,.\[\]~?]++[ \t]++){{0,8}}[*&]*(?:\w+::)?"
    r"{0}[ \t]*(?:<[^<>\n]{{0,80}}>)?\((?:[^;{{}}]{{0,700}}+)\{{"
    r"|^{0}[ \t]+::"
    r"|^[ \t]*func[ \t]*\([^()\n]{{0,80}}\)[ \t]*{0}\b"
)


def canonical_language(tag: str) -> str:
    """Return the canonical name of a language.

    "Py", "python3.11", "lang-python" and "main.py" are "python". An unknown tag is returned in
    lower case.
    """
    name = tag.lower().lstrip(".").removeprefix("lang-").removeprefix("language-")
    for form in (name, _VERSION.sub("", name), name.rpartition(".")[2]):
        if form in _CANONICAL:
            return _CANONICAL[form]
    return name


def parse_tag(info: str) -> str:
    """Return the canonical language of a fence's info string, "" if it names none."""
    word = _WORD.search(info)
    return canonical_language(word[0]) if word else UNTAGGED


def is_known_tag(info: str) -> bool:
    """Return whether a fence's info string names a known language."""
    word = _WORD.search(info)
    return word is not None and canonical_language(word[0]) in _ALIASES


# Languages whose code other tags of the row are used for too, and tags that are no language.
_RELATED = (
    {"javascript", "typescript"},
    {"c", "cpp"},
    {"bash", "powershell"},
)
_NO_LANGUAGE = {MARKDOWN, "text", "json", "yaml", "diff", "toml", "xml", "html", "css"}


def is_other_language(tag: str, wanted: str) -> bool:
    """Return whether a canonical tag names a programming language that is not the wanted one."""
    if tag == wanted or tag in _NO_LANGUAGE or tag not in _ALIASES or wanted not in _ALIASES:
        return False
    return not any({tag, wanted} <= row for row in _RELATED)


@lru_cache(maxsize=64)
def _pattern(template: str, name: str) -> re.Pattern[str]:
    return re.compile(template.format(re.escape(name)), re.MULTILINE)


def matches_definition(code: str, name: str, *, python: bool) -> bool:
    """Return whether `code` seems to define `name` at the top level, by pattern.

    For Python code that does not parse, and for other languages.
    """
    template = _PYTHON_DEFINITION if python else _OTHER_DEFINITION
    return name in code and _pattern(template, name).search(code) is not None


def matches_nested_definition(code: str, name: str) -> bool:
    """Return whether Python `code` seems to define `name` as a method or inside a function."""
    return name in code and _pattern(_NESTED_DEFINITION, name).search(code) is not None

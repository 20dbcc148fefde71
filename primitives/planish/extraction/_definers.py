"""Finding definitions by pattern: in code that does not parse, and in other languages."""

import re
from functools import lru_cache

__all__ = ["looks_defined", "looks_nested"]

_PYTHON = (
    r"^(?:(?:async[ \t]+)?def[ \t]+{0}\b|class[ \t]+{0}\b|{0}[ \t]*(?::[^=\n]{{0,200}})?=(?!=))"
)
_NESTED = r"^[ \t]+(?:async[ \t]+)?(?:def|class)[ \t]+{0}\b"
_KEYWORDS = (
    "class|data|def|defmodule|defn|defp|defun|enum|fn|fun|func|function|impl|interface|let"
    "|module|namespace|object|procedure|proc|record|struct|sub|trait|type|val|var|const"
)
_NO_TYPE = "return|else|new|await|if|while|for|switch|throw|yield|case|echo|print|not|and|or"
# A word that defines, then the name; `name = ...`; `name() {` or `int name(...) {`; Haskell's
# signature; Go's method.
_OTHER = (
    r"\b(?:" + _KEYWORDS + r")[*!]?[ \t]+[*&]?(?:\w+(?:\.|::|#))?{0}(?![\w-])"
    r"|^[ \t]*(?:(?:module\.)?exports\.|self\.|\$|local[ \t]+)?{0}[ \t]*(?:<-|:?=)(?![=>])"
    r"|^[ \t]*(?:(?!(?:" + _NO_TYPE + r")\b)[\w:<>*&,.\[\]~?]++[ \t]++){{0,8}}[*&]*(?:\w+::)?"
    r"{0}[ \t]*(?:<[^<>\n]{{0,80}}>)?\((?:[^;{{}}]{{0,700}}+)\{{"
    r"|^{0}[ \t]+::"
    r"|^[ \t]*func[ \t]*\([^()\n]{{0,80}}\)[ \t]*{0}\b"
)


@lru_cache(maxsize=64)
def _pattern(form: str, name: str) -> re.Pattern[str]:
    return re.compile(form.format(re.escape(name)), re.MULTILINE)


def looks_defined(code: str, name: str, *, python: bool) -> bool:
    """Whether `code` seems to define `name` at the top level."""
    return name in code and _pattern(_PYTHON if python else _OTHER, name).search(code) is not None


def looks_nested(code: str, name: str) -> bool:
    """Whether Python `code` seems to define `name` as a method or inside a function."""
    return name in code and _pattern(_NESTED, name).search(code) is not None

"""Names of programming languages: the one name of each, and what else it is called."""

from planish.arguments import require_text
from planish.errors import TaskError

__all__ = ["LANGUAGES", "require_language"]

_OTHER_NAMES = {
    "python": "py py2 py3 python2 python3 ipython cpython",
    "javascript": "js jsx mjs cjs node nodejs node.js ecmascript",
    "typescript": "ts tsx",
    "sh": "shell posix-sh",
    "bash": "shellscript",
    "c": "",
    "cpp": "c++ cc cxx",
    "csharp": "c# cs dotnet",
    "go": "golang",
    "haskell": "hs",
    "java": "",
    "julia": "jl",
    "kotlin": "kt",
    "lua": "",
    "perl": "pl",
    "php": "",
    "r": "rscript",
    "ruby": "rb",
    "rust": "rs",
}
_CANONICAL = {other: name for name, others in _OTHER_NAMES.items() for other in others.split()}

LANGUAGES: tuple[str, ...] = tuple(_OTHER_NAMES)
"""The names that `Task.language` has for known languages. A sandbox may add its own."""


def require_language(language: str) -> None:
    """Check that a language is named as sandboxes name it.

    A name that is not in `LANGUAGES` is accepted, because a sandbox may add languages, but not
    another name of one that is: code in "js" would be paid for, and then run by no sandbox.

    Args:
        language: The name of a language.

    Raises:
        TaskError: it is another name of a known language, has upper case or white space, or is
            not a text.
    """
    require_text("Task", "language", language, error=TaskError)
    lower = language.strip().lower()
    name = _CANONICAL.get(lower, lower)
    if language == name and not any(map(str.isspace, language)) and language:
        return
    advice = f"write {name!r}. " if name in LANGUAGES else ""
    raise TaskError(
        f"Task(language={language[:80]!r}): {advice}Languages are {', '.join(LANGUAGES)}, and "
        "those that your sandbox adds, in lower case and without white space"
    )

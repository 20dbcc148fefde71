"""Names of programming languages: the one name of each, and what else it is called."""

__all__ = ["LANGUAGES", "OTHER_NAMES"]

_NAMES = {
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
LANGUAGES: tuple[str, ...] = tuple(_NAMES)
"""The names that `Task.language` has for known languages. A sandbox may add its own."""

OTHER_NAMES = {other: name for name, others in _NAMES.items() for other in others.split()}
"""What known languages are also called, in lower case, to their name in `LANGUAGES`."""

"""The rules: what each refuses, and why."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from planish.arguments import require_count, require_text
from planish.configuration import Configured
from planish.data.candidate import Candidate
from planish.data.feedback import Issue
from planish.rules._trees import aliases, dotted, imports, place, sources, trees, unwritten

__all__ = [
    "DEFAULT_RULES",
    "NETWORK_MODULES",
    "Rule",
    "forbid_calls",
    "forbid_imports",
    "forbid_network",
    "forbid_paths",
    "forbid_placeholders",
    "limit_size",
]

Rule = Callable[[Candidate], Iterable[Issue | str]]
"""A function from a candidate to what is wrong with it; nothing if it may run."""

NETWORK_MODULES = (
    *("socket", "ssl", "socketserver", "http", "urllib.request", "ftplib", "smtplib", "imaplib"),
    *("poplib", "telnetlib", "xmlrpc", "requests", "httpx", "aiohttp", "urllib3", "websockets"),
    *("websocket", "paramiko", "boto3", "grpc"),
)
"""Modules that open connections, as of November 2025."""


class forbid_imports(Configured):
    """Refuse code that imports modules, at any place in it.

    `__import__("x")` and `importlib.import_module("x")` with a literal count too.

    Args:
        modules: Names of modules; each stands for what is in it too: "os" for "os.path".
    """

    def __init__(self, *modules: str) -> None:
        _require_each_text("forbid_imports", modules)
        self.modules = modules

    def __call__(self, candidate: Candidate) -> Iterator[Issue]:
        """Yield an issue for each forbidden import."""
        for path, tree in trees(candidate):
            for line, name in imports(tree):
                if any(name == one or name.startswith(f"{one}.") for one in self.modules):
                    yield Issue(
                        issue=f"{place(path, line)}: the code imports {name!r}, which is not "
                        "allowed",
                        fix=f"solve the task without {name!r}",
                    )


class forbid_network(forbid_imports):
    """Refuse code that imports a module of `NETWORK_MODULES`."""

    def __init__(self) -> None:
        super().__init__(*NETWORK_MODULES)


class forbid_calls(Configured):
    """Refuse code that calls functions, under any name that it imports them by.

    Args:
        names: Dotted names as they are documented: "eval", "os.remove", "shutil.rmtree",
            "pathlib.Path.unlink". "os.*" stands for every function of a module. A method is
            found by its name alone: "pathlib.Path.unlink" forbids `x.unlink()`.
    """

    def __init__(self, *names: str) -> None:
        _require_each_text("forbid_calls", names)
        self.names = names

    def __call__(self, candidate: Candidate) -> Iterator[Issue]:
        """Yield an issue for each forbidden call."""
        methods = {name.rpartition(".")[2] for name in self.names if _is_method(name)}
        for path, tree in trees(candidate):
            names = aliases(tree)
            for node in ast.walk(tree):
                if not isinstance(node, ast.Call):
                    continue
                name = dotted(node.func, names)
                module = f"{name.rpartition('.')[0]}.*"
                method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
                if name in self.names or module in self.names or method in methods:
                    yield Issue(
                        issue=f"{place(path, node.lineno)}: the code calls {name or method}(), "
                        "which is not allowed",
                        fix=f"solve the task without {name or method}()",
                    )


class forbid_paths(Configured):
    """Refuse code that opens files by a literal path outside the working directory.

    A path is absolute, begins with "~", or has "..". The first argument of `open`, of `Path` and
    of the functions of `os`, `shutil`, `io` and `glob` is examined.

    Args:
        allowed: Paths that may be used, with all below them: "/tmp".
    """

    def __init__(self, *allowed: str) -> None:
        _require_each_text("forbid_paths", allowed)
        self.allowed = allowed

    def __call__(self, candidate: Candidate) -> Iterator[Issue]:
        """Yield an issue for each path outside."""
        for path, tree in trees(candidate):
            names = aliases(tree)
            for node in ast.walk(tree):
                match node:
                    case ast.Call(func=function, args=[ast.Constant(value=str(text)), *_]):
                        name = dotted(function, names)
                    case _:
                        continue
                if _opens(name) and _is_outside(text) and not self._allows(text):
                    yield Issue(
                        issue=f"{place(path, node.lineno)}: the code uses the path {text[:200]!r}, "
                        "outside its working directory",
                        fix="use paths in the working directory",
                    )

    def _allows(self, text: str) -> bool:
        if ".." in text.split("/"):
            return False
        return any(text == one or text.startswith(f"{one.rstrip('/')}/") for one in self.allowed)


class forbid_placeholders(Configured):
    """Refuse code with parts that are not written yet.

    These are a function whose body is `...` or `raise NotImplementedError` (unless it is abstract,
    of a protocol, or of a class with subclasses), an entry point with no body at all, and comments
    that say so: "your code here", "rest of the code".
    """

    def __init__(self) -> None:
        pass

    def __call__(self, candidate: Candidate) -> Iterator[Issue]:
        """Yield an issue for each placeholder, with its text."""
        required = candidate.task.required_name
        for path, tree in trees(candidate):
            for function in unwritten(tree, required):
                yield Issue(
                    issue=f"{place(path, function.lineno)}: the function {function.name!r} is not "
                    "written yet",
                    fix="write the whole function",
                )
        for path, source in sources(candidate):
            for number, line in enumerate(source.split("\n"), 1):
                note = _NOTE.search(line) if "#" in line else None
                if note is not None and not _in_literal(line, note.start()):
                    yield Issue(
                        issue=f"{place(path, number)}: the code has a part to be written: "
                        f"{note[0].strip()[:200]}",
                        fix="write that part",
                    )


class limit_size(Configured):
    """Refuse candidates that are too large.

    Args:
        chars: Characters of code and files together; 200,000 by default.
        files: Number of files besides the main one; 100 by default.

    Raises:
        ValueError: one of them is no whole number, `chars` is below 1, or `files` below 0.
    """

    def __init__(self, *, chars: int = 200_000, files: int = 100) -> None:
        require_count("limit_size", "chars", chars)
        require_count("limit_size", "files", files, least=0)
        self.chars = chars
        self.files = files

    def __call__(self, candidate: Candidate) -> Iterator[Issue]:
        """Yield an issue for each limit that is exceeded."""
        size = len(candidate.code) + sum(map(len, candidate.files.values()))
        if size > self.chars:
            yield Issue(
                issue=f"the code has {size:,} characters: at most {self.chars:,} are allowed",
                fix="write a shorter program",
            )
        if len(candidate.files) > self.files:
            yield Issue(
                issue=f"the code has {len(candidate.files):,} files: at most {self.files:,} are "
                "allowed",
                fix="write fewer files",
            )


DEFAULT_RULES: tuple[Rule, ...] = (forbid_placeholders(), limit_size())
"""The rules of a `CodePolicy` without arguments."""


_NOTE = re.compile(
    r"#[ \t]*(?:TO[D]O\b|FIX[M]E\b|(?:your|the|add|insert|write)? ?(?:code|implementation|logic) "
    r"(?:goes )?here\b|implement (?:this|me|here)\b|(?:\.\.\.|the )?[ \t]*(?:rest|remainder) of "
    r"(?:the |your )?(?:code|function|implementation|class|program)\b|\.\.\. ?(?:existing|same|"
    r"previous|other) [\w ]*)[^\n]*",
    re.IGNORECASE,
)


def _require_each_text(owner: str, values: Sequence[object]) -> None:
    """Raise a ValueError if one of a rule's arguments is no text, such as a list of them."""
    for value in values:
        require_text(owner, "...", value)


def _is_method(name: str) -> bool:
    """Return whether a dotted name is that of a method: its class begins with a capital."""
    parts = name.split(".")
    return len(parts) > 1 and parts[-2][:1].isupper()


def _opens(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last in ("open", "Path") or name.startswith(("os.", "shutil.", "io.", "glob."))


def _is_outside(text: str) -> bool:
    return text.startswith(("/", "~")) or ".." in text.split("/") or text[1:3] == ":\\"


def _in_literal(line: str, position: int) -> bool:
    """Return whether a position in a line seems to be in a string literal: quotes are open."""
    before = line[:position]
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1

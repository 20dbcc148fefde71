"""Find the command that runs a program of a language on this machine."""

import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from planish.errors import UnsupportedError

__all__ = [
    "LANGUAGES",
    "HasCommands",
    "find_command",
    "require_commands",
    "require_installed",
    "require_pytest",
]

LANGUAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "bash": ("bash",),
        "javascript": ("node",),
        "lua": ("lua",),
        "perl": ("perl",),
        "php": ("php",),
        "r": ("Rscript",),
        "ruby": ("ruby",),
        "sh": ("sh",),
    }
)
"""Language to the command that runs a file of it. Python is the running interpreter."""


def find_command(
    language: str, languages: Mapping[str, tuple[str, ...]], sandbox: str
) -> tuple[str, ...]:
    """Return the command that runs a language, its program as an absolute path.

    Args:
        language: `Program.language`.
        languages: Language to the command that runs a file of it.
        sandbox: The name of the sandbox's class, for the error message.

    Returns:
        The command; empty for the Python that this process runs on.

    Raises:
        UnsupportedError: the language is not in the table, or its interpreter not installed.
    """
    if language not in languages:
        if language == "python" and sys.executable:
            return ()
        from difflib import get_close_matches  # noqa: PLC0415 - for an error only

        known = sorted({"python", *languages})
        near = get_close_matches(language.lower(), known, n=1)
        advice = f" (did you mean {near[0]!r}?)" if near else ""
        raise UnsupportedError(
            f"{sandbox} knows no language {language!r}{advice}; it has {', '.join(known)}. Add it: "
            f"{sandbox}(languages={{**LANGUAGES, {language!r}: ('command',)}})"
        )
    command, *rest = languages[language]
    path = shutil.which(command)
    if path is None:
        raise UnsupportedError(
            f"{language!r} needs the command {command!r}, which is not on PATH. Install it, or "
            f"name another: {sandbox}("
            f"languages={{**LANGUAGES, {language!r}: ('/path/to/it',)}})"
        )
    return (str(Path(path).absolute()), *rest)


def require_pytest() -> None:
    """Check that the Python that this process runs on has pytest, as its programs would.

    Raises:
        UnsupportedError: it is certain that it has not.
    """
    if not sys.flags.no_site and find_spec("pytest") is None:
        raise UnsupportedError(
            f"pytest is not installed in the sandbox's Python {sys.version.split()[0]} "
            f"({sys.executable}): install it there, or give the tests as Assertions or Cases"
        )


def require_commands(sandbox: str, languages: Any) -> None:
    """Check that an argument is a mapping from languages to the words of their commands.

    Args:
        sandbox: The class, for the message.
        languages: The argument.

    Raises:
        ValueError: it is something else.
    """
    argument: object = languages
    table = (
        cast("Mapping[object, object]", argument) if isinstance(argument, Mapping) else {"": None}
    )
    for language, command in table.items():
        words = cast("Sequence[Any]", command) if isinstance(command, tuple | list) else ()
        if not (isinstance(language, str) and words and all(isinstance(w, str) for w in words)):
            raise ValueError(
                f"{sandbox}(languages={languages!r:.80}): must be a dict of commands by language, "
                "such as {'ruby': ('ruby',)}"
            )


def require_installed(option: str, modules: Iterable[str]) -> None:
    """Check that this interpreter has modules; of a module in a package, its package.

    Args:
        option: Where the modules were named, for the message.
        modules: Names of modules.

    Raises:
        UnsupportedError: one is not installed.
    """
    for module in modules:
        name = module.partition(".")[0]
        if not name.isidentifier() or (name not in sys.modules and find_spec(name) is None):
            raise UnsupportedError(
                f"{option}: the module {module!r} is not installed in the sandbox's Python "
                f"({sys.executable})"
            )


class HasCommands:
    """A sandbox that runs languages by the commands of this machine."""

    _languages: dict[str, tuple[str, ...]]

    def require_language(self, language: str) -> None:
        """Check that a language can be run. See `planish.abc.KnowsLanguages`.

        Raises:
            UnsupportedError: the language is not known, or its interpreter is not installed.
        """
        self._command_of(language)

    def _command_of(self, language: str) -> tuple[str, ...]:
        return find_command(language, self._languages, type(self).__name__)

"""Which trouble is whose: what is raised, and what is said of a package."""

from typing import Never

from planish.errors import AuthenticationError, SandboxError

from ._records import InstallOutcome
from ._trouble import PACKAGE_TROUBLE, Trouble

__all__ = ["outcome_of", "raise_unless_package", "said"]

_SAID = {
    "missing": "it is not in the index, or not for this Python",
    "broken": "what the index has of it is broken",
    "conflict": "it does not go together with the others",
    "denied": "it brings what is denied",
}


def raise_unless_package(trouble: Trouble) -> None:
    """Raise for trouble that is not a package's.

    Raises:
        AuthenticationError: the index refuses the credentials, or wants some.
        SandboxError: the index cannot be reached, or pip or this machine failed.
    """
    if trouble.kind not in PACKAGE_TROUBLE:
        _raise(trouble)


def _raise(trouble: Trouble) -> Never:
    match trouble.kind:
        case "refused":
            raise AuthenticationError(f"the package index refuses us: {trouble.text}")
        case "unreachable":
            raise SandboxError(f"the package index cannot be reached: {trouble.text}")
        case _:
            raise SandboxError(f"packages could not be installed: {trouble.text}")


def outcome_of(trouble: Trouble) -> InstallOutcome:
    """What became of a package that this is the trouble of."""
    return "missing" if trouble.kind == "missing" else "failed"


def said(trouble: Trouble) -> str:
    """What is wrong with a package, for a reader."""
    return f"{_SAID[trouble.kind]}: {trouble.text}"

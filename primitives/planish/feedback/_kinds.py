"""Decide by rules, without a model, what a failure is about."""

from collections.abc import Sequence

from planish.data.status import FailureKind, Status

__all__ = ["is_environment_error", "kind_of_status", "kind_of_stop"]

_ENVIRONMENT = frozenset(
    {"ModuleNotFoundError", "PermissionError", "ConnectionError", "gaierror", "URLError"}
)
_RESOURCE = frozenset({"MemoryError", "RecursionError", "ResourceLimit"})
_STATUS_KINDS: dict[Status, FailureKind] = {
    Status.TEST_ERROR: "test_error",
    Status.INFRA_ERROR: "infra",
    Status.TIMEOUT: "timeout",
    Status.RESOURCE_LIMIT: "resource",
}


def kind_of_stop(name: str, message: str = "") -> FailureKind | None:
    """Return the kind of a failure that its name alone decides; None if it does not.

    Args:
        name: `Failure.name`, or the name of an exception's class.
        message: Its message.
    """
    match name:
        case "Timeout":
            return "timeout"
        case "Killed":  # the kernel ends what uses too much memory with SIGKILL
            return "resource" if "SIGKILL" in message else "logic"
        case "CheckerError":
            return "test_error"
        case "NotRun":
            return "infra"
        case _:
            return "resource" if name in _RESOURCE else None


def kind_of_status(status: Status) -> FailureKind:
    """Return the kind of a failure of which only the status is known."""
    return _STATUS_KINDS.get(status, "logic")


def is_environment_error(exception: str, bases: Sequence[str] = ()) -> bool:
    """Return whether an exception says that the environment lacks something.

    Args:
        exception: Name of its class.
        bases: Names of the class's base classes.
    """
    return not _ENVIRONMENT.isdisjoint((exception, *bases))

"""Decide by rules, without a model, what a failure is about, and what to do about it."""

import re
from collections.abc import Callable, Sequence

from planish.data.status import FailureKind, Status
from planish.feedback._broken_tests import is_fault_of_tests
from planish.feedback._hints import hint_for
from planish.feedback._raised import Raised

__all__ = ["cause_of", "kind_of_status"]


def cause_of(raised: Raised) -> tuple[FailureKind, str]:
    """Return what a failure is about, and what to do about it. The first rule that applies decides.

    The status, where it leaves no choice; a name that stops the program; a fault of the tests;
    what the environment lacks, or a limit of it, which is the tests' fault if they raised it;
    else the code is wrong.
    """
    hint = hint_for(raised.exception, raised.bases)
    if raised.execution.status in (Status.INFRA_ERROR, Status.TEST_ERROR):
        return kind_of_status(raised.execution.status), ""
    by_name = _kind_of_stop(raised)
    if by_name is not None:
        return by_name, hint
    if is_fault_of_tests(raised):
        return "test_error", ""
    for applies, kind, fix in _RULES:
        if applies(raised):
            return ("test_error", "") if raised.place == "tests" else (kind, fix or hint)
    return "logic", hint


def kind_of_status(status: Status) -> FailureKind:
    """Return the kind of a failure of which only the status is known."""
    return _STATUS_KINDS.get(status, "logic")


_STATUS_KINDS: dict[Status, FailureKind] = {
    Status.TEST_ERROR: "test_error",
    Status.INFRA_ERROR: "infra",
    Status.TIMEOUT: "timeout",
    Status.RESOURCE_LIMIT: "resource",
}


def _kind_of_stop(raised: Raised) -> FailureKind | None:
    """Return the kind of a failure that its name alone decides; None if it does not."""
    match raised.exception:
        case "MemoryError" | "RecursionError":
            return "resource"
        case _ if raised.bases:  # an exception; a class of the code's may have such a name
            return None
        case "Timeout":
            return "timeout"
        case "Killed":  # the kernel ends what uses too much memory with SIGKILL
            return "resource" if "SIGKILL" in raised.message else "logic"
        case "CheckerError":
            return "test_error"
        case "NotRun":
            return "infra"
        case "ResourceLimit":
            return "resource"
        case _:
            return None


_STARTS_PROGRAM = re.compile(
    r"subprocess|\bPopen\b|\b(?:exec|spawn)[lv]p?e?\(|\bcheck_(?:output|call)\("
)
_ENVIRON = re.compile(r"\benviron\s*\[")
_FAILED_IMPORT = re.compile(r"^ModuleNotFoundError: ", re.MULTILINE)
_CHAINED = ("During handling of the above", "was the direct cause of the following")
_SYSTEM_FOLDERS = ("/dev/", "/proc/", "/sys/", "/run/", "/var/run/")
# Numbers of Linux, whose names are given in the order of the numbers.
_NETWORK = (97, 100, 101, 110, 111, 113)  # no such family, down, unreachable, timed out, refused
_READ_ONLY = (1, 13, 30)  # not permitted, denied, read-only
_FULL = (27, 28, 122)  # file too large, no space, quota
_EXHAUSTED = (11, 12, 23, 24)  # processes, memory, open files of all, of this program
_NOT_ALLOWED = (38, 95)  # not implemented, not supported


def _errno(*numbers: int) -> Callable[[Raised], bool]:
    """Return a rule that holds for an error of the system with one of these numbers."""

    def applies(raised: Raised) -> bool:
        # An error of a program that reads standard input has no base classes.
        return raised.errno in numbers and raised.is_a(
            "OSError", "BlockingIOError", "URLError", "gaierror"
        )

    return applies


def _lacks_class(raised: Raised) -> bool:
    return raised.is_a(
        "ModuleNotFoundError", "PermissionError", "ConnectionError", "gaierror", "URLError"
    )


def _lacks_library(raised: Raised) -> bool:
    return "cannot open shared object file" in raised.message and raised.is_a(
        "ImportError", "OSError"
    )


def _lacks_program(raised: Raised) -> bool:
    """Return whether a program that is to be started is not there.

    The frames of Python's own modules show it where the line of the candidate does not.
    """
    if not raised.is_a("FileNotFoundError"):
        return False
    inside = re.search(r"subprocess\.py\", line \d+, in _execute_child", raised.traceback)
    return inside is not None or _STARTS_PROGRAM.search(raised.source) is not None


def _lacks_device(raised: Raised) -> bool:
    return raised.missing_path.startswith(_SYSTEM_FOLDERS)


def _lacks_file_of_task(raised: Raised) -> bool:
    """Return whether a file is not there that the task names, by its path or its name."""
    path = raised.missing_path
    name = path.rpartition("/")[2]
    if len(name) < 3:  # noqa: PLR2004 - of one or two letters any text has some
        return False
    task = raised.execution.candidate.task
    words = "\n".join((task.requirement, *task.context, *task.constraints))
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", words) is not None


def _lacks_variable(raised: Raised) -> bool:
    return raised.exception == "KeyError" and _ENVIRON.search(raised.source) is not None


def _lacks_locale(raised: Raised) -> bool:
    return raised.exception == "Error" and raised.message == "unsupported locale setting"


def _lacks_command(raised: Raised) -> bool:
    """Return whether a shell did not find a command, or a package could not be installed."""
    if raised.exception != "CalledProcessError":
        return False
    command, _, status = raised.message.rpartition(" returned non-zero exit status ")
    return (
        status.startswith("127") or re.search(r"\bpip3?\b.{1,20}\binstall\b", command) is not None
    )


def _wraps_failed_import(raised: Raised) -> bool:
    """Return whether the code raised an exception of its own for want of a module."""
    first = _FAILED_IMPORT.search(raised.traceback)
    return first is not None and any(
        raised.traceback.find(sign, first.end()) >= 0 for sign in _CHAINED
    )


_RULES: Sequence[tuple[Callable[[Raised], bool], FailureKind, str]] = (
    (_lacks_library, "environment", "a library of the system is not installed: do without it"),
    (_lacks_class, "environment", ""),
    (_errno(*_NETWORK), "environment", "there is no network: do without it"),
    (_errno(*_READ_ONLY), "environment", "read and write below the working directory only"),
    (_errno(*_FULL), "resource", "write less: the space for files is limited"),
    (_errno(*_EXHAUSTED), "resource", "use fewer files, processes and threads at a time"),
    (_errno(*_NOT_ALLOWED), "environment", "do without it: it is not allowed here"),
    (_lacks_program, "environment", "the program is not installed: do it in Python"),
    (_lacks_device, "environment", "the machine has no such file: do without it"),
    (_lacks_file_of_task, "environment", "the task names this file, and it is not there"),
    (_lacks_variable, "environment", "give the variable a default: os.environ.get(...)"),
    (_lacks_locale, "environment", "use the locale 'C.UTF-8', or none"),
    (_lacks_command, "environment", "it cannot be installed or found: do it in Python"),
    (
        _wraps_failed_import,
        "environment",
        "use the standard library or a package that is installed",
    ),
)
"""What the environment lacks or limits: the first rule that applies decides."""

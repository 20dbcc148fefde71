"""What conformance kits are made of: named checks, all run, and one error for all that failed."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar, cast

from planish.data.program import Completed, Program

__all__ = ["ConformanceError", "hold", "hold_to", "python", "shows"]

T = TypeVar("T")


class ConformanceError(AssertionError):
    """An implementation does not keep its contract.

    Attributes:
        failures: What each failed check found, by the check's name.
    """

    def __init__(self, failures: dict[str, str]) -> None:
        lines = "".join(f"\n- {name}: {found}" for name, found in failures.items())
        super().__init__(f"{len(failures)} checks failed:{lines}")
        self.failures = failures


def hold(fact: object, otherwise: str) -> None:
    """Go on if the fact is true.

    Raises:
        AssertionError: it is not; the message is what was found otherwise.
    """
    if not fact:
        raise AssertionError(otherwise)


async def hold_to(
    checks: Mapping[str, Callable[[T], Awaitable[None]]], implementation: T
) -> tuple[str, ...]:
    """Run all checks, one after another, whatever the others found.

    Returns:
        The names of the checks, all of which it passed.

    Raises:
        ConformanceError: it failed some.
    """
    failures: dict[str, str] = {}
    for name, check in checks.items():
        try:
            await check(implementation)
        except AssertionError as error:
            failures[name] = str(error)
        except Exception as error:  # noqa: BLE001  # whatever a stranger's code raises is a finding
            first = _first(error)
            failures[name] = f"raised {type(first).__name__}: {first}"
    if failures:
        raise ConformanceError(failures)
    return tuple(checks)


def python(source: str, **fields: object) -> Program:
    """A Python program of one file."""
    files = {"main.py": source.encode()}
    return Program(main="main.py", **{"files": files, **fields})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def shows(completed: Completed) -> str:
    """What to print of a run that went wrong."""
    said = (completed.stdout[-300:] + completed.stderr[-300:]).decode(errors="replace")
    return (
        f"exit_code={completed.exit_code}, signal={completed.signal}, limit={completed.limit}, "
        f"printed {said!r}"
    )


def _first(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    return error

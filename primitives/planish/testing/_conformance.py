"""Shared parts of the conformance kits: run named checks, and raise one error for all failures."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar, cast

from planish.data.program import Completed, Program

__all__ = ["ConformanceError", "describe", "expect", "python_program", "require", "run_checks"]

T = TypeVar("T")


class ConformanceError(AssertionError):
    """An implementation violates its contract.

    Attributes:
        failures: The finding of each failed check, by the check's name.
    """

    def __init__(self, failures: dict[str, str]) -> None:
        lines = "".join(f"\n- {name}: {found}" for name, found in failures.items())
        super().__init__(f"{len(failures)} checks failed:{lines}")
        self.failures = failures


def require(condition: object, finding: str) -> None:
    """Raise an AssertionError with the finding as its message, unless the condition is true."""
    if not condition:
        raise AssertionError(finding)


def expect(condition: object, found: str, wanted: str) -> None:
    """Raise an AssertionError that says what was found and what is expected, unless true."""
    require(condition, f"{found}; expected {wanted}")


async def run_checks(
    checks: Mapping[str, Callable[[T], Awaitable[None]]], implementation: T
) -> tuple[str, ...]:
    """Run all checks, one after another; a failed check does not stop the others.

    Returns:
        The names of the checks, all of which passed.

    Raises:
        ConformanceError: at least one check failed.
    """
    failures: dict[str, str] = {}
    for name, check in checks.items():
        try:
            await check(implementation)
        except AssertionError as error:
            failures[name] = str(error)
        except Exception as error:  # noqa: BLE001  # any error of the implementation is a finding
            first = _first_error(error)
            failures[name] = f"raised {type(first).__name__}: {first}"
    if failures:
        raise ConformanceError(failures)
    return tuple(checks)


def python_program(source: str, **fields: object) -> Program:
    """Return a Python program of one file; further fields are those of `Program`."""
    files = {"main.py": source.encode()}
    return Program(main="main.py", **{"files": files, **fields})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def describe(completed: Completed) -> str:
    """Return the end and the last output of a run, for the message of a failed check."""
    output = (completed.stdout[-300:] + completed.stderr[-300:]).decode(errors="replace")
    return (
        f"exit_code={completed.exit_code}, signal={completed.signal}, limit={completed.limit}, "
        f"printed {output!r}"
    )


def _first_error(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    return error

"""`Cases`: tests as a table of calls of the entry point with their expected results."""

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self, cast

from planish.arguments import require_choice, require_text
from planish.compiling import without_warnings
from planish.data.literal import AsSource, to_source
from planish.data.record import Record
from planish.data.source import describe_error
from planish.data.tests.code import ORIGINS, Origin
from planish.errors import TaskError

__all__ = ["Case", "Cases", "Tolerance"]

_TITLE = 120  # characters: one line of a report


@dataclass(frozen=True, slots=True)
class Tolerance(Record):
    """How far a number may be from the expected one: the larger of two tolerances.

    A number is right if `abs(got - expected) <= max(absolute, relative * abs(expected))`.

    Attributes:
        absolute: Maximum difference; 0.0 by default.
        relative: Maximum difference as a fraction of the expected number; 0.0 by default.

    Raises:
        TaskError: one of them is not a number, is negative or is not finite.
    """

    absolute: float = 0.0
    relative: float = 0.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value: object = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TaskError(f"Tolerance({name}={value!r}): must be a number")
            if not 0 <= value < math.inf:
                raise TaskError(f"Tolerance({name}={value!r}): must be finite and not below 0")

    @classmethod
    def of(cls, value: "float | Tolerance") -> "Tolerance":
        """Return the tolerance for a number, which is both its absolute and relative tolerance."""
        return value if isinstance(value, Tolerance) else cls(value, value)


_EXACT = Tolerance()


@dataclass(frozen=True, slots=True, init=False)
class Case(Record):
    """One call of the entry point and its expected result.

    Example:
        >>> Case((2, 3), 5)
        Case(args=(2, 3), expected=5)
        >>> Case(4, predicate="result in (2, -2)").args
        (4,)
        >>> Case((0.1, 0.2), 0.3, tolerance=1e-9).tolerance
        1e-09

    Attributes:
        args: Positional arguments. A value that is not a tuple is the only argument.
        expected: The expected result. It is compared with `==`, except that NaN equals NaN.
        kwargs: Keyword arguments.
        predicate: Instead of `expected`, a Python expression over `result` that must be true.
        name: A name for reports; None (the default) for the text of the call.
        tolerance: How far numbers in the result may be from those in `expected`: a `Tolerance`,
            or a number for both the absolute and the relative tolerance. None (the default) for
            the tolerance of the table.

    Raises:
        TaskError: a value is not a plain Python value, a text is none, there is not exactly one
            of `expected` and `predicate`, the predicate does not parse or is a lambda, or a
            predicate has a tolerance.
    """

    args: Annotated[Any, AsSource()]
    expected: Annotated[Any, AsSource()] = ...
    kwargs: Annotated[Any, AsSource()] = field(default_factory=dict[str, Any])
    predicate: str | None = None
    name: str | None = None
    tolerance: float | Tolerance | None = None

    def __init__(
        self,
        args: Any,
        expected: Any = ...,
        *,
        kwargs: Mapping[str, Any] | None = None,
        predicate: str | None = None,
        name: str | None = None,
        tolerance: float | Tolerance | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "args", args if isinstance(args, tuple) else (args,))
        put(self, "expected", expected)
        if not isinstance(cast("object", kwargs), Mapping | None):
            raise TaskError(f"Case(kwargs={kwargs!r}): must be a dict of keyword arguments")
        put(self, "kwargs", dict(kwargs or {}))
        put(self, "predicate", predicate)
        put(self, "name", name)
        put(self, "tolerance", tolerance)
        self.__post_init__()

    def __post_init__(self) -> None:
        for name in ("predicate", "name"):
            if getattr(self, name) is not None:
                require_text("Case", name, getattr(self, name), error=TaskError)
        _check_arguments(self.args, self.kwargs)
        if (self.expected is ...) == (self.predicate is None):
            raise TaskError(f"a Case needs either `expected` or `predicate`: {self!r}")
        if self.tolerance is not None:
            Tolerance.of(self.tolerance)
            if self.predicate is not None:
                raise TaskError(
                    f"a tolerance is for `expected`; compare with one in the predicate: {self!r}"
                )
        if self.predicate is not None:
            _check_predicate(self.predicate)
        for value in (self.args, self.kwargs, self.expected):
            try:
                to_source(value)
            except ValueError as error:
                raise TaskError(f"a Case holds plain Python values only: {error}") from error

    def __repr__(self) -> str:
        # Not `repr`: it raises for an integer of more than 4,300 digits.
        parts = [f"args={to_source(self.args)}"]
        if self.expected is not ...:
            parts.append(f"expected={to_source(self.expected)}")
        if self.kwargs:
            parts.append(f"kwargs={to_source(self.kwargs)}")
        parts += [f"{n}={v!r}" for n in ("predicate", "name") if (v := getattr(self, n))]
        if self.tolerance is not None:
            parts.append(f"tolerance={self.tolerance!r}")
        return f"Case({', '.join(parts)})"

    def title(self, entry_point: str) -> str:
        """Return the name, or the source of the call cut to 120 characters."""
        if self.name:
            return self.name
        arguments = [to_source(arg) for arg in self.args]
        arguments += [f"{name}={to_source(value)}" for name, value in self.kwargs.items()]
        call = f"{entry_point}({', '.join(arguments)})"
        return call if len(call) <= _TITLE else call[: _TITLE - 3] + "..."


@dataclass(frozen=True, slots=True)
class Cases(Record):
    """A table of calls of the entry point.

    Attributes:
        cases: The calls.
        origin: Who wrote them: "user" (the default) or "generated".
        tolerance: How far numbers may be from the expected ones, in cases without a tolerance
            of their own; None (the default) for exact comparison.
        sequences: "exact" (the default): a tuple does not equal a list. "any": a list and a
            tuple of equal items are equal, at any depth, as in data from JSON, which has no
            tuples.

    Raises:
        TaskError: the table is empty, or an option has another value.
    """

    cases: tuple[Case, ...]
    origin: Origin = "user"
    tolerance: float | Tolerance | None = None
    sequences: Literal["exact", "any"] = "exact"

    def __post_init__(self) -> None:
        if not isinstance(cast("object", self.cases), tuple) or not all(
            isinstance(cast("object", case), Case) for case in self.cases
        ):
            raise TaskError(
                f"Cases({self.cases!r:.200}): must be a tuple of Case; for pairs of arguments and "
                "expected result, call Cases.of([...])"
            )
        if not self.cases:
            raise TaskError("the table of cases is empty: a task needs at least one")
        if self.tolerance is not None:
            Tolerance.of(self.tolerance)
        require_choice("Cases", "sequences", self.sequences, ("exact", "any"), error=TaskError)
        require_choice("Cases", "origin", self.origin, ORIGINS, error=TaskError)

    @classmethod
    def of(
        cls,
        rows: Iterable[Case | tuple[Any, Any]],
        *,
        tolerance: float | Tolerance | None = None,
        sequences: Literal["exact", "any"] = "exact",
    ) -> Self:
        """Return a table of cases from cases or pairs of arguments and expected result."""
        cases = tuple(row if isinstance(row, Case) else _case_of(row) for row in rows)
        return cls(cases, tolerance=tolerance, sequences=sequences)

    def tolerance_of(self, case: Case) -> Tolerance:
        """Return how far numbers in the result of a case may be from the expected ones."""
        own = self.tolerance if case.tolerance is None else case.tolerance
        return _EXACT if own is None else Tolerance.of(own)


def _check_arguments(args: object, kwargs: object) -> None:
    """Check what a document may have of another type; the constructor makes a tuple and a dict."""
    if not isinstance(args, tuple):
        raise TaskError(f"Case(args={args!r:.100}): must be a tuple")
    if not isinstance(kwargs, dict):
        raise TaskError(f"Case(kwargs={kwargs!r:.100}): must be a dict of keyword arguments")
    for keyword in cast("dict[object, object]", kwargs):
        require_text("Case", "kwargs={...}; a name", keyword, error=TaskError)


def _check_predicate(predicate: str) -> None:
    """Check that a predicate is a Python expression, and not a function.

    Raises:
        TaskError: it is not.
    """
    try:
        with without_warnings():
            tree = ast.parse(predicate.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TaskError(
            f"the predicate {predicate!r} is not a Python expression: {describe_error(error)}"
        ) from error
    if isinstance(tree.body, ast.Lambda):
        raise TaskError(
            f"the predicate {predicate!r} is a function, which is always true; "
            "write its body, an expression over `result`"
        )


def _case_of(row: object) -> Case:
    """Return the case for a pair of arguments and expected result.

    Raises:
        TaskError: it is not a pair; the message says how to write several arguments.
    """
    pair = cast("Sequence[Any]", row) if isinstance(row, tuple | list) else ()
    if len(pair) != 2:  # noqa: PLR2004 - a pair
        raise TaskError(
            f"a case is a pair (args, expected) or a Case, not {row!r:.200}; several arguments "
            "are a tuple: ((1, 2), 3)"
        )
    return Case(pair[0], pair[1])

"""Tests as a table: calls of the entry point, and what each should give."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from planish.compiling import quiet
from planish.data._record import Record
from planish.data._source import reason
from planish.data._test_code import Origin
from planish.data.literal import AsSource, to_source
from planish.errors import TaskError

__all__ = ["Case", "Cases"]

_TITLE = 120  # characters: one line of a report


@dataclass(frozen=True, slots=True, init=False)
class Case(Record):
    """One call of the entry point and what it should give.

    Example:
        >>> Case((2, 3), 5)
        Case(args=(2, 3), expected=5)
        >>> Case(0.1, predicate="abs(result - 0.3) < 1e-9").args
        (0.1,)

    Attributes:
        args: Positional arguments; what is not a tuple is the only one.
        expected: What the call should return, compared with `==`.
        kwargs: Keyword arguments.
        predicate: Instead of `expected`: a Python expression over `result` that must be true.
        name: A name for reports; the call itself when not given.

    Raises:
        TaskError: a value is not a plain Python value, both or neither of `expected` and
            `predicate` are given, or the predicate does not parse.
    """

    args: Annotated[Any, AsSource()]
    expected: Annotated[Any, AsSource()] = ...
    kwargs: Annotated[Any, AsSource()] = field(default_factory=dict[str, Any])
    predicate: str | None = None
    name: str | None = None

    def __init__(
        self,
        args: Any,
        expected: Any = ...,
        *,
        kwargs: Mapping[str, Any] | None = None,
        predicate: str | None = None,
        name: str | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "args", args if isinstance(args, tuple) else (args,))
        put(self, "expected", expected)
        put(self, "kwargs", dict(kwargs or {}))
        put(self, "predicate", predicate)
        put(self, "name", name)
        self.__post_init__()

    def __post_init__(self) -> None:
        if (self.expected is ...) == (self.predicate is None):
            raise TaskError(f"a Case needs `expected` or `predicate`, one of them: {self!r}")
        if self.predicate is not None:
            try:
                with quiet():
                    ast.parse(self.predicate.strip(), mode="eval")
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                raise TaskError(
                    f"the predicate {self.predicate!r} is not a Python expression: {reason(error)}"
                ) from error
        for value in (self.args, self.kwargs, self.expected):
            try:
                to_source(value)
            except ValueError as error:
                raise TaskError(f"a Case cannot hold this: {error}") from error

    def __repr__(self) -> str:
        parts = [f"args={self.args!r}"]
        if self.expected is not ...:
            parts.append(f"expected={self.expected!r}")
        parts += [f"{n}={v!r}" for n in ("kwargs", "predicate", "name") if (v := getattr(self, n))]
        return f"Case({', '.join(parts)})"

    def title(self, entry_point: str) -> str:
        """The name, or the call as it would be written, cut to a line."""
        if self.name:
            return self.name
        inside = [to_source(arg) for arg in self.args]
        inside += [f"{name}={to_source(value)}" for name, value in self.kwargs.items()]
        call = f"{entry_point}({', '.join(inside)})"
        return call if len(call) <= _TITLE else call[: _TITLE - 3] + "..."


@dataclass(frozen=True, slots=True)
class Cases(Record):
    """A table of calls of the entry point.

    Raises:
        TaskError: the table is empty.
    """

    cases: tuple[Case, ...]
    origin: Origin = "user"

    def __post_init__(self) -> None:
        if not self.cases:
            raise TaskError("the table of cases is empty: a task needs at least one")

    @classmethod
    def of(cls, rows: Iterable[Case | tuple[Any, Any]]) -> "Cases":
        """A table from cases or (input, expected) pairs."""
        return cls(tuple(row if isinstance(row, Case) else Case(*row) for row in rows))

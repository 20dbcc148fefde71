"""Types of steps are read and compared; definite mismatches only are rejected."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Annotated, Any, Generic, Literal, NewType, NoReturn, Protocol, TypedDict, TypeVar

import pytest

from planish import Primitive, Report, Task
from planish.abc import AcceptsFeedback, Outcome
from planish.runtime.signature import (
    format_type,
    intersect,
    is_assignable,
    signature_of_class,
    signature_of_function,
    union,
)

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
Name = NewType("Name", str)


class Row(TypedDict):
    id: int


class Sized(Protocol):
    @property
    def size(self) -> int: ...


class ByConstructor:
    def __init__(self) -> None:
        self.size = 3


class BySlots:
    __slots__ = ("size",)


class ByAnnotation:
    size: int


class ByInheritance(ByConstructor):
    pass


class ByNeed:
    def __getattr__(self, name: str) -> int:
        return 3


class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...


class Square(Shape):
    def area(self) -> float:
        return 1.0


ASSIGNABLE: list[tuple[Any, Any]] = [
    (int, int),
    (bool, int),
    (int, float),
    (bool, float),
    (int, complex),
    (int, Any),
    (Any, int),
    (int, object),
    (object, int),
    (int, int | None),
    (None, int | None),
    (None, None),
    (type(None), None),
    (int | None, int | None),
    (int | str, str | int | None),
    (bool | int, float),
    (list[int], Sequence[int]),
    (list[int], list[Any]),
    (list[int], Iterable[str]),  # too involved to compare
    (dict[str, int], Mapping[str, int]),
    (dict[str, Any], Row),
    (Row, dict[str, Any]),
    (tuple[int, str], tuple[int, str]),
    (tuple[bool, str], tuple[int, object]),
    (tuple[int, ...], tuple[int, int]),
    (tuple[int, int], tuple),
    (Annotated[int, "m"], int),
    (int, Annotated[int, "m"]),
    (Literal["a"], str),
    (Name, str),
    (T, int),
    (int, T),
    (Callable[[int], int], Callable[[int], int]),
    (Square, Shape),
    (Report, Outcome),
    (Task, AcceptsFeedback),
    (ByConstructor, Sized),
    (BySlots, Sized),
    (ByAnnotation, Sized),
    (ByInheritance, Sized),
    (ByNeed, Sized),
    ("int", str),  # a name that is not resolved
]
MISMATCHES: list[tuple[Any, Any]] = [
    (int, str),
    (float, int),
    (int, None),
    (None, int),
    (int | None, int),
    (int | str, int | bytes),
    (Shape, Square),
    (list[int], dict[str, int]),
    (tuple[int, str], tuple[int]),
    (tuple[int, str], tuple[int, int]),
    (str, Outcome),
    (str, AcceptsFeedback),
    (Square, Sized),
    (Annotated[int, "m"], str),
]


@pytest.mark.parametrize(("source", "target"), ASSIGNABLE)
def test_what_may_be_assignable_is_accepted(source: Any, target: Any) -> None:
    assert is_assignable(source, target)


@pytest.mark.parametrize(("source", "target"), MISMATCHES)
def test_a_definite_mismatch_is_rejected(source: Any, target: Any) -> None:
    assert not is_assignable(source, target)


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        (int, int, int),
        (int, object, int),
        (Any, int, int),
        (int, Any, int),
        (int | None, int, int),
        (Shape, Square, Square),
        (int | str, str | bytes, int | str),
        (int, str, NoReturn),
        (Task, str, NoReturn),
        (Outcome, AcceptsFeedback, Outcome),  # one class may be both
        (Shape, Sized, Shape),
    ],
)
def test_intersect(first: Any, second: Any, common: Any) -> None:
    assert intersect(first, second) == common


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (int, int, int),
        (int, Any, int),
        (Any, int, int),
        (Square, Shape, Shape),
        (int, str, int | str),
    ],
)
def test_union(first: Any, second: Any, both: Any) -> None:
    assert union(first, second) == both


def plain(value: int) -> str:
    return str(value)


async def later(value: int) -> str:
    return str(value)


def promise(value: int) -> Awaitable[str]:
    return later(value)


def coroutine(value: int) -> Coroutine[Any, Any, str]:
    return later(value)


def nothing(value: int) -> None:
    del value


def unresolved(value: "Nowhere") -> int:  # type: ignore[name-defined]  # noqa: F821  # pyright: ignore[reportUndefinedVariable, reportUnknownParameterType]
    return 3


def no_parameter() -> int:
    return 3


SIGNATURES: list[tuple[Any, Any]] = [
    (plain, (int, str)),
    (later, (int, str)),
    (promise, (int, str)),
    (coroutine, (int, str)),
    (nothing, (int, type(None))),
    (unresolved, (Any, Any)),
    (no_parameter, (Any, int)),
    (len, (Any, Any)),
    (print, (Any, Any)),
]


@pytest.mark.parametrize(("function", "signature"), SIGNATURES)
def test_the_signature_of_a_function(function: Any, signature: Any) -> None:
    assert signature_of_function(function) == signature


class Direct(Primitive[int, str]):
    async def _run(self, value: int) -> str:
        return str(value)


class Wrapper(Primitive[A, list[B]], Generic[A, B]):
    async def _run(self, value: A) -> list[B]:
        raise LookupError(value)


class Swapped(Wrapper[B, A], Generic[A, B]):
    pass


class Filled(Swapped[int, str]):
    pass


class Below(Filled):
    pass


class Unannotated(Primitive):  # type: ignore[type-arg]  # pyright: ignore[reportMissingTypeArgument]
    async def _run(self, value: Any) -> Any:
        return value


@pytest.mark.parametrize(
    ("kind", "input_type", "output_type"),
    [
        (Direct, "int", "str"),
        (Below, "str", "list"),
        (Unannotated, "Any", "Any"),
    ],
)
def test_the_signature_of_a_class(kind: Any, input_type: str, output_type: str) -> None:
    signature = signature_of_class(kind, Primitive)
    assert [format_type(side).partition("[")[0] for side in signature] == [input_type, output_type]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (int, "int"),
        (type(None), "None"),
        (Task, "Task"),
        (list[int], "list[int]"),
        (int | None, "int | None"),
        (tuple[Task, Report], "tuple[task.Task, report.Report]"),
        (Any, "Any"),
    ],
)
def test_a_type_is_formatted_as_in_source(kind: Any, text: str) -> None:
    assert format_type(kind) == text

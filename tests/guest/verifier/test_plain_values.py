"""Values of libraries cross in parts and are put together again; what has no parts is refused."""

import dataclasses
import re
import sys
import types
import typing
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path, PurePosixPath
from typing import Any, Generic, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from planish.guest.verifier.plain_values import plain, simple
from planish.guest.verifier.reader import MalformedError

T = TypeVar("T")
BERLIN = ZoneInfo("Europe/Berlin")
ODD_ZONE = timezone(timedelta(hours=5, minutes=45), "here")


class Stack(Generic[T]):
    pass


class Pattern:
    """It bears the name of `re.Pattern`."""

    __module__ = "re"

    def match(self, *_: object) -> int:
        return 7


def crossed(value: object) -> Any:
    parts = plain(value)
    assert parts is not None
    return simple(*parts)


@pytest.mark.parametrize(
    "value",
    [
        *(ip_address("1.2.3.4"), ip_network("::/8"), ip_interface("10.0.0.1/8")),
        *(Decimal("1.50"), Decimal("-Infinity"), Fraction(-2, 6), timedelta(-1, 2, 3)),
        *(date(2026, 1, 31), datetime(2026, 1, 31, 23, 59, 58, 7), time(23, 59, 58, 7)),  # noqa: DTZ001
        *(datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1), time(1, tzinfo=ODD_ZONE, fold=1)),
        *(datetime(2026, 1, 2, tzinfo=UTC), ODD_ZONE, UTC, BERLIN, UUID(int=7)),
        *(Path("a/b"), PurePosixPath("/c"), int | None, list[int], dict[str, list[int]]),
    ],
    ids=str,
)
def test_a_value_of_the_standard_library_is_itself_again(value: Any) -> None:
    found = crossed(value)
    assert (type(found), found, repr(found)) == (type(value), value, repr(value))
    assert getattr(found, "fold", None) == getattr(value, "fold", None)


@pytest.mark.parametrize(
    "value",
    [
        *(typing.Optional[int], typing.Union[int, str, None], typing.List[int]),  # noqa: UP006, UP007, UP045
        *(typing.Dict[str, int], typing.Tuple[int, ...], typing.Callable[[int, str], bool]),  # noqa: UP006
        *(typing.ClassVar[int], typing.Iterable[int], Stack[int]),
    ],
    ids=str,
)
def test_an_annotation_is_itself_again(value: Any) -> None:
    found = crossed(value)
    assert (found, repr(found)) == (value, repr(value))


def test_a_name_of_typing_is_the_very_object() -> None:
    usual = """
        Any Union Optional Literal ClassVar Final Callable NoReturn List Dict Set FrozenSet Tuple
        Type Iterable Iterator Sequence Mapping MutableMapping Generator Awaitable Coroutine
        AsyncIterator Self Never NotRequired Required TypeAlias Concatenate DefaultDict
        Deque Counter OrderedDict Collection Hashable AnyStr
    """
    for name in usual.split():
        value = getattr(typing, name)
        assert crossed(value) is value, name


def test_a_mark_of_dataclasses_is_the_very_object() -> None:
    @dataclasses.dataclass
    class Each:
        first: int
        second: typing.ClassVar[int]
        third: dataclasses.InitVar[int]

    fields: Any = Each.__dataclass_fields__
    kinds: list[Any] = [one._field_type for one in fields.values()]
    assert len({id(kind) for kind in kinds}) == 3
    for value in (dataclasses.MISSING, dataclasses.KW_ONLY, *kinds):
        assert crossed(value) is value


def test_a_field_of_a_dataclass_keeps_all_that_it_says() -> None:
    @dataclasses.dataclass
    class Plain:
        first: int
        second: Any = dataclasses.field(
            default=7, repr=False, hash=True, compare=False, init=False, kw_only=True,
            metadata={"unit": "cm"},
        )  # fmt: skip
        third: list[int] = dataclasses.field(default_factory=list[int])
        fourth: typing.ClassVar[int] = 3
        fifth: dataclasses.InitVar[int] = 4

    for one in Plain.__dataclass_fields__.values():
        assert repr(crossed(one)) == repr(one)
        assert crossed(one).metadata == one.metadata
        assert isinstance(crossed(one).metadata, types.MappingProxyType)


def test_a_traceback_leads_nowhere() -> None:
    try:
        raise ValueError
    except ValueError as error:
        found = crossed(error.__traceback__)
    assert isinstance(found, types.TracebackType)
    assert (found.tb_next, found.tb_lasti, found.tb_lineno) == (None, 0, 1)


class Rules(tzinfo):
    def utcoffset(self, _moment: datetime | None, /) -> timedelta:
        return timedelta(hours=1)

    dst = utcoffset

    def tzname(self, _moment: datetime | None, /) -> str:
        return "here"


class Birthday(date):
    pass


@pytest.mark.parametrize(
    "value",
    [
        *(datetime(2026, 1, 1, tzinfo=Rules()), time(1, tzinfo=Rules()), Birthday(2026, 1, 1)),
        *(object(), sys, typing, ValueError(), print),
    ],
    ids=lambda value: type(value).__name__,  # no address: every worker is to have the same names
)
def test_a_value_of_another_class_has_no_parts(value: object) -> None:
    assert plain(value) is None


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("os.system", ("true",)),
        ("decimal.Context", ()),
        ("named", ("os:system",)),
        ("named", ("typing:cast",)),
        ("named", ("dataclasses:dataclass",)),
        ("numpy.ndarray", ("|O", (1,), bytes(8))),
        ("numpy.generic", ("|O", bytes(8))),
        ("re.Match", (Pattern(), "a", "match", 0, 1)),
        ("re.Match", (re.compile("b"), "a", "match", 0, 1)),
        ("re.Match", (re.compile("a"), "a", "sub", 0, 1)),
        ("http.HTTPStatus", (b"200",)),
    ],
)
def test_only_values_that_do_nothing_are_made(name: str, parts: Any) -> None:
    with pytest.raises(MalformedError):
        simple(name, parts)


def test_scalars_and_types_of_numpy_are_themselves_again() -> None:
    np = pytest.importorskip("numpy")
    for value in (
        *(np.bool_(True), np.int8(-1), np.uint16(7), np.float32(0.1), np.complex128(1 - 2j)),
        *(np.bytes_(b"ab"), np.str_("äb"), np.datetime64("2026-01-02"), np.timedelta64(3, "s")),
    ):
        found = crossed(value)
        assert (type(found), found, found.dtype) == (type(value), value, value.dtype)
    for value in (np.dtype("<f8"), np.dtype("O"), np.dtype("M8[ms]"), np.dtype("U3")):
        assert crossed(value) == value


def test_an_array_of_numpy_is_itself_again_and_can_be_changed() -> None:
    np = pytest.importorskip("numpy")
    for value in (
        np.arange(6.0).reshape(2, 3),
        np.array(["a", "bc"]),
        np.array(1),
        np.zeros((0, 2)),
    ):
        found = crossed(value)
        assert (found.dtype, found.shape, found.tolist()) == (
            *(value.dtype, value.shape, value.tolist()),
        )
        found[...] = found


def test_records_and_objects_of_numpy_have_no_parts() -> None:
    np = pytest.importorskip("numpy")
    record = np.zeros(1, dtype=[("a", "i4")])
    for value in (record, record[0], record.dtype, np.array([None]), np.random.default_rng(1)):
        assert plain(value) is None


def test_moments_of_pandas_are_themselves_again() -> None:
    pd = pytest.importorskip("pandas")
    for value in (
        *(pd.Timestamp("2026-10-25 02:30:00.123456789"), pd.Timestamp("2026-01-01").as_unit("s")),
        pd.Timestamp("2026-10-25 01:30", tz="UTC").tz_convert("Europe/Berlin"),
        *(pd.Timedelta(5, "ns"), pd.Timedelta(-2, "D").as_unit("ms")),
    ):
        found = crossed(value)
        assert (type(found), found, repr(found), found.unit) == (
            *(type(value), value, repr(value), value.unit),
        )
    assert crossed(pd.NaT) is pd.NaT
    assert crossed(pd.NA) is pd.NA
    assert plain(pd.Series([1])) is None

"""Restore the inputs of MBPP+: its release writes tuples, sets and complex numbers as JSON.

Which problem takes which types is a fact of the data set, which its rows do not hold.
"""

from collections.abc import Callable
from typing import Any

from planish_integrations.evaluation._errors import RowError
from planish_integrations.evaluation._fields import list_in

__all__ = ["restore_inputs"]

Arguments = list[Any]


def _numbers(text: str) -> frozenset[int]:
    return frozenset(map(int, text.split()))


def _tuple_each(arguments: Arguments) -> Arguments:
    return [tuple(one) for one in arguments]


def _tuples_in_each(arguments: Arguments) -> Arguments:
    return [[tuple(item) for item in one] for one in arguments]


def _tuple_of_tuples(arguments: Arguments) -> Arguments:
    return [tuple(tuple(item) for item in one) for one in arguments]


def _tuples_in_first(arguments: Arguments) -> Arguments:
    return [[tuple(item) for item in arguments[0]], arguments[1]]


def _first_tuple(arguments: Arguments) -> Arguments:
    return [tuple(arguments[0]), *arguments[1:]]


def _second_tuple(arguments: Arguments) -> Arguments:
    return [arguments[0], tuple(arguments[1])]


def _sets(arguments: Arguments) -> Arguments:
    # An empty one is an empty dict in the release's own reader, too.
    return [[set(items) if (items := list_in(one)) else {} for one in arguments[0]]]


def _mixed(arguments: Arguments) -> Arguments:
    items = ((list_in(one), one) for one in arguments[0])
    return [tuple(one if found is None else tuple(found) for found, one in items)]


def _tuple_values(arguments: Arguments) -> Arguments:
    return [{key: tuple(value) for key, value in arguments[0].items()}, *arguments[1:]]


def _all_tuples(arguments: Any) -> Any:
    items = list_in(arguments)
    return arguments if items is None else tuple(_all_tuples(item) for item in items)


def _all_tuples_inside(arguments: Arguments) -> Arguments:
    return [_all_tuples(one) for one in arguments]


def _polar(arguments: Arguments) -> Arguments:
    return [float(arguments[0]), complex(arguments[1])]


def _complex(arguments: Arguments) -> Arguments:
    return [complex(arguments[0])]


_RULES: tuple[tuple[frozenset[int], Callable[[Arguments], Arguments]], ...] = (
    (
        _numbers(
            "2 116 132 143 222 261 273 394 399 421 424 429 470 560 579 596 616 630 726 740 744 809"
        ),
        _tuple_each,
    ),
    (_numbers("63 64 70 94 120 237 272 299 400 409 417 438 473 614 780"), _tuples_in_each),
    (_numbers("75 413 444 753"), _tuples_in_first),
    (_numbers("106 750"), _second_tuple),
    (_numbers("115"), _sets),
    (_numbers("124"), _polar),
    (_numbers("250 307 405 446 617 720 763 808"), _first_tuple),
    (_numbers("252"), _complex),
    (_numbers("259 401 445"), _tuple_of_tuples),
    (_numbers("278"), _mixed),
    (_numbers("580 615 791"), _all_tuples_inside),
    (_numbers("722"), _tuple_values),
)


def restore_inputs(task_id: str, inputs: list[Arguments]) -> list[Arguments]:
    """Return the inputs of a problem of MBPP+ with the types that its function takes.

    Args:
        task_id: As "Mbpp/2".
        inputs: Lists of arguments, as JSON has them.

    Raises:
        RowError: the inputs do not have the form that this problem's inputs have.
    """
    number = task_id.rpartition("/")[2]
    rule = next((rule for known, rule in _RULES if number in map(str, known)), None)
    if rule is None:
        return inputs
    try:
        return [rule(arguments) for arguments in inputs]
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise RowError(f"its inputs are not those of {task_id}: {error}") from error

"""Notice when an object of the candidate takes part in the decision of a test.

An object says what it likes of itself: that it equals anything, that it holds anything. Python's
own answer is taken, as in one process; that the candidate gave it is put on record, and the
evidence is then that of a shared process.

The rule lists what is allowed, not what is dangerous. The tests may call what they name, and
construct classes; of objects of the classes that they construct they may call methods and read
attributes; any object may be iterated, indexed, converted and read, as it sees nothing by that
of what it is to be compared with. All else weakens the evidence: comparisons, containment,
truth, arithmetic, swallowed exceptions, methods of objects that the candidate only gave.
"""

from __future__ import annotations

import sys

from . import link
from .bodies import observe_body
from .coroutines import is_awaited_later, swallows, value_of, watch_callbacks
from .evidence import shows_content
from .guard import class_name, holds_failed_test, in_class, is_a, is_skip, kind_of, name_of, part_of
from .packages import is_loaded
from .proxy import ProxyMeta, number_of
from .special_methods import ARITHMETIC, COMPARISONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "note_catching",
    "note_failed",
    "note_failure",
    "note_request",
    "note_started",
    "observe",
    "stopped",
]

_ANSWERS = ("bool", "contains", "instancecheck", "subclasscheck")
_OPERATORS = COMPARISONS | ARITHMETIC
_DECIDING = _OPERATORS | {f"__{name}__" for name in _ANSWERS}
# What decides when it is called: comparisons by their names, and what numpy asks an object for,
# to have its functions carried out by it.
_PROTOCOLS = COMPARISONS | {"__array_function__", "__array_ufunc__", "__array_wrap__"}
_EXITS = ("__exit__", "__aexit__")
_DESCRIBING = ("__globals__", "__annotations__")
# A library may take others for an order: a task group, that a task was cancelled.
_REPORTED = (Exception, SystemExit, KeyboardInterrupt)
_KINDS: tuple[Any, ...] = (str, bytes, set, frozenset, dict, list, tuple, float, int)
_PREDICATES = frozenset(
    name
    for kind in _KINDS
    for name in dir(kind)
    if name.startswith("is") or name in ("startswith", "endswith")
) | {"all", "any", "equals", "issubset", "issuperset", "isdisjoint"}


_METHOD = "a method of an object that the code gave took part in a test"


def observe(evidence: Any, operation: str, args: Any, result: Any) -> None:
    """Put on record when the candidate has answered what only the tests should decide.

    Args:
        evidence: Where to.
        operation: What it was asked for.
        args: With what; the object first.
        result: What it answered.
    """
    if link.BODIES and observe_body(evidence, operation, args, result):
        return
    if operation == "special":
        value, name, given = args[0], args[1], args[2]
        if _decides(name, value, given, args[3:], result):
            evidence.weakened(_sentence(value, name))
    elif operation in ("get", "own"):
        value = args[0] if operation == "get" else args[2]
        decides = _DECIDING if operation == "own" else _PROTOCOLS  # by `super`
        if args[1] in decides and result is not None:
            evidence.weakened(_sentence(value, args[1]))
        if _given(value, args[1], result) or _is_of_double(value, args[1]):
            evidence.weakened(_METHOD)
    elif operation == "call" and number_of(args[0]) in link.FOREIGN and (args[1] or args[2]):
        evidence.weakened(_METHOD)
    elif operation == "namespace" and kind_of(result) is dict:
        named = number_of(args[0]) in link.NAMED or args[0] in link.TRUSTED
        known = link.NAMED if named else link.FOREIGN
        known.update(filter(None, map(number_of, result.values())))
    elif operation == "import":
        link.MODULES.add(number_of(result))
    _note_awaited(evidence, operation, args, result)


def stopped(evidence: Any, operation: str, args: Any, error: BaseException) -> None:
    """Put on record an exception of the candidate's that may decide as a value would.

    One that ends loops of the tests in silence, or comes in place of the answer to a comparison:
    the tests may take it for one.

    Args:
        evidence: Where to.
        operation: What it was asked for.
        args: With what.
        error: What it raised.
    """
    expected = operation == "special" and args[1] in ("__next__", "__anext__")
    expected = expected or (operation == "poll" and number_of(args[0]) in link.STEPS)
    if is_a(error, (StopIteration, StopAsyncIteration)) and not expected:
        evidence.weakened("the code ended an iteration of the tests")
    if operation == "special" and args[1] in _DECIDING - ARITHMETIC:
        evidence.weakened(_sentence(args[0], args[1]))
    if not is_a(error, _REPORTED) or is_skip(error):
        evidence.weakened(f"the code raised {name_of(error)!r}, which can end a test unnoticed")


def note_catching(evidence: Any, errors: Any, operation: str, name: Any = None) -> None:
    """Put on record that the candidate gives a class of exceptions that failed assertions have.

    In the place of an error of its own, tests would swallow their failure with it. A context
    manager is given one as Python does it; the globals of a function lead to all of Python's, and
    annotations describe it.

    Args:
        evidence: Where to.
        errors: The classes of exceptions that it has given with a message: among the changes of
            what it has given before, and beside these.
        operation: What it asks for with the message, or was asked for.
        name: Of the attribute or special method.
    """
    described = _DESCRIBING if operation == "get" else _EXITS
    found: list[Any] = [*errors[0]]
    if kind_of(name) is not str or name not in described:
        found += errors[1]
    if not found:
        return
    failed: Any = getattr(sys.modules.get("_pytest.outcomes"), "Failed", AssertionError)
    caught = (*type.mro(AssertionError), *type.mro(failed))
    if any(one is other for one in found for other in caught):
        evidence.weakened("the code gave a class of exceptions that catches failed assertions")


def note_request(evidence: Any, operation: str, value: Any, name: Any = None) -> None:
    """Put on record that the candidate asks for what could show it what the tests expect.

    That is what they have printed, if it does more than to print there as well.

    Args:
        evidence: Where to.
        operation: What the candidate asks for.
        value: The object of the tests of which it asks that.
        name: Of an attribute or special method.
    """
    watch_callbacks(lambda error: note_failed(evidence, error))
    if is_loaded(value):
        evidence.weakened("the code used a module of the tests")
    if shows_content(value, name):
        evidence.weakened("the code read what a function of the tests holds")
    if operation in ("set", "delete", "dir") or (operation == "get" and name in _PRINTING):
        return
    streams = [part for one in link.PRINTED for part in (one, getattr(one, "buffer", None))]
    if any(value is one for one in streams):
        evidence.weakened("the code read what the tests have printed")


_PRINTING = frozenset(
    {"write", "writelines", "flush", "close", "isatty", "fileno", "writable", "readable"}
    | {"seekable", "encoding", "errors", "newlines", "closed", "name", "mode", "buffer"}
    | {"reconfigure", "line_buffering", "write_through"}
)


def note_started(evidence: Any, operation: str, task: Any) -> None:
    """Put on record if a coroutine of the tests that the candidate has started fails an assertion.

    The candidate need not ask for the outcome.

    Args:
        evidence: Where to; None on the candidate's own side.
        operation: What the candidate has asked for.
        task: What came of that; any value.
    """

    def ended(task: Any) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            note_failed(evidence, error)

    if is_a(task, BaseException):  # as a future has it
        note_failed(evidence, task)
    futures = [getattr(sys.modules.get(module), "Future", ()) for module in _FUTURES]
    if evidence is not None and operation != "get" and any(is_a(task, one) for one in futures):
        task.add_done_callback(ended)


_FUTURES = ("asyncio", "concurrent.futures")  # tasks are futures


def note_failed(evidence: Any, error: BaseException) -> None:
    """Put on record if what the candidate has called of the tests has failed an assertion.

    Args:
        evidence: Where to; None on the candidate's own side.
        error: What it has raised.
    """
    if evidence is not None and holds_failed_test(error):
        evidence.weakened("an assertion failed in a call from the code to the tests")


def note_failure(evidence: Any, operation: str, args: Any) -> None:
    """Put on record that the candidate is called with an exception by which a test has failed.

    What calls it may take its answer for an order to go on, as `ExitStack` does.

    Args:
        evidence: Where to.
        operation: What the candidate was asked for.
        args: With what.
    """
    called = operation == "call" or (operation == "special" and args[1] == "__call__")
    if not called:
        return
    positional, *more = args[1:] if operation == "call" else args[2:]
    every = (*positional, *(one for keywords in more if keywords for one in keywords.values()))
    for one in every:
        raised = is_a(one, BaseException) and part_of(one, "__traceback__") is not None
        if raised and holds_failed_test(one):
            evidence.weakened("the code was called with a failed assertion of the tests")


def _note_awaited(evidence: Any, operation: str, args: Any, result: Any) -> None:
    """Take note of what is awaited for the next item of an iteration, or for an exception."""
    if link.EXITS and args and swallows(operation, args[0], result):
        evidence.weakened("the code decided with '__aexit__' whether an exception goes on")
    if operation == "special" and args[1] == "__anext__":
        number = number_of(value_of(result) or result)
    elif operation == "start" and number_of(args[0]) in link.STEPS:
        number = number_of(result)
    else:
        return
    if number is not None:
        link.STEPS.add(number)


def _decides(name: str, value: Any, given: Any, more: Any, result: Any) -> bool:
    if name in _DECIDING:
        # Only of an operator it means that the other operand is asked; else it is true.
        return result is not NotImplemented or name not in _OPERATORS
    if name in _EXITS:
        raised = given[:1] != (None,) and result is not None and result is not False
        return raised and not (name == "__aexit__" and is_awaited_later(result))
    if name == "__call__":
        keywords = bool(more and more[0])
        return number_of(value) in link.FOREIGN and (bool(given) or keywords)
    return False


def _given(value: Any, name: str, result: Any) -> bool:
    """Remember what was read off an object that the candidate only gave.

    Returns:
        It is a class or function of Python's own, by which alone it would be called unseen.
    """
    number, owner = number_of(result), number_of(value)
    if owner in link.MODULES or (kind_of(value) is ProxyMeta and owner in link.NAMED):
        if number is not None:
            link.NAMED.add(number)
        return False
    kind = kind_of(value)
    named = kind is not ProxyMeta and (kind in link.TRUSTED or number_of(kind) in link.NAMED)
    if named and name not in _PREDICATES:
        return False
    if number is None:
        return callable(result)
    link.FOREIGN.add(number)
    return False


def _is_of_double(value: Any, name: str) -> bool:
    """Tell whether an attribute says how a test double was called, which the code has replaced."""
    double: Any = getattr(sys.modules.get("unittest.mock"), "AsyncMock", None)
    if double is None or not in_class(double, name):
        return False
    named = kind_of(value) in link.TRUSTED or number_of(kind_of(value)) in link.NAMED
    return name[:7] == "assert_" or (name in _COUNTED and not named)


_COUNTED = frozenset(
    {"called", "call_count", "call_args", "call_args_list", "method_calls", "mock_calls"}
    | {"await_count", "await_args", "await_args_list"}
)


def _sentence(value: Any, name: str) -> str:
    kind = value if number_of(kind_of(value)) is None else kind_of(value)
    if name == "__call__":
        return _METHOD
    return f"an object of the code's own class {class_name(kind)!r} decided with {name}"

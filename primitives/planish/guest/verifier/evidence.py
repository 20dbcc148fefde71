"""Record what passing tests have used, and what took part in them."""

from __future__ import annotations

import gc
import sys

from .bounds import VALUE, bounded
from .guard import Module, is_a, kind_of
from .proxy import ProxyMeta, number_of
from .special_methods import FUNCTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .channel import Put

__all__ = ["Evidence", "may_raise", "names_in", "shows_content", "values_named"]

_CALLED = (
    *("setUpModule", "setup_module", "setup_function"),
    *("tearDownModule", "teardown_module", "teardown_function"),
)
_REASONS = 20  # on record; one would do, and the first ones are the most useful


class Evidence:
    """Count the uses of the candidate, and record what weakens the evidence.

    Args:
        put: Where records go.

    Attributes:
        uses: How often the candidate was asked for something, by the tests' doing.
        calls: How often that was more than to read a name.
        by_names: Uses while the test files are imported show only in the names in them.
        derived: Names in the tests' namespace whose values come from the candidate.
        asserted: An assert statement has been executed since this was last set to False.
        bound: Names in the tests' namespace to which the statements so far may have set values,
            as `compile_tests` gives them.
    """

    def __init__(self, put: Put) -> None:
        self.put = put
        self.uses = 0
        self.calls = 0
        self.by_names: bool = False
        self.derived: set[str] = set()
        self.asserted = False
        self.bound: set[str] = set()
        self._reasons: set[str] = set()

    def watch(self) -> None:
        """Notice the next use of the candidate; without effect where each use is a message."""

    def unwatch(self) -> None:
        """End what `watch` has begun."""

    def weakened(self, why: str) -> None:
        """Put on record why the candidate was not kept apart from a decision.

        Args:
            why: A sentence. Each is put there once.
        """
        why = bounded(why, VALUE)
        if why not in self._reasons and len(self._reasons) < _REASONS:
            self.put("weakened", why=why)
            self._reasons.add(why)  # only now: a signal may end this in between

    def note_test(self, *parts: Any) -> None:
        """Put on record that the candidate has made a test, as a decorator of its own does.

        Args:
            parts: The function or method of the test, and its class.
        """
        for part in parts:
            function = part.__func__ if kind_of(part) is FUNCTIONS[1] else part
            if number_of(function) is not None:
                self.weakened("a test is a function or class that the code has made")

    def note_called(self, space: dict[str, Any]) -> None:
        """Put on record what pytest calls by its name in a test file, and the candidate has made.

        Args:
            space: The names of the file.
        """
        for name, value in [*space.items()]:
            called = name in _CALLED or name[:7] == "pytest_"
            if called and (number_of(value) is not None or kind_of(value) is FUNCTIONS[1]):
                self.weakened(f"pytest calls {name!r}, which the code has made")

    def has_set(self, name: str, value: Any, given: Any) -> bool:
        """Tell whether a name in the tests' namespace has what the tests have set.

        There is one True for both sides, and one module `math`: that a value is the very one which
        the candidate has given proves nothing, unless only the candidate can have made it.

        Args:
            name: The name.
            value: What it has.
            given: What the candidate has given of that name.
        """
        if value is not given or number_of(value) is not None:
            return value is not given
        bound = not self.bound.isdisjoint((name, "*"))
        return bound or any(one[:1] == "*" and _exports(one[1:], name) for one in self.bound)

    def copies(self, space: dict[str, Any]) -> set[str]:
        """Return the derived names whose values are copies: their use is not noticed."""
        return {name for name in self.derived if number_of(space.get(name)) is None}

    def relies_on(
        self, names: Iterable[str], space: dict[str, Any], among: set[str] | None = None
    ) -> bool:
        """Tell whether test code that names these names has used values of the candidate's.

        What is done with a proxy is counted where it is done, so its name alone is no use: the
        code may stand in a loop that has no round. Only an assert that was executed may look at
        a proxy without asking it for anything: `assert callable(f)`.

        Args:
            names: What the code names.
            space: Where functions of the tests are found; what they name counts as well.
            among: The names whose use counts. Default: those of copies, and all that are derived
                if an assert was executed.
        """
        if among is None:
            among = self.derived if self.asserted else self.copies(space)
        if not among:
            return False
        left, seen = list(names), set(names)
        while left:
            name = left.pop()
            if name in among:
                return True
            code = getattr(space.get(name), "__code__", None)
            if kind_of(code) is _CODE:
                more = names_in(code) - seen
                seen |= more
                left += more
        return False


def _exports(module: str, name: str) -> bool:
    """Tell whether a module that is not the candidate's gives a name to `from module import *`."""
    found: Any = sys.modules.get(module)
    if not is_a(found, Module) or hasattr(kind_of(found), "__served__"):
        return False
    facts: Any = Module.__dict__["__dict__"].__get__(found)
    return name in facts.get("__all__", facts)


def names_in(code: Any) -> set[str]:
    """Return the names that code uses, with those of the functions in it."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if kind_of(constant) is _CODE:
            found |= names_in(constant)
    return found


def values_named(function: Any) -> list[Any]:
    """Return the values of the global names in a function."""
    space = function.__globals__
    return [space[name] for name in names_in(function.__code__) if name in space]


def may_raise(code: Any) -> bool:
    """Tell whether code, or a function in it, raises or asserts, also as `self.assertEqual`."""
    from opcode import opmap  # noqa: PLC0415  # few tests need it

    named = any(name.startswith(("assert", "fail")) for name in code.co_names)
    inner = [constant for constant in code.co_consts if kind_of(constant) is _CODE]
    raises = opmap["RAISE_VARARGS"] in code.co_code[::2]
    return named or raises or any(map(may_raise, inner))


_CODE: Any = kind_of(names_in.__code__)


def shows_content(value: Any, name: Any) -> bool:
    """Tell whether an attribute or text of an object shows what is kept for a call.

    That is what a partial function or a method holds, on its own or within another object.

    Args:
        value: The object of the tests.
        name: Of the attribute, or of the special method that makes the text.
    """
    if name in _PARTS:
        return kind_of(value).__module__ in _KEEPING
    left: list[Any] = [value] if name in _TEXTS else []
    seen: dict[int, Any] = {}
    while left and len(seen) < _MOST:
        one = left.pop()
        kind = kind_of(one)
        if id(one) in seen or number_of(one) is not None or kind.__repr__ is object.__repr__:
            continue
        seen[id(one)] = one
        if kind is FUNCTIONS[1]:  # its text has that of its object
            holder = kind_of(one.__self__)
            shown = holder.__repr__ not in (object.__repr__, type.__repr__)
            if shown or is_a(holder, ProxyMeta):
                return True
        elif kind.__module__ in _KEEPING:
            return True
        elif kind.__module__ != "builtins" or kind.__name__ in _BUILTIN:
            left += gc.get_referents(one)
    return False


_PARTS = ("args", "keywords", "kwds")
_TEXTS = ("__repr__", "__str__", "__format__")
_MOST = 300  # objects that are looked at
_BUILTIN = ("list", "tuple", "dict", "set", "frozenset", "mappingproxy")
_KEEPING = ("functools", "operator", "contextlib", "asyncio.events", "_asyncio")
"""Modules of classes whose objects keep it. A future shows what it calls when it is done."""

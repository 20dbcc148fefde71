"""Notice when the candidate replaces functions or objects that the tests have put somewhere.

Plain data in a container of the tests the candidate may change as it likes. A function of theirs
in one, or an object, may be what decides a test. It changes a container of its own that stands
for theirs, or has the tests' process change what it only calls there.
"""

from __future__ import annotations

import gc
import sys

from .evidence import may_raise, values_named
from .guard import Module, in_class, is_a, kind_of
from .operations import apply_view, replaced_part
from .packages import is_holder, is_installed, is_of_runner, of_tests, vars_of
from .proxy import number_of
from .special_methods import FUNCTIONS
from .type_codecs import CONTAINERS, FIXED, content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from typing import Any

__all__ = ["Replacements"]


class Replacements:
    """Put on record what of the tests the candidate replaces.

    Args:
        record: Records a reason, unless it is "".
        lent: The ids of the objects of this process that the candidate has received.
    """

    def __init__(self, record: Callable[[str], None], lent: Container[int]) -> None:
        self.record = record
        self.lent = lent
        self.changed: list[tuple[Any, Any]] = []  # containers, and functions to be found in them
        self.used: dict[int, tuple[Any, Any]] = {}  # by id: a value, functions it has led to
        self.held: list[Any] = []  # the last containers of the tests with functions in them
        self.before: list[_Held] = []

    def note_change(self, shared: Any, before: Any) -> None:
        """Take note of a change of a container.

        A list is empty while it is sorted: what is lost is looked for when the tests go on.

        Args:
            shared: See `object_table`.
            before: What was in the container.
        """
        self.record(apply_view(shared.value))
        if shared.written is not None:
            functions, objects = _own(shared.written)
            shared.own, shared.written = (functions, objects or shared.own[1]), None
        if shared.own[0]:
            self.changed.append((shared.value, shared.own[0]))
        if any(shared.own):
            self.record(self._brought(_parts(before), shared.known))

    def note_attribute(self, value: Any, name: Any, *new: Any) -> None:
        """Take note that an attribute is set, or deleted."""
        before = (getattr(value, "__dict__", {}).get(name),)
        functions, objects = _own(before)
        self.record(replaced_part(value, name, *new) or _lost(functions, new))
        if objects:
            self.record(self._brought(_parts(before), new))

    def note_use(self, operation: str, value: Any, name: Any = None) -> None:
        """Take note that the candidate uses a function or object of the tests, before it does.

        Args:
            operation: What it does with it.
            value: The function or object.
            name: Of the special method or attribute, if it uses one.
        """
        if operation not in _USES:
            return
        if (operation == "call" or name == "__call__") and is_of_runner(value):
            self.record("the code called a function of the runner of the tests")
        if id(value) not in self.used:
            if not self.used:
                self.before = [_Held(one) for one in self.held]
            functions, containers = _reached(value)
            self.used[id(value)] = (value, functions)
            for one in containers:
                if all(one is not known for known in self.held) and any(_own(content(one), _LARGE)):
                    self.held = [*self.held[-_HELD:], one]  # large or not, from now on
                    self.before.append(_Held(one))

    def note_lost(self) -> None:
        """Take note of what is no more where it was, now that the tests go on."""
        for container, functions in self.changed:
            self.record(_lost(functions, content(container)))
        del self.changed[:]
        for value, functions in self.used.values():
            if _leads_no_more(value, functions):
                self.record(_TAKEN)
        for held in self.before:
            now = content(held.container)
            self.record(_lost(held.functions, now))
            self.record(self._brought(held.parts, now))
        self.used.clear()
        self.before.clear()

    def _brought(self, before: list[Any], now: Any) -> str:
        known = {id(one) for one in before}
        new = [one for one in _parts(now) if id(one) not in known and id(one) not in self.lent]
        if any(number_of(one) is not None or callable(one) for one in new):
            return "the code put an object of its own beside those of the tests in a container"
        return ""


class _Held:
    """Record what is in a container of the tests when the candidate begins to use what has it.

    Args:
        container: The container.
    """

    def __init__(self, container: Any) -> None:
        items = content(container)
        self.container = container
        self.parts = _parts(items)
        self.functions = _own(items)[0]


def _own(items: Any, large: int = sys.maxsize) -> tuple[tuple[Any, ...], bool]:
    """Return the functions and classes of this process among items, and whether objects are.

    Classes of libraries count as data: a `defaultdict` has one.
    """
    own = [one for one in _parts(items, large) if number_of(one) is None]
    own = [one for one in own if not is_a(one, type) or of_tests(one)]
    functions = tuple([one for one in own if callable(one)])
    return functions, len(functions) < len(own)


def _lost(functions: Any, now: Any) -> str:
    there = {id(one) for one in _parts(now)} if functions else ()
    if all(id(one) in there for one in functions):
        return ""
    return _TAKEN


_TAKEN = "the code took a function of the tests out of a container of theirs"
_HELD = 32  # containers
_USES = ("call", "special", "set", "delete", "list", "item", "poll")
_MOST = 300  # objects that are looked at, each time when the candidate uses one
_LARGE = 100
"""The items of a container beyond which it is left out: where there are functions, there are few.

One that had few, and was filled by the candidate, has lost them.
"""


def _parts(items: Any, large: int = sys.maxsize) -> list[Any]:
    """Return what is no data in the content of a container, and of those within it.

    That is what can be called, the candidate's objects, and those of classes of the tests.

    Args:
        items: The content.
        large: The items of a container within it beyond which it is left out.
    """
    found: list[Any] = []
    left: list[Any] = [items]
    seen: set[int] = set()
    containers = (tuple, frozenset, *CONTAINERS)
    while left:
        parts = left.pop()
        if kind_of(parts) is bytes or len(parts) > large or _DATA.issuperset(map(type, parts)):
            continue
        for one in parts:
            kind = kind_of(one)
            if kind in _DATA or id(one) in seen:
                continue
            seen.add(id(one))
            if kind is list:  # the most frequent
                left.append(one)
                continue
            far = number_of(one) is not None
            if not far and is_a(one, containers):
                base = next((base for base in (tuple, frozenset) if is_a(one, base)), None)
                left.append(content(one) if base is None else FIXED[base](one))
            if far or callable(one) or of_tests(kind):
                found.append(one)
    return found


_DATA = frozenset({int, float, complex, str, bytes, bytearray, bool, kind_of(None), range, slice})


def _reached(value: Any) -> tuple[list[Any], list[Any]]:
    """Return the functions of the tests that a value leads to, and the containers.

    Args:
        value: What the candidate is about to use: a function, a method, an object or a class.
    """
    functions: list[Any] = []
    containers: list[Any] = []
    for count, one in enumerate(_walk(value)):
        if count > _MOST:
            break
        if _is_container(one):
            containers.append(one)
        elif one is not value and _is_function(one):
            functions.append(one)
    return functions, containers


def _leads_no_more(value: Any, functions: Iterable[Any]) -> bool:
    """Tell whether a value does not lead to one of these functions any more."""
    left = {id(one) for one in functions}
    walk = _walk(value) if left else iter(())
    while left:
        one = next(walk, left)
        if one is left:
            return True
        left.discard(id(one))
    return False


def _is_container(value: Any) -> bool:
    return is_a(value, tuple(CONTAINERS)) and not is_a(value, bytearray)


def _is_function(value: Any) -> bool:
    """Tell whether a value is a function of this process, or a class that the tests define."""
    return of_tests(value) if is_a(value, type) else callable(value)


def _walk(value: Any) -> Iterator[Any]:
    """Yield a value and what it leads to, nearest first, without data and the candidate's objects.

    What a function names it leads to, but not what functions name that it leads to.
    """
    seen: set[int] = set()
    level = [value]
    if kind_of(value) is FUNCTIONS[1]:
        level.append(value.__func__)
    level += [part for one in level if kind_of(one) is FUNCTIONS[0] for part in values_named(one)]
    while level:
        found: list[Any] = []
        for one in level:
            if kind_of(one) in _DATA or id(one) in seen or number_of(one) is not None:
                continue
            seen.add(id(one))
            if _is_container(one) and len(one) > _LARGE:
                continue
            yield one
            found += _led_to(one)
        level = found


def _led_to(value: Any) -> Iterable[Any]:
    """Return what a value holds, as far as it is of the tests or of a class made for holding."""
    kind = kind_of(value)
    if is_a(value, type):
        return vars_of(value).values() if of_tests(value) else ()
    if kind is FUNCTIONS[0]:
        named: dict[str, Any] = value.__kwdefaults__ or {}
        return (*(value.__closure__ or ()), *(value.__defaults__ or ()), *named.values())
    if kind.__name__ == "ContextVar":  # its value is in the context
        return (value.get(None),)
    facts: Any = getattr(value, "__dict__", None)
    names: dict[Any, Any] = facts if kind_of(facts) is dict else {}
    if _is_container(value) or kind in (tuple, frozenset):
        parts: Any = value if kind in (tuple, frozenset) else content(value)
        return (*names.values(), *(() if _DATA.issuperset(map(type, parts)) else parts))
    if in_class(kind, "assertEqual"):  # what a test case has beside is of the runner
        return [part for name, part in names.items() if str(name)[:1] != "_"]
    if not is_holder(kind):
        return ()
    referents = [one for one in gc.get_referents(value) if one is not facts]
    return (*names.values(), *(one for one in referents if not _is_plain_body(one, value)))


def _is_plain_body(value: Any, generator: Any) -> bool:
    """Tell whether a value is the function of a generator, and decides nothing when it runs.

    It goes when the generator ends. It neither raises nor uses what is of the tests but data.
    """
    if kind_of(generator) is not _GENERATOR or kind_of(value) is not FUNCTIONS[0]:
        return False
    cells = [one for cell in value.__closure__ or () for one in gc.get_referents(cell)]
    own = str(value.__module__)
    used = [one for one in (*values_named(value), *cells) if not is_installed(one, own)]
    code = value.__code__
    decides = any(is_a(one, Module) for one in used) or any(_own(used)) or may_raise(code)
    return code is generator.gi_code and not decides


_GENERATOR: Any = kind_of(one for one in "")

"""Notice when the candidate replaces functions or objects that the tests have put somewhere.

Plain data in a container of the tests the candidate may change as it likes. A function of theirs
in one, or an object, may be what decides a test.
"""

from __future__ import annotations

from .guard import is_a, kind_of
from .operations import apply_view, of_tests, replaced_part
from .proxy import number_of
from .type_codecs import CONTAINERS, FIXED, content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container
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
            self.record(self._brought(before, shared.known))

    def note_attribute(self, value: Any, name: Any, *new: Any) -> None:
        """Take note that an attribute is set, or deleted."""
        before = (getattr(value, "__dict__", {}).get(name),)
        functions, objects = _own(before)
        self.record(replaced_part(value, name) or _lost(functions, new))
        if objects:
            self.record(self._brought(before, new))

    def note_lost(self) -> None:
        """Take note of what is no more in the containers that have changed."""
        for container, functions in self.changed:
            self.record(_lost(functions, content(container)))
        del self.changed[:]

    def _brought(self, before: Any, now: Any) -> str:
        known = {id(one) for one in _parts(before)}
        new = [one for one in _parts(now) if id(one) not in known and id(one) not in self.lent]
        if any(number_of(one) is not None or callable(one) for one in new):
            return "the code put an object of its own beside those of the tests in a container"
        return ""


def _own(items: Any) -> tuple[tuple[Any, ...], bool]:
    """Return the functions and classes of this process among items, and whether objects are.

    Classes of libraries count as data: a `defaultdict` has one.
    """
    own = [one for one in _parts(items) if number_of(one) is None]
    own = [one for one in own if not is_a(one, type) or of_tests(one)]
    functions = tuple([one for one in own if callable(one)])
    return functions, len(functions) < len(own)


def _lost(functions: Any, now: Any) -> str:
    there = {id(one) for one in _parts(now)} if functions else ()
    if all(id(one) in there for one in functions):
        return ""
    return "the code took a function of the tests out of a container of theirs"


def _parts(items: Any) -> list[Any]:
    """Return what is no data in the content of a container, and of those within it.

    That is what can be called, the candidate's objects, and those of classes of the tests.
    """
    found: list[Any] = []
    left: list[Any] = [items]
    seen: set[int] = set()
    containers = (tuple, frozenset, *CONTAINERS)
    while left:
        parts = left.pop()
        if kind_of(parts) is bytes or _DATA.issuperset(map(type, parts)):
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


_DATA = frozenset({int, float, complex, str, bytes, bytearray, bool, kind_of(None)})

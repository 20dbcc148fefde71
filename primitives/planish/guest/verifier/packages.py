"""Find the packages that a process has imported, and what is a library's, or of the tests."""

from __future__ import annotations

import builtins
import sys

from . import link
from .guard import Module, class_name, in_class, is_a, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "disguise_of",
    "imported_as",
    "is_fixed",
    "is_holder",
    "is_installed",
    "is_loaded",
    "is_of_library",
    "is_of_python",
    "is_of_runner",
    "is_of_task",
    "new_packages",
    "of_tests",
    "outcome_class",
    "reported_class",
    "vars_of",
]

_DISGUISED = "#class"
_FOLDERS = ("/site-packages/", "/dist-packages/")
_loaded_ahead = frozenset(sys.modules)  # for all programs
_last: list[str | None] = [next(reversed(sys.modules), None)]


def new_packages() -> tuple[str, ...]:
    """Return the names of the packages imported since the last call, sorted.

    Modules are in the order of their import. Those that were there are not touched: after a fork
    to do so would copy a page for each of them.
    """
    newest = next(reversed(sys.modules), None)
    if newest == _last[0]:
        return ()
    found: set[str] = set()
    for name in [*_newer_than(_last[0])]:
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None) if is_a(module, Module) else None
        if isinstance(file, str) and any(folder in file for folder in _FOLDERS):
            found.add(name.partition(".")[0])
    _last[0] = newest
    return tuple(sorted(found))


def is_loaded(value: Any) -> bool:
    """Tell whether a value is a module that was imported, not made as an object, nor the task's."""
    if not is_a(value, Module):
        return False
    name: Any = Module.__dict__["__dict__"].__get__(value).get("__name__")
    return type(name) is str and name not in link.TASKS and sys.modules.get(name) is value


def is_of_library(value: Any, own: str) -> bool:
    """Tell whether a value is a module, or a class or function that a module has by its name.

    Args:
        value: The value.
        own: The module that does not count.
    """
    if is_a(value, Module):
        title = Module.__dict__["__dict__"].__get__(value).get("__name__")
        return title not in (own, "__main__") and sys.modules.get(title) is value
    title = getattr(value, "__name__", None)
    # Of a method, as `random.random` is one, the module of its class may have it.
    owner: Any = kind_of(getattr(value, "__self__", None))
    for place in (value, owner):
        module = sys.modules.get(str(getattr(place, "__module__", None)))
        if module is None or getattr(module, "__name__", None) in (own, "__main__"):
            continue
        if isinstance(title, str) and vars(module).get(title) is value:
            return True
    return False


def is_installed(value: Any, own: str) -> bool:
    """Tell whether a value is of a library as `is_of_library` says, and not of the task or tests.

    Args:
        value: The value.
        own: The module that does not count.
    """
    name = getattr(value, "__name__" if is_a(value, Module) else "__module__", None)
    return is_of_library(value, own) and not is_of_task(str(name))


def is_of_python(kind: Any) -> bool:
    """Tell whether a class is one of Python's own exceptions or of pytest's outcomes.

    What its module says is no proof: pytest's say "builtins", and so may the candidate's.
    """
    name = class_name(kind)
    return getattr(builtins, name, None) is kind or outcome_class(name) is kind


def outcome_class(name: str) -> Any:
    """Return pytest's class of a skip or failure, where pytest is loaded; None for other names.

    Both processes have it, so that pytest and tests take for one what the candidate raises.
    """
    if name not in ("Skipped", "Failed") or "_pytest.outcomes" not in sys.modules:
        return None
    return getattr(sys.modules["_pytest.outcomes"], name)


def of_tests(kind: type) -> bool:
    """Tell whether the tests define a class, and it is no test."""
    module = str(type.__dict__["__module__"].__get__(kind))
    known = "." in module or module in sys.stdlib_module_names
    return (not known or is_of_task(module)) and not in_class(kind, "assertEqual")


def is_of_task(module: str) -> bool:
    """Tell whether a module is one of the tests or of the task."""
    return module == "__main__" or module in link.TESTS or module in link.TASKS


def imported_as(source: str) -> dict[str, Any]:
    """Return what each name is that a file's statements `import a as b` give, by their text."""
    import ast  # noqa: PLC0415  # pytest has loaded it

    found: dict[str, Any] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update((a.asname, sys.modules.get(a.name)) for a in node.names if a.asname)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            facts = _facts(sys.modules.get(str(node.module)))
            found.update((a.asname, facts.get(a.name)) for a in node.names if a.asname)
    return found


def is_of_runner(value: Any) -> bool:
    """Tell whether a value is a function by which tests are run, or what they look at is patched.

    It would do for the candidate what only the tests may do: set any name of any module.
    """
    function = getattr(value, "__func__", value)
    if kind_of(function) is not kind_of(kind_of):
        return False
    module, title = str(function.__module__), function.__qualname__
    return module.startswith(_RUNNERS) or (
        module == "unittest.mock" and title.startswith(("patch", "_patch"))
    )


_RUNNERS = (
    *("unittest.case", "unittest.suite", "pluggy", "_pytest.monkeypatch", "_pytest.fixtures"),
    *("_pytest.nodes", "_pytest.python", "_pytest.config", "_pytest.main", "_pytest.runner"),
)


def is_fixed(kind: type, name: str) -> bool:
    """Tell whether a library's class has a name that its objects do not have as data of their own.

    Data are fields, properties and defaults, of Python's library alone: not what describes or
    tests programs, such as the fields of a dataclass and the calls of a double.
    """
    for base in type.__dict__["__mro__"].__get__(kind):
        names = vars_of(base)
        if name in names:
            module = str(type.__dict__["__module__"].__get__(base)).partition(".")[0]
            found = kind_of(names[name])
            data = hasattr(found, "__set__") or not hasattr(found, "__get__")
            known = module in sys.stdlib_module_names and module not in _OF_PROGRAMS
            return not (data and known) or callable(names[name])
    return False


_OF_PROGRAMS = (
    "unittest",
    "doctest",
    "dataclasses",
    "inspect",
    "typing",
    "enum",
    "functools",
    "types",
)


def _newer_than(last: str | None) -> list[str]:
    names: list[str] = []
    for name in reversed(sys.modules):
        if name == last:
            break
        if name not in _loaded_ahead:
            names.append(name)
    return names


def is_holder(kind: type) -> bool:
    """Tell whether objects of a class are of the tests, or of the library and hold what is theirs.

    Others lead to the runner of the tests, or to what changes by itself.
    """
    module = str(type.__dict__["__module__"].__get__(kind))
    if module in _HOLDERS:
        return class_name(kind) not in ("module", "frame", "code", "traceback")
    return of_tests(kind) and module in sys.modules  # those of the verifier are not


_HOLDERS = (
    *("builtins", "collections", "functools", "operator", "queue", "types", "weakref"),
    *("_collections", "_functools", "_operator", "_queue", "_thread", "itertools"),
)


def vars_of(kind: type) -> Any:
    """Return the class's own dictionary."""
    return type.__dict__["__dict__"].__get__(kind)


def disguise_of(kind: Any) -> Any:
    """Return the class that a proxy reports: that of a library where the remote one is the same."""
    names = vars_of(kind)
    module, title = names.get("__module__"), type.__dict__["__qualname__"].__get__(kind)
    if type(module) is not str or type(title) is not str:
        return kind
    found: Any = sys.modules.get(_PUBLIC.get(module, module))
    if module.partition(".")[0] not in _LIBRARIES or module.startswith(_OWN) or found is None:
        return kind
    for part in title.split("."):
        found = _facts(found).get(part)
        if found is None:
            return kind
    if (
        not is_a(found, type)
        or kind_of(found) is kind_of(kind)
        or issubclass(found, (BaseException, *_VALUES))
    ):
        return kind
    return found


def reported_class(kind: Any) -> Any:
    """Return the class that an object reports, to the caller of its `__getattribute__`.

    That it is a library's is the other side's word. Functions and generators may report so: one
    that behaves like one could be one. What `inspect.isclass` and `unwrap` return does not depend
    on it, as no class that is reported derives from `type`; pytest calls both with every name.
    """
    names = vars_of(kind)
    if _DISGUISED in names and names.get("__module__") == "builtins":
        return names[_DISGUISED]
    found = disguise_of(kind)
    if found is not kind and found.__module__ != "builtins":
        asks = sys._getframe(2).f_code  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        module = sys.modules.get("inspect")
        among = [getattr(module, name, None) for name in ("isclass", "unwrap")]
        if not any(asks is getattr(function, "__code__", None) for function in among):
            link.claimed(found)
    return found


def _facts(place: Any) -> dict[str, Any]:
    if is_a(place, type):
        return dict(vars_of(place))
    if not is_a(place, Module):
        return {}
    facts: dict[str, Any] = Module.__dict__["__dict__"].__get__(place)
    return facts


_LIBRARIES = sys.stdlib_module_names | {"numpy", "pandas"}
_OWN = ("unittest", "doctest", "test")
_VALUES = (int, float, complex, str, bytes, tuple, list, dict, set, frozenset, bytearray, type)
_PUBLIC = {"_io": "io", "_collections": "collections", "_functools": "functools"}

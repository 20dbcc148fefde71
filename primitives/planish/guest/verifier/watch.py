"""Notice when the process that judges runs code that may be the candidate's.

planish itself never runs, imports or unpickles anything of the candidate's in this process. The
user's tests can: `exec(f())`, `pickle.loads(f())`, `import_module(name)`. An audit hook sees it,
and the verdict then says that the candidate was not kept apart.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType
    from typing import Any

__all__ = ["expect", "watch"]

_IMPORT = "<frozen importlib"  # what the file names of the import system begin with
_REWRITER = "/_pytest/assertion/rewrite.py"  # pytest's own, for plugins and what is named test_
_MARKS = "/_pytest/skipping.py"  # evaluates their conditions, where these are texts
_WITHOUT_FILE = ("BuiltinImporter", "FrozenImporter")  # those of its loaders that read no file
# Of trusted libraries, those that run text which they made of checked names, or of the tests'.
_MAKERS = (
    *("/collections/__init__.py", "/unittest/mock.py", "/_pytest/", "/attr/", "/numpy/"),
    *("/pandas/", "/scipy/", "/hypothesis/", "/enum.py", "/ast.py"),
)
_frame: Any = getattr(sys, "_getframe")  # noqa: B009  # the one way to it, if private by name
_expected: dict[int, Any] = {}
_texts: list[str] = []  # of the tests


def expect(code: CodeType) -> CodeType:
    """Take note of code that is about to be run here on purpose; gives it back."""
    _expected[id(code)] = code
    return code


def watch(weakened: Callable[[str], None], tests: Iterable[str]) -> None:
    """Report, from now on, what may run the candidate's code in this process.

    Args:
        weakened: Called with a sentence.
        tests: Their texts.
    """
    _texts[:] = tests
    places = (*sys.path, sys.base_prefix, sys.prefix)
    trusted = tuple({f"{place.rstrip('/')}/" for place in places if place[:1] == "/"})
    # Known by the object: a file of the candidate's can have any name.
    loader = getattr(__import__, "__self__").load.__code__  # noqa: B009  # a Bundle's, in main.py
    busy: list[bool] = []

    def hook(event: str, args: Any) -> None:
        check = _CHECKS.get(event)
        if check is None or busy:
            return
        busy.append(True)
        try:
            frame = _frame(1)
            if frame is not None and frame.f_code is loader:
                return
            why = check(args, trusted, frame)
            if why:
                weakened(f"the tests ran what may be the candidate's code: {why}")
        finally:
            busy.clear()

    sys.addaudithook(hook)


def _inside(file: str, trusted: tuple[str, ...]) -> bool:
    """Tell whether a file is in a trusted folder, however the path to it is written."""
    return file.startswith(trusted) and "/../" not in file


def _executed(args: Any, trusted: tuple[str, ...], frame: Any) -> str:
    code = args[0]
    file = getattr(code, "co_filename", "")
    if id(code) in _expected:
        return ""
    caller = frame.f_code.co_filename if frame is not None else ""
    importer = caller.startswith(_IMPORT) or caller.endswith(_REWRITER)
    if importer and _is_installed(frame, trusted):
        return ""
    if _inside(caller, trusted) and not importer:
        if any(maker in caller for maker in _MAKERS):
            unwritten = caller.endswith(_MARKS) and not _is_written(frame)
            return "the condition of a mark" if unwritten else ""
        if caller.endswith("/dataclasses.py") and not _foreign_bases(frame):
            return ""
    return f"exec or eval of {file!r}"


def _is_written(frame: Any) -> bool:
    """Tell whether the condition of a mark, which is evaluated, stands in the text of the tests."""
    condition = frame.f_locals.get("condition")
    text = condition if type(condition) is str else "\0"
    return any(text in source for source in _texts)


def _is_installed(frame: Any, trusted: tuple[str, ...]) -> bool:
    """Tell whether the module that is being imported comes from a trusted folder or from none.

    What its code says of its file is not asked: a compiled file may say anything.
    """
    while frame is not None and "module" not in frame.f_locals:
        frame = frame.f_back
    spec = getattr(frame.f_locals["module"], "__spec__", None) if frame is not None else None
    if spec is None:
        return False
    importers = sys.modules["_frozen_importlib"]
    if any(spec.loader is getattr(importers, name) for name in _WITHOUT_FILE):
        return True
    files = (spec.origin, getattr(spec.loader, "path", spec.origin))
    return all(isinstance(file, str) and _inside(file, trusted) for file in files)


def _foreign_bases(frame: Any) -> bool:
    """Tell whether a dataclass that is being made is of the candidate's, in its bases or names."""
    while frame is not None and frame.f_code.co_name != "_process_class":
        frame = frame.f_back
    if frame is None:
        return True
    from .proxy import ProxyMeta  # noqa: PLC0415  # not where there are no tests

    kind: Any = frame.f_locals.get("cls")
    # A text that is written into code may show something else than what was checked.
    facts: Any = {} if kind is None else type.__dict__["__dict__"].__get__(kind)
    if kind is None or not {str}.issuperset(map(type, facts.get("__annotations__", ()))):
        return True
    return any(issubclass(type(base), ProxyMeta) for base in type.mro(kind))


def _unpickled(args: Any, _trusted: tuple[str, ...], _frame: Any) -> str:
    return f"a pickle that names {args[0]}.{args[1]}"


def _unmarshalled(_args: Any, trusted: tuple[str, ...], frame: Any) -> str:
    caller = frame.f_code.co_filename if frame is not None else ""
    if caller.startswith(_IMPORT):
        return ""
    plugin = _inside(caller, trusted) and caller.endswith(_REWRITER)
    return "" if plugin and _is_installed(frame, trusted) else "marshal.loads"


def _loaded(args: Any, trusted: tuple[str, ...], _frame: Any) -> str:
    name = args[0]
    if not isinstance(name, str) or "/" not in name or _inside(name, trusted):
        return ""
    return f"the library {name!r}"


def _imported(args: Any, trusted: tuple[str, ...], _frame: Any) -> str:
    file = args[1] if len(args) > 1 else None
    return "" if not isinstance(file, str) or _inside(file, trusted) else f"the module {file!r}"


_CHECKS: dict[str, Callable[[Any, tuple[str, ...], Any], str]] = {
    "exec": _executed,
    "pickle.find_class": _unpickled,
    "marshal.loads": _unmarshalled,
    "marshal.load": _unmarshalled,
    "ctypes.dlopen": _loaded,
    "import": _imported,
}

"""Notice when the process that judges runs code that may be the candidate's.

planish itself never runs, imports or unpickles anything of the candidate's in this process. The
user's tests can: `exec(f())`, `pickle.loads(f())`, `import_module(name)`. An audit hook sees it,
and the verdict then says that the candidate was not kept apart.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

__all__ = ["expect", "watch"]

_IMPORT = "<frozen importlib"  # what the file names of the import system begin with
# Of trusted libraries, those that run text which they made of checked names, or of the tests'.
_MAKERS = (
    *("/collections/__init__.py", "/unittest/mock.py", "/_pytest/", "/attr/", "/numpy/"),
    *("/pandas/", "/scipy/", "/hypothesis/", "/enum.py", "/ast.py"),
)
_frame: Any = getattr(sys, "_getframe")  # noqa: B009  # the one way to it, if private by name
_expected: dict[int, Any] = {}


def expect(code: CodeType) -> CodeType:
    """Take note of code that is about to be run here on purpose; gives it back."""
    _expected[id(code)] = code
    return code


def watch(weakened: Callable[[str], None]) -> None:
    """From now on, report what may run the candidate's code in this process.

    Args:
        weakened: Called with a sentence.
    """
    trusted = tuple({f"{place.rstrip('/')}/" for place in sys.path if place[:1] == "/"})
    loader = __import__.__code__.co_filename  # of planish's own modules
    trusted += ("<frozen ", "<planish>", loader, f"{sys.base_prefix}/", f"{sys.prefix}/")
    busy: list[bool] = []

    def hook(event: str, args: Any) -> None:
        check = _CHECKS.get(event)
        if check is None or busy:
            return
        busy.append(True)
        try:
            why = check(args, trusted, _frame(1))
            if why:
                weakened(f"the tests ran what may be the candidate's code: {why}")
        finally:
            busy.clear()

    sys.addaudithook(hook)


def _executed(args: Any, trusted: tuple[str, ...], frame: Any) -> str:
    code = args[0]
    file = getattr(code, "co_filename", "")
    if id(code) in _expected or file.startswith("<planish>"):
        return ""
    caller = frame.f_code.co_filename if frame is not None else ""
    if caller.startswith(_IMPORT):
        return "" if _origin(frame).startswith(trusted) else f"the module {file!r}"
    if caller.startswith(trusted):
        if any(maker in caller for maker in _MAKERS):
            return ""
        if caller.endswith("/dataclasses.py") and not _foreign_bases(frame):
            return ""
    return f"exec or eval of {file!r}"


def _origin(frame: Any) -> str:
    """Where the module comes from that is being imported; its code may say anything of that."""
    while frame is not None and "module" not in frame.f_locals:
        frame = frame.f_back
    spec = getattr(frame.f_locals["module"], "__spec__", None) if frame is not None else None
    origin = getattr(spec, "origin", None)
    return f"<frozen {origin}" if origin in ("frozen", "built-in") else str(origin)


def _foreign_bases(frame: Any) -> bool:
    """Tell whether a dataclass that is being made derives from a class of the candidate's."""
    while frame is not None and frame.f_code.co_name != "_process_class":
        frame = frame.f_back
    if frame is None:
        return True
    kind = frame.f_locals.get("cls")
    return any(type(base) is not type for base in type.mro(kind)) if kind is not None else True


def _unpickled(args: Any, _trusted: tuple[str, ...], _frame: Any) -> str:
    return f"a pickle that names {args[0]}.{args[1]}"


def _unmarshalled(_args: Any, trusted: tuple[str, ...], frame: Any) -> str:
    caller = frame.f_code.co_filename if frame is not None else ""
    return "" if caller.startswith((_IMPORT, trusted[-3])) else "marshal.loads"


def _loaded(args: Any, trusted: tuple[str, ...], _frame: Any) -> str:
    name = args[0]
    if name is None or not isinstance(name, str) or "/" not in name or name.startswith(trusted):
        return ""
    return f"the library {name!r}"


def _imported(args: Any, trusted: tuple[str, ...], _frame: Any) -> str:
    file = args[1] if len(args) > 1 else None
    return "" if not isinstance(file, str) or file.startswith(trusted) else f"the module {file!r}"


_CHECKS: dict[str, Callable[[Any, tuple[str, ...], Any], str]] = {
    "exec": _executed,
    "pickle.find_class": _unpickled,
    "marshal.loads": _unmarshalled,
    "marshal.load": _unmarshalled,
    "ctypes.dlopen": _loaded,
    "import": _imported,
}

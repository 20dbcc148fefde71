"""Let tests import the candidate, which runs in the other process, as a module."""

from __future__ import annotations

from . import link
from .guard import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

__all__ = ["Finder"]


class Finder:
    """Find the candidate's modules, and those packages that lead to them.

    Args:
        name: The candidate's module, with dots where it is in a package.
        bring: Imports a module in the other process, and returns a proxy of it.
    """

    def __init__(self, name: str, bring: Callable[[str], Any]) -> None:
        self.name = name
        self.bring = bring

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> Any:
        """Return the spec of one of the candidate's modules; None for any other."""
        if name != self.name and not self.name.startswith(name + "."):
            return None
        from importlib.machinery import ModuleSpec  # noqa: PLC0415

        loader: Any = self
        return ModuleSpec(name, loader, is_package=name != self.name)

    def create_module(self, spec: Any) -> ModuleType:
        """Make a module that requests its content from the other process."""
        return _Served(spec.name)

    def exec_module(self, module: Any) -> None:
        """Have the other process import the module."""
        _own_names(module)["#"] = self.bring(module.__name__)


_dict: Any = dict
_ABSENT = object()
_SPECIAL = ("__all__", "__file__", "__version__")
"""Names with underscores that a module of the other process has for this one."""


class _Names(_dict):  # type: ignore[misc]
    """Map the names of a remote module, each requested when it is read.

    Test doubles look here for what they replace and later put back.
    """

    def __init__(self, module: Any, own: Any) -> None:
        _dict.__init__(self, own)
        self.module = module

    def __getitem__(self, name: str) -> Any:
        own: Any = _dict.get(self, name, _ABSENT)
        return self.__missing__(name) if own is _ABSENT else own

    def __missing__(self, name: str) -> Any:
        try:
            return getattr(self.module, name)
        except AttributeError:
            raise KeyError(name) from None

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401  # a name may be far

    def __contains__(self, name: object) -> bool:
        return _dict.__contains__(self, name) or (
            isinstance(name, str) and hasattr(self.module, name)
        )

    def __iter__(self) -> Any:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def keys(self) -> Any:
        far = [name for name in dir(self.module) if name[:2] != "__" or name in _SPECIAL]
        return dict.fromkeys([*_dict.keys(self), *far]).keys()

    def values(self) -> Any:
        return [self[name] for name in self.keys()]

    def items(self) -> Any:
        return [(name, self[name]) for name in self.keys()]


_own_names: Any = Module.__dict__["__dict__"].__get__


class _Served(Module):  # type: ignore[misc]
    """Represent a module of the other process."""

    __served__ = True

    @property
    def __dict__(self) -> Any:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the names that the proxy and the remote module have."""
        own = _own_names(self)
        return _Names(self, {k: v for k, v in own.items() if k != "#"})

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__" and name not in _SPECIAL:
            raise AttributeError(name)
        return link.ask("get", _own_names(self)["#"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name[:2] == "__" or isinstance(value, _Served):
            Module.__setattr__(self, name, value)
        else:
            link.ask("set", _own_names(self)["#"], name, value)

    def __delattr__(self, name: str) -> None:
        link.ask("delete", _own_names(self)["#"], name)

    def __dir__(self) -> Any:
        return link.ask("dir", _own_names(self)["#"])

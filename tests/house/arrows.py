"""Read every import of a source tree, wherever it stands: also in functions, also for types."""

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PACKAGES", "ROOT", "Arrow", "Tree"]

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (ROOT / "primitives" / "planish", ROOT / "integrations" / "planish_integrations")

_LOADERS = ("import_module", "__import__")


@dataclass(frozen=True, slots=True)
class Arrow:
    """One import of one name.

    Attributes:
        source: The module that imports: "planish.runtime.primitive".
        target: The module imported from: "planish.errors".
        name: What is imported from it; empty for `import target`.
        where: File and line, for a reader to go to.
    """

    source: str
    target: str
    name: str
    where: str

    def __str__(self) -> str:
        name = f".{self.name}" if self.name else ""
        return f"{self.where}: {self.source} imports {self.target}{name}"

    @property
    def package(self) -> str:
        """The first part of the target."""
        return self.target.partition(".")[0]

    @property
    def stdlib(self) -> bool:
        """It comes with Python."""
        return self.package in sys.stdlib_module_names


class Tree:
    """The modules of some packages.

    Args:
        packages: Their folders; what each stands in would be on `sys.path`.
    """

    def __init__(self, *packages: Path) -> None:
        self.files = {
            _module(path.relative_to(package.parent)): path
            for package in packages
            for path in sorted(package.rglob("*.py"))
        }

    def arrows(self) -> Iterator[Arrow]:
        """Every import of every module."""
        for module, path in self.files.items():
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                for target, name in self._imports(module, path, node):
                    yield Arrow(module, target, name, f"{path}:{getattr(node, 'lineno', 0)}")

    def _imports(self, module: str, path: Path, node: ast.AST) -> Iterable[tuple[str, str]]:
        match node:
            case ast.Import(names=names):
                return [(alias.name, "") for alias in names]
            case ast.ImportFrom(module=target, names=names, level=level):
                base = _absolute(module, path, target or "", level)
                return [self._from(base, alias.name) for alias in names]
            case ast.Call(func=called, args=[ast.Constant(value=str(target))]):
                spelled = getattr(called, "attr", getattr(called, "id", ""))
                return [(target, "")] if spelled in _LOADERS else []
            case _:
                return []

    def _from(self, base: str, name: str) -> tuple[str, str]:
        """`from planish.data import task` imports a module, not a name of one."""
        inner = f"{base}.{name}"
        return (inner, "") if inner in self.files else (base, name)

    def public(self, module: str) -> frozenset[str] | None:
        """What a module's `__all__` lists; None when it has none or is not of this tree."""
        path = self.files.get(module)
        body = ast.parse(path.read_text(encoding="utf-8")).body if path else []
        for node in body:
            match node:
                case ast.Assign(targets=[ast.Name(id="__all__")], value=listed):
                    return frozenset(ast.literal_eval(listed))
                case _:
                    pass
        return None


def _module(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _absolute(module: str, path: Path, target: str, level: int) -> str:
    if not level:
        return target
    parts = module.split(".")
    here = parts if path.name == "__init__.py" else parts[:-1]
    base = here[: len(here) - (level - 1)]
    return ".".join([*base, target] if target else base)

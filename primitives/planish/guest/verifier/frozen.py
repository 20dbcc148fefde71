"""The user's test files: read once, from the plan, and imported from there.

What lies in the working directory the candidate can change; these texts it cannot.
"""

from __future__ import annotations

import builtins
import sys

from .conditions import asks_candidate
from .guard import PRIVATE, is_a, name_of
from .place import home
from .sources import SOURCES
from .watch import expect

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from types import CodeType, ModuleType
    from typing import Any

__all__ = ["FrozenFiles", "frozen_module"]

_REACHING = frozenset({"__import__", "eval", "exec", "globals", "locals", "vars"})


class FrozenFiles:
    """Finds the modules that the test files are, and compiles them.

    Args:
        files: Their texts, by path relative to the working directory.
    """

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.config: Any = None  # pytest's, once it is there
        self.paths: dict[str, str] = {}
        folders = {""} | {path.rpartition("/")[0] for path in files if _is_test(path)}
        for path, text in files.items():
            if path.endswith(".py"):
                SOURCES[path] = SOURCES[f"{home()}/{path}"] = text
                for folder in folders:
                    self._name(path, folder)

    def _name(self, path: str, folder: str) -> None:
        """Give a file the name under which a test in a folder imports it, and its packages."""
        inner = path[len(folder) + 1 :] if folder else path
        if folder and not path.startswith(folder + "/"):
            return
        parts = inner[:-3].split("/")
        if parts[-1] == "__init__":
            parts.pop()
        name = ".".join(parts)
        self.paths.setdefault(name, path)
        while "." in name:
            name = name.rpartition(".")[0]
            self.paths.setdefault(name, "")  # a package without a file

    def tests(self) -> list[str]:
        """Return the files that pytest is to collect."""
        return [path for path in self.files if _is_test(path)]

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> Any:
        """Return the spec of a module of these files; None for any other."""
        path = self.paths.get(name)
        if path is None:
            return None
        from importlib.machinery import ModuleSpec  # noqa: PLC0415

        loader: Any = self
        package = not path or path.endswith("__init__.py")
        spec = ModuleSpec(name, loader, origin=f"{home()}/{path}", is_package=package)
        spec.has_location = bool(path)
        return spec

    def create_module(self, _spec: Any) -> ModuleType | None:
        """Return None: the import system creates the module as usual."""
        return None

    def exec_module(self, module: Any) -> None:
        """Run the text that was given."""
        path = self.paths[module.__name__]
        if path:
            # Else it gets this module's builtins, whose `__import__` knows the verifier only.
            module.__dict__["__builtins__"] = vars(builtins)
            exec(expect(self._compiled(path)), module.__dict__)  # noqa: S102  # this is the import

    def _compiled(self, path: str) -> CodeType:
        """Compile a file; of tests, with asserts that show what they compared."""
        import ast  # noqa: PLC0415  # pytest has loaded it

        source = self.files[path]
        file = f"{home()}/{path}"
        tree = ast.parse(source, file)
        if self.config is not None and (_is_test(path) or path.endswith("conftest.py")):
            from _pytest.assertion.rewrite import rewrite_asserts  # noqa: PLC0415

            rewrite_asserts(tree, source.encode("utf-8", "replace"), file, self.config)
        code: CodeType = compile(tree, file, "exec", dont_inherit=True, optimize=0)
        return code

    def names_from(self, path: str, module: str) -> set[str]:
        """Return the names that a file imports from a module; "*" for all.

        Args:
            path: Of the file.
            module: The module.
        """
        import ast  # noqa: PLC0415  # pytest has loaded it

        found: set[str] = set()
        for node in ast.walk(ast.parse(self.files[path])):
            if isinstance(node, ast.ImportFrom) and node.module == module:
                found |= {alias.asname or alias.name for alias in node.names}
        return found

    def names_replaced(self, path: str, module: str) -> tuple[set[str], set[str]]:
        """Return the names of Python's or of its own that a file uses as `*` has left them.

        And all names that it uses, also as attributes of the module, if it has that by its name.
        Those of its tests and fixtures pytest uses.

        Args:
            path: Of the file.
            module: The module whose `*` it imports.
        """
        import ast  # noqa: PLC0415  # pytest has loaded it

        tree = ast.parse(self.files[path])
        every = list(ast.walk(tree))
        used = {node.id for node in every if isinstance(node, ast.Name)}
        parts: set[str] = set()
        if any(_has_module(node, module) for node in every):
            parts = {node.attr for node in every if isinstance(node, ast.Attribute)}
        named = {getattr(node, "name", "") for node in every if isinstance(node, ast.stmt)}
        own: set[str] = set()
        replaced: set[str] = set()
        for statement in tree.body:
            nodes = list(ast.walk(statement))
            if any(isinstance(n, ast.ImportFrom) and _is_star(n, module) for n in nodes):
                replaced = own | set(PRIVATE)
            bound = _bound(statement, nodes)
            own |= bound
            replaced -= bound
        called = own & (named | {one for one in own if one[:4] in ("test", "Test")})
        # AssertionError is named in each assert.
        return replaced & (used | called | {"AssertionError"}), used | parts

    def names_at_import(self, path: str) -> set[str]:
        """Return the names that a file uses while it is imported, outside of its functions.

        Args:
            path: Of the file.
        """
        import ast  # noqa: PLC0415  # pytest has loaded it

        found: set[str] = set()
        left: list[ast.AST] = [ast.parse(self.files[path])]
        while left:
            node = left.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                left += [*node.decorator_list, node.args]
                continue
            if isinstance(node, ast.Name):
                found.add(node.id)
            left += ast.iter_child_nodes(node)
        return found

    def skips_itself(self, path: str, error: BaseException, own: set[str]) -> bool:
        """Tell whether a file skips itself by a statement that looks at nothing of the candidate's.

        Args:
            path: Of the file.
            error: The skip that importing it has raised.
            own: The names of the candidate's modules.
        """
        import ast  # noqa: PLC0415  # pytest has loaded it

        line, trace = 0, error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_name == "<module>" and code.co_filename == f"{home()}/{path}":
                line = trace.tb_lineno
            trace = trace.tb_next
        made: set[str] = set()  # without the candidate
        derived = set(_REACHING)
        for statement in ast.parse(self.files[path]).body:
            nodes = list(ast.walk(statement))
            names = {node.id for node in nodes if isinstance(node, ast.Name)}
            uses = bool(names & derived) or self._leads(nodes, own, set())
            if statement.lineno <= line <= (statement.end_lineno or line):
                return not uses and not asks_candidate(nodes)
            bound = _bound(statement, nodes)
            if uses:
                derived |= bound | (names & made)
            elif not isinstance(statement, (ast.Import, ast.ImportFrom)):
                made |= bound
        return False

    def _leads(self, nodes: list[ast.AST], own: set[str], seen: set[str]) -> bool:
        """Tell whether code names a module of the candidate's, or one of the tests that does."""
        import ast  # noqa: PLC0415  # pytest has loaded it

        names: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                names |= {module, *(f"{module}.{alias.name}".strip(".") for alias in node.names)}
            elif isinstance(node, ast.Constant) and type(node.value) is str:
                names.add(node.value)
        if any(f"{name}.".startswith(f"{one}.") for name in names for one in own):
            return True
        files = {self.paths.get(name, "") for name in names} - seen - {""}
        seen |= files
        return any(
            self._leads(list(ast.walk(ast.parse(self.files[path]))), own, seen) for path in files
        )

    def load(self, path: str) -> Any:
        """Import a file.

        Args:
            path: Of the file, relative to the working directory.
        """
        name = next(name for name, known in self.paths.items() if known == path)
        __import__(name)
        return sys.modules[name]


def frozen_module(pytest: Any, plugin: Any) -> Any:
    """Return the collector of a test file that takes the file from the plan."""
    name = plugin.judge.plan["name"]
    own = {name, "solution", *plugin.judge.plan["modules"]}

    class FrozenModule(pytest.Module):  # type: ignore[misc]
        def _getobj(self) -> Any:
            path = str(self.path).removeprefix(home() + "/")
            evidence = plugin.evidence
            calls = evidence.calls
            try:
                found = plugin.frozen.load(path)
            except BaseException as error:
                if name_of(error) in ("Skipped", "SkipTest"):
                    if plugin.frozen.skips_itself(path, error, own):
                        plugin.put("skipped", test=path, message=str(error), untouched=True)
                    else:
                        plugin.put("setup", **plugin.witness.raised(error))
                elif is_a(error, Exception):
                    raise self.CollectError(str(error)) from error
                raise
            plugin.judge.watch_imports()
            plugin.imports = plugin.imports or evidence.calls > calls
            names = plugin.frozen.names_from(path, name)
            if "*" in names:
                names |= {one for one in dir(sys.modules[name]) if one in vars(found)}
                plugin.note_replaced(path, names, found)
            evidence.note_called(found.__dict__)
            evidence.derived |= names
            if evidence.by_names and evidence.derived & plugin.frozen.names_at_import(path):
                plugin.imports = True
            return found

    return FrozenModule


def _is_star(node: ast.ImportFrom, module: str) -> bool:
    return node.module == module and any(alias.name == "*" for alias in node.names)


def _has_module(node: ast.AST, module: str) -> bool:
    """Tell whether syntax imports a module by its name, or has the name as a text."""
    import ast  # noqa: PLC0415  # pytest has loaded it

    package, _, last = module.rpartition(".")
    names = [alias.name for alias in getattr(node, "names", ()) if isinstance(alias, ast.alias)]
    if isinstance(node, ast.ImportFrom):
        return bool(package) and node.module == package and last in names
    return module in names or (isinstance(node, ast.Constant) and node.value == module)


def _bound(statement: ast.stmt, nodes: list[ast.AST]) -> set[str]:
    """Return the names that a statement of a module binds there."""
    import ast  # noqa: PLC0415  # pytest has loaded it

    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if isinstance(statement, definitions):
        return {statement.name}
    stored = {n.name for n in nodes if isinstance(n, definitions)}  # under a condition
    stored |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    imports = [n for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom))]
    aliases = [alias for n in imports for alias in n.names]
    return stored | {alias.asname or alias.name.partition(".")[0] for alias in aliases}


def _is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test") or name.endswith("_test.py"))

"""The public names: all there, sorted, documented, and nothing else."""

import ast
import importlib
import inspect
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest
from tests.house.arrows import PACKAGES, ROOT, Tree
from tests.house.guest import LOWEST

import planish
import planish.data
import planish.feedback
import planish.verification

HOUSE = Tree(*PACKAGES)
# Folders of programs that other interpreters run are not modules of ours to import.
FOREIGN = (*(f"planish.guest.{room}" for room in LOWEST),)
PUBLIC = [
    module
    for module in HOUSE.files
    if not any(part.startswith("_") for part in module.split("."))
    and not module.startswith(FOREIGN)
]


LAZY = [planish, planish.data, planish.feedback, planish.verification]


def homes(package: ModuleType) -> dict[str, str]:
    """The module of each name of a package that loads it when it is first used."""
    found: dict[str, str] | None = vars(package).get("_HOME_OF")
    if found is not None:
        return found
    listed: dict[str, str] = vars(package)["_HOMES"]
    found = {name: module for module, names in listed.items() for name in names.split()}
    return found | dict.fromkeys({*package.__all__} & {*vars(package)} - {*found}, "")


@pytest.mark.parametrize("package", LAZY)
def test_all_is_what_can_be_loaded(package: ModuleType) -> None:
    assert {*package.__all__} - {"__version__"} == {*homes(package)}
    assert dir(package) == sorted(package.__all__)


@pytest.mark.parametrize("package", LAZY)
def test_what_type_checkers_see_is_what_is_loaded(package: ModuleType) -> None:
    source = Path(f"{package.__file__}").read_text(encoding="utf-8")
    seen = {
        name.name: f"{node.module}".removeprefix(f"{package.__name__}.")
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and f"{node.module}".startswith(package.__name__)
        for name in node.names
    }
    assert seen == {name: module for name, module in homes(package).items() if module}


@pytest.mark.parametrize(
    ("package", "modules"),
    [("planish.stop", "planish.stop."), ("planish.events", "planish.data.events")],
)
def test_a_package_has_the_names_of_its_modules(package: str, modules: str) -> None:
    found = [importlib.import_module(name) for name in PUBLIC if name.startswith(modules)]
    names = {name for module in found for name in module.__all__}
    assert names
    assert sorted(names - {*importlib.import_module(package).__all__}) == []


def test_the_kinds_of_tests_are_names_of_the_data() -> None:
    kinds = {kind.__name__ for kind in get_args(planish.data.Tests)}
    assert sorted(kinds - {*planish.data.__all__}) == []


def test_the_top_is_small() -> None:
    assert len(planish.__all__) <= 26


@pytest.mark.parametrize(
    ("name", "place"),
    [("Cases", "data"), ("report_of", "errors"), ("watch", "events"), ("all_of", "judges")],
)
def test_a_name_that_is_elsewhere_says_where(name: str, place: str) -> None:
    with pytest.raises(AttributeError, match=rf"{name!r}; it is in planish\.{place}$"):
        getattr(planish, name)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'Retri'"):
        getattr(planish, "Retri")  # noqa: B009 - type checkers would refuse the plain form


@pytest.mark.parametrize("names", ["Primitive", "Retry", "Task", "CodeGenerator"])
def test_operators_work_whatever_was_loaded_first(names: str) -> None:
    program = f"""
from planish import {names}
from planish import Primitive
class Same(Primitive[int, int]):
    async def _run(self, value):
        return value
print(repr(Same() >> abs >> Same()), type(Same() & Same()).__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "abs" in done.stdout, done.stderr
    assert "Parallel" in done.stdout


def test_every_public_module_lists_its_names_sorted_and_documented() -> None:
    assert len(PUBLIC) > 60  # the walk finds them
    found = {module: list(_wrong(importlib.import_module(module))) for module in PUBLIC}
    assert {module: wrong for module, wrong in found.items() if wrong} == {}


def test_a_module_that_does_not_is_seen() -> None:
    module = ModuleType("it")
    exec("__all__ = ['b', 'a', 'b']\ndef a(): ...\nclass b: ...", vars(module))  # noqa: S102
    assert list(_wrong(module)) == [
        "no docstring",
        "__all__ is not sorted",
        "__all__ names some twice",
        *["b: no docstring", "a: no docstring", "b: no docstring"],
    ]
    del vars(module)["a"], vars(module)["__all__"]
    module.__doc__ = "It."
    assert list(_wrong(module)) == ["no __all__, but ['b']"]
    vars(module)["__all__"] = ["c"]
    assert list(_wrong(module)) == ["c: not defined"]


def test_the_version_is_the_distributions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert planish.__version__ == project["version"]


def test_an_undocumented_class_is_seen() -> None:
    class Bare:
        pass

    assert not _documented("Bare", Bare)
    assert _documented("Task", planish.Task)


def _wrong(module: ModuleType) -> Iterator[str]:
    """What is wrong with the public names of a module, if anything."""
    listed: list[str] = list(getattr(module, "__all__", []))
    if not module.__doc__:
        yield "no docstring"
    if sorted(listed, key=_order) != listed:
        yield "__all__ is not sorted"
    if len(set(listed)) != len(listed):
        yield "__all__ names some twice"
    for name in listed:
        if not hasattr(module, name):
            yield f"{name}: not defined"
        elif not _documented(name, getattr(module, name)):
            yield f"{name}: no docstring"
    here = [name for name in _defined(module) if not name.startswith("_")]
    if here and not listed:
        yield f"no __all__, but {here}"


def _order(name: str) -> tuple[int, str]:
    """Constants, classes, functions; each by name: as ruff sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def _defined(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == module.__name__
    ]


def _documented(name: str, value: object) -> bool:
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return True  # a constant: its docstring stands below it, for readers of the source
    doc = value.__doc__ or ""
    # What `dataclass` writes where there is nothing is no documentation.
    return bool(doc) and not doc.startswith(f"{name}(")

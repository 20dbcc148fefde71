"""All programs of the suite, and the wrong twin of each."""

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module

from tests.honesty.open import OPEN
from tests.honesty.program import Honest, twin
from tests.honesty.themes import arrays, frames, loops

__all__ = ["OPEN", "RIGHT", "WRONG"]

_THEMES = """
records enumerations class_bodies operators containers functions names generators coroutines
raising expected reporting changing sharing numbers patching doubles fixtures pytests
touching unittests scripts library tools systems programs deriving attributes stepwise
"""


def _all() -> Iterable[Honest]:
    for theme in _THEMES.split():
        yield from import_module(f"tests.honesty.themes.{theme}").PROGRAMS
    for program in arrays.PROGRAMS:
        yield replace(program, needs=("numpy",))
    for program in loops.PROGRAMS:
        yield replace(program, needs=("anyio", "trio"))
    for program in frames.PANDAS:
        yield replace(program, needs=("numpy", "pandas"))


RIGHT: dict[str, Honest] = {program.name: program for program in _all()}
WRONG: dict[str, Honest] = {
    name: twin(program) for name, program in RIGHT.items() if program.wrong is not None
}

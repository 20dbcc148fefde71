"""All programs of the suite, and the wrong twin of each."""

from collections.abc import Iterable
from dataclasses import replace

from tests.honesty.open import OPEN
from tests.honesty.program import Honest, twin
from tests.honesty.themes import (
    changing,
    classes,
    errors,
    frames,
    functions,
    generators,
    library,
    numbers,
    operators,
    patching,
    programs,
    pytests,
    unittests,
)

__all__ = ["OPEN", "RIGHT", "WRONG"]


def _all() -> Iterable[Honest]:
    for theme in (classes, operators, functions, generators, errors, changing, numbers):
        yield from theme.PROGRAMS
    for theme in (patching, pytests, unittests, library, programs):
        yield from theme.PROGRAMS
    for program in numbers.NUMPY:
        yield replace(program, needs=("numpy",))
    for program in frames.PANDAS:
        yield replace(program, needs=("numpy", "pandas"))


RIGHT: dict[str, Honest] = {program.name: program for program in _all()}
WRONG: dict[str, Honest] = {
    name: twin(program) for name, program in RIGHT.items() if program.wrong is not None
}

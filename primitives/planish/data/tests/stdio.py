"""`StdioPairs`: tests as runs of a program with its standard input and expected output."""

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from planish.arguments import is_number, require_choice, require_text
from planish.data.record import Record, without_bom
from planish.data.source import bound_names, undefined_names
from planish.data.tests.cases import Tolerance
from planish.data.tests.code import ORIGINS, Origin, parse_tests
from planish.errors import TaskError

__all__ = ["Compare", "Stdio", "StdioPairs"]

Compare = Literal["exact", "tokens", "floats", "lines_any_order"]
"""How the output of a program is compared with the expected one."""

_COMPARES = ("exact", "tokens", "floats", "lines_any_order")
_CHECK_NAME = "check"


@dataclass(frozen=True, slots=True)
class Stdio(Record):
    """Standard input of a program, and its expected standard output.

    Raises:
        TaskError: one of them is not a text.
    """

    stdin: str
    stdout: str
    name: str | None = None

    def __post_init__(self) -> None:
        for name in ("stdin", "stdout"):
            require_text("Stdio", name, getattr(self, name), error=TaskError)
        if self.name is not None:
            require_text("Stdio", "name", self.name, error=TaskError)


@dataclass(frozen=True, slots=True, init=False)
class StdioPairs(Record):
    r"""Runs of the candidate as a program, one for each pair of input and expected output.

    Example:
        >>> pairs = StdioPairs([("1 3\n", "0.333333\n")], compare="floats")
        >>> pairs.pairs[0].stdout
        '0.333333\n'

    Attributes:
        pairs: Input and expected output of each run; pairs of texts become `Stdio`.
        origin: Who wrote them: "user" (the default) or "generated".
        compare: How the output is compared with the expected one. "exact" (the default):
            line by line, without white space at the end of lines and empty lines at the end.
            "tokens": the texts between white space, in order. "floats": tokens, where two
            numbers of which one has a decimal point or an exponent may differ by the
            tolerance. "lines_any_order": the same lines, equally often, in any order, without
            empty lines.
        tolerance: With compare="floats", how far numbers may be from the expected ones, as in
            `Case`; None (the default) for 1e-6, absolute or relative.
        ignore_case: Whether upper and lower case are equal; False by default.
        checker: Instead of a comparison, Python source that defines
            `check(stdin, expected, actual)`. The output is right if it returns True, and wrong
            if it returns False or a text that says what is wrong, or raises. It runs in the
            sandbox, in a separate program that has nothing of the candidate but its output. Of
            a function the source is used; it may use only its own imports, and builtins.
        stop_at_first: Whether to stop after the first pair that does not pass; False by default.
        seconds: Limit for all pairs together; pairs after it are not run. None (the default):
            each pair has the limit of `CodeExecution`.
        seconds_each: Limit for one pair, if it is less than the limit of `CodeExecution`.

    Raises:
        TaskError: there is no pair, a pair does not hold two texts, or an option has another
            value.
    """

    pairs: tuple[Stdio, ...]
    origin: Origin
    compare: Compare
    tolerance: float | Tolerance | None
    ignore_case: bool
    checker: str | None
    stop_at_first: bool
    seconds: float | None
    seconds_each: float | None

    def __init__(
        self,
        pairs: Iterable[Stdio | tuple[str, str]],
        origin: Origin = "user",
        *,
        compare: Compare = "exact",
        tolerance: float | Tolerance | None = None,
        ignore_case: bool = False,
        checker: str | Callable[[str, str, str], Any] | None = None,
        stop_at_first: bool = False,
        seconds: float | None = None,
        seconds_each: float | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "pairs", _pairs_of(pairs))
        put(self, "origin", origin)
        put(self, "compare", compare)
        put(self, "tolerance", tolerance)
        put(self, "ignore_case", ignore_case)
        put(self, "checker", _source_of(checker) if callable(checker) else without_bom(checker))
        put(self, "stop_at_first", stop_at_first)
        put(self, "seconds", seconds)
        put(self, "seconds_each", seconds_each)
        self.__post_init__()

    def __post_init__(self) -> None:
        if not self.pairs:
            raise TaskError("there is no stdin/stdout pair: a task needs at least one")
        require_choice("StdioPairs", "compare", self.compare, _COMPARES, error=TaskError)
        require_choice("StdioPairs", "origin", self.origin, ORIGINS, error=TaskError)
        if self.tolerance is not None:
            Tolerance.of(self.tolerance)
            if self.compare != "floats":
                raise TaskError("StdioPairs(tolerance=...) needs compare='floats'")
        for name in ("seconds", "seconds_each"):
            value: float | None = getattr(self, name)
            if value is not None and not (is_number(value) and 0 < value < math.inf):
                raise TaskError(f"StdioPairs({name}={value!r}): must be more than 0 and finite")
        if self.checker is not None:
            require_text("StdioPairs", "checker", self.checker, error=TaskError)
            self._check_checker(self.checker)

    def _check_checker(self, source: str) -> None:
        if self.compare != "exact" or self.ignore_case:
            raise TaskError("StdioPairs: give either `checker` or options of comparing, not both")
        tree = parse_tests(source, "the checker")
        if _CHECK_NAME not in bound_names(source):
            raise TaskError("the checker does not define check(stdin, expected, actual)")
        functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
        check = next((node for node in functions if node.name == _CHECK_NAME), None)
        arguments = check.args if check is not None else None
        if arguments is not None and not _accepts_three(arguments):
            raise TaskError("the checker's check() must take (stdin, expected, actual)")


def _pairs_of(pairs: Iterable[Stdio | tuple[str, str]]) -> tuple[Stdio, ...]:
    """Return pairs of texts as `Stdio`.

    Raises:
        TaskError: one is not a pair of texts; the message has its index.
    """
    if not isinstance(cast("object", pairs), Iterable) or isinstance(pairs, str | bytes | Mapping):
        raise TaskError(f"StdioPairs({pairs!r:.200}): give a list of (stdin, stdout) pairs")
    stdio: list[Stdio] = []
    for index, pair in enumerate(pairs):
        if isinstance(pair, Stdio):
            stdio.append(pair)
            continue
        if not isinstance(cast("object", pair), tuple | list) or len(pair) != 2:  # noqa: PLR2004
            raise TaskError(
                f"StdioPairs: pair {index} is {pair!r:.200}: a pair is (stdin, stdout), or "
                "Stdio(stdin, stdout, name=...)"
            )
        stdio.append(Stdio(pair[0], pair[1]))
    return tuple(stdio)


def _accepts_three(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    needed = positional - len(arguments.defaults)
    return needed <= 3 and (positional >= 3 or arguments.vararg is not None)  # noqa: PLR2004


def _source_of(function: Callable[[str, str, str], Any]) -> str:
    """Return the source of a function, to run it in a sandbox.

    Raises:
        TaskError: the source cannot be found, or uses names that it does not define.
    """
    advice = "give the checker as source text that defines check(stdin, expected, actual)"
    try:
        source = textwrap.dedent(inspect.getsource(function))
        name: str = function.__name__
        body = ast.parse(source).body
    except (OSError, TypeError, AttributeError, SyntaxError) as error:
        raise TaskError(f"the source of {function!r} cannot be found: {advice}") from error
    if not (len(body) == 1 and isinstance(body[0], ast.FunctionDef) and name == body[0].name):
        raise TaskError(f"{function!r} is not a plain function: {advice}")
    others = sorted(undefined_names(source) - {name})
    if others:
        raise TaskError(
            f"the checker {name}() uses {', '.join(others)}, which it does not define: "
            f"import and define them in it, or {advice}"
        )
    return source if name == _CHECK_NAME else f"{source}\n{_CHECK_NAME} = {name}\n"

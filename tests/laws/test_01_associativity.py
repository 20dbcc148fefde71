"""Law 1: `(a >> b) >> c` is `a >> (b >> c)`, and so for `&` and `|`."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import LAW, TASK, attempt, both_loops
from tests.laws.spans import shape

from planish import Primitive, step
from planish.testing.telemetry import capture

Tree = Any
"""A number for a leaf, or a pair of trees."""


def double(value: int) -> int:
    return 2 * value


async def add_one(value: int) -> int:
    return value + 1


def negate(value: int) -> int:
    return -value


OPERATORS = (">>", "&", "|")
ATOMS = (double, add_one, negate)
WRONG = tuple(attempt([move], name=f"m{move}") for move in (1, 3, 0))
"""None of them passes: which of several wins would depend on the moment."""


@st.composite
def two_ways(draw: st.DrawFn) -> tuple[Sequence[int], Tree, Tree]:
    """Some steps, and two ways to put them in parentheses."""
    count = draw(st.integers(3, 6))
    atoms = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    return atoms, draw(_trees(0, count)), draw(_trees(0, count))


@st.composite
def _trees(draw: st.DrawFn, start: int, end: int) -> Tree:
    if end - start == 1:
        return start
    middle = draw(st.integers(start + 1, end - 1))
    return draw(_trees(start, middle)), draw(_trees(middle, end))


def build(operator: str, steps: Sequence[Primitive[Any, Any]], tree: Tree) -> Primitive[Any, Any]:
    if isinstance(tree, int):
        return steps[tree]
    one, other = (build(operator, steps, branch) for branch in tree)
    match operator:
        case ">>":
            return one >> other
        case "&":
            return one & other
        case _:
            return one | other


def same_both_ways(
    operator: str, steps: Sequence[Primitive[Any, Any]], value: Any, ways: tuple[Tree, Tree]
) -> None:
    pipelines = [build(operator, steps, tree) for tree in ways]
    assert repr(pipelines[0]) == repr(pipelines[1])
    assert pipelines[0] == pipelines[1]
    assert repr(pipelines[0]).replace(f" {operator} ", " ").split() == repr_words(steps)

    async def run() -> list[tuple[Any, Any]]:
        found: list[tuple[Any, Any]] = []
        for pipeline in pipelines:
            with capture() as captured:
                result = await pipeline.run(value)
            found.append((result, shape(captured.spans)))
        return found

    for found in both_loops(run):
        assert found[0] == found[1]


def repr_words(steps: Sequence[Primitive[Any, Any]]) -> list[str]:
    return " ".join(map(repr, steps)).split()


@LAW
@given(two_ways(), st.integers())
def test_then(drawn: tuple[Sequence[int], Tree, Tree], value: int) -> None:
    atoms, *ways = drawn
    same_both_ways(">>", [step(ATOMS[a]) for a in atoms], value, (ways[0], ways[1]))


@LAW
@given(two_ways(), st.integers())
def test_both(drawn: tuple[Sequence[int], Tree, Tree], value: int) -> None:
    atoms, *ways = drawn
    same_both_ways("&", [step(ATOMS[a]) for a in atoms], value, (ways[0], ways[1]))


@LAW
@given(two_ways())
def test_either(drawn: tuple[Sequence[int], Tree, Tree]) -> None:
    atoms, *ways = drawn
    same_both_ways("|", [WRONG[a] for a in atoms], TASK, (ways[0], ways[1]))


def test_each_operator_gives_its_steps_in_their_order() -> None:
    one, other, third = step(double), step(add_one), step(negate)
    assert both_loops(lambda: ((one >> other) >> third).run(3)) == [-7, -7]
    assert both_loops(lambda: (one & (other & third)).run(3)) == [(6, 4, -3), (6, 4, -3)]


def named(name: str) -> Primitive[Any, Any]:
    """A step that takes anything, and prints as the name."""

    def wrap(value: Any) -> Any:
        return (name, value)

    wrap.__name__ = name
    return step(wrap)


NAMES = {name: named(name) for name in ("one", "other", "third")}


@LAW
@given(st.recursive(st.sampled_from(sorted(NAMES)), lambda i: st.tuples(i, i), max_leaves=6))
def test_a_pipeline_prints_as_it_is_written(tree: Any) -> None:
    def written(part: Any, depth: int) -> str:
        if isinstance(part, str):
            return part
        one, other = (written(half, depth + 1) for half in part)
        return f"({one} {OPERATORS[depth % 3]} {other})"

    pipeline = eval(written(tree, 0), dict(NAMES))  # noqa: S307 - of names and operators
    again = eval(repr(pipeline), dict(NAMES))  # noqa: S307
    assert repr(again) == repr(pipeline)
    assert again == pipeline
    assert skeleton(again) == skeleton(pipeline)


def skeleton(part: Primitive[Any, Any]) -> Any:
    """The structure, without what prints it."""
    children = part.children()
    return (type(part).__name__, *map(skeleton, children)) if children else part

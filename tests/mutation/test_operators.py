"""Mutations of one line: which there are, and which parts of a module have none."""

import pytest
from tests.mutation.operators import mutations


def changed(source: str) -> set[tuple[str, str]]:
    return {(one.operator, one.after) for one in mutations(source)}


@pytest.mark.parametrize(
    ("line", "operator", "after"),
    [
        ("a = b < c", "compare", "a = b <= c"),
        ("a = (b) is not (c)", "compare", "a = (b) is (c)"),
        ("a = b and c", "boolean", "a = b or c"),
        ("a = not b", "boolean", "a = (b)"),
        ("a = b - c", "arithmetic", "a = b + c"),
        ("a = 3", "constant", "a = 4"),
        ("a = True", "constant", "a = False"),
        ("a = 'x'", "constant", "a = 'x_'"),
        ("a.b = c", "dropped statement", "pass"),
        ("a(b)", "dropped statement", "pass"),
        ("a += b", "dropped statement", "pass"),
        ("del a[b]", "dropped statement", "pass"),
        ("a = f(b, c)", "swapped arguments", "a = f(c, b)"),
        ("raise a", "removed raise", "pass"),
        ("a = b if c else d", "inverted condition", "a = b if not (c) else d"),
        ("a = [b for b in c if d]", "inverted condition", "a = [b for b in c if not (d)]"),
    ],
)
def test_each_operator_changes_its_line(line: str, operator: str, after: str) -> None:
    assert (operator, after) in changed(line)


def test_a_return_gives_none() -> None:
    source = "def f():\n    return g\n"
    assert changed(source) == {("early return", "return None")}
    assert [(one.line, one.function) for one in mutations(source)] == [(2, 1)]


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring."""',
        '__all__ = ["one"]',
        "a: int | str",
        "def f(a: b | c) -> d | e: ...",
        "if TYPE_CHECKING:\n    import a",
        'T = TypeVar("T")',
        'Json = dict[str, "Json"] | None',
        "@dataclass(slots=True)\nclass A: ...",
        "a = max(b, c)",
        "del a",
        "a = 'utf-8'",
    ],
)
def test_what_has_no_behaviour_is_not_mutated(source: str) -> None:
    assert mutations(source) == []


@pytest.mark.parametrize("value", ["None", "()", "[]", "{}", "''"])
def test_a_return_that_is_falsy_stays_since_none_is_falsy_too(value: str) -> None:
    assert mutations(f"def f():\n    return {value}\n") == []


def test_operands_beyond_ascii_are_kept() -> None:
    assert ("compare", "a = 'é' != 'ü'") in changed("a = 'é' == 'ü'")

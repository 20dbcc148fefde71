"""EvalPlus publishes for some functions how their results are compared: each by its name."""

from typing import Any

import pytest

from planish_integrations.evaluation._evalplus import check_code

# MBPP_OUTPUT_SET_EQ_TASKS and MBPP_OUTPUT_NOT_NONE_TASKS of evalplus/eval/_special_oracle.py
UNORDERED = (
    *("similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly"),
    *("larg_nnum", "intersection_array", "find_dissimilar", "Diff"),
)
MATCHING = ("check_str", "text_match_three", "text_starta_endb")


def accepts(name: str, expected: str, actual: str, *, mbpp: bool = True) -> bool:
    """Whether a function that returns `actual` passes where the published one is `expected`."""
    solution = f"def {name}(x):\n    return {expected}\n"

    def written(_: object) -> Any:
        return eval(actual)  # noqa: S307 - this file's own texts

    names: dict[str, Any] = {name: written}
    code = check_code(name, solution, {"base_input": ["[1]"]}, 0, mbpp=mbpp)
    try:
        exec(code, names)  # noqa: S102 - this file's own texts
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("name", UNORDERED)
def test_results_without_an_order_are_compared_as_sets(name: str) -> None:
    assert accepts(name, "[1, 2]", "(2, 1, 1)")
    assert not accepts(name, "[1, 2]", "[2, 3]")
    assert not accepts(name, "[1, 2]", "[2, 1]", mbpp=False)


@pytest.mark.parametrize("name", MATCHING)
def test_a_match_is_compared_as_true_or_false(name: str) -> None:
    assert accepts(name, "'match'", "True")
    assert accepts(name, "None", "False")
    assert not accepts(name, "'match'", "None")
    assert not accepts(name, "'match'", "True", mbpp=False)


@pytest.mark.parametrize("name", ["f", "similar", "Diff_"])
def test_every_other_result_must_be_equal(name: str) -> None:
    assert accepts(name, "[1, 2]", "[1, 2]")
    assert not accepts(name, "[1, 2]", "[2, 1]")
    assert not accepts(name, "'match'", "True")

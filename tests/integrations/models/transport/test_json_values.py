"""Half a surrogate pair never gets into a text, and no character is lost over a cut."""

from hypothesis import given, settings
from hypothesis import strategies as st

from planish_integrations.models.transport.json_values import SurrogateRepairer, repair_surrogates

HALVES = st.sampled_from(["\ud83d", "\ude00", "a", "é", "😀", "\ud800\udc00"])


def test_a_pair_split_between_two_pieces_is_one_character() -> None:
    repairer = SurrogateRepairer()
    assert repairer.add("a\ud83d") == "a"
    assert repairer.add("\ude00b") == "😀b"
    assert repairer.end() == ""


def test_a_lone_half_is_replaced() -> None:
    assert repair_surrogates("a\ud83db") == "a\ufffdb"
    assert repair_surrogates("\ude00\ud83d") == "\ufffd\ufffd"
    repairer = SurrogateRepairer()
    assert repairer.add("\ud83d") == ""
    assert repairer.end() == "\ufffd"


@settings(deadline=None)  # a loaded machine is no bug
@given(st.lists(st.lists(HALVES).map("".join)))
def test_pieces_repaired_one_by_one_join_to_the_text_repaired_whole(pieces: list[str]) -> None:
    repairer = SurrogateRepairer()
    repaired = "".join([*map(repairer.add, pieces), repairer.end()])
    repaired.encode()
    assert repaired == repair_surrogates("".join(pieces))

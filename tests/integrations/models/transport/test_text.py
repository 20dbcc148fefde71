"""Half a surrogate pair never gets into a text, and no character is lost over a cut."""

from hypothesis import given, settings
from hypothesis import strategies as st

from planish_integrations.models.transport.json_values import SurrogateRepairer, repair_surrogates

HALVES = st.sampled_from(["\ud83d", "\ude00", "a", "é", "😀", "\ud800\udc00"])


def test_a_pair_split_between_two_pieces_is_one_character() -> None:
    mender = SurrogateRepairer()
    assert mender.add("a\ud83d") == "a"
    assert mender.add("\ude00b") == "😀b"
    assert mender.end() == ""


def test_a_lone_half_is_replaced() -> None:
    assert repair_surrogates("a\ud83db") == "a\ufffdb"
    assert repair_surrogates("\ude00\ud83d") == "\ufffd\ufffd"
    mender = SurrogateRepairer()
    assert mender.add("\ud83d") == ""
    assert mender.end() == "\ufffd"


@settings(deadline=None)  # a loaded machine is no bug
@given(st.lists(st.lists(HALVES).map("".join)))
def test_pieces_mended_one_by_one_join_to_the_text_mended_whole(pieces: list[str]) -> None:
    mender = SurrogateRepairer()
    mended = "".join([*map(mender.add, pieces), mender.end()])
    mended.encode()
    assert mended == repair_surrogates("".join(pieces))

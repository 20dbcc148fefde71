"""Tricks joined at random: what each of them leaves does not help another."""

import anyio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.forging.judged import Outcome, judge
from tests.forging.places import TIERS, sandbox_of
from tests.forging.subjects import SUBJECTS
from tests.forging.trick import Trick
from tests.forging.tricks import TRICKS

SUBJECT = "square"
JOINED = [
    trick
    for trick in TRICKS.values()
    if trick.subject == SUBJECT and set(trick.kinds) & {"checks", "cases"}
]


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    some=st.lists(st.sampled_from(JOINED), min_size=2, max_size=4, unique_by=lambda t: t.code),
    place=st.sampled_from(TIERS),
    kind=st.sampled_from(["checks", "script", "cases", "unittest"]),
)
def test_no_candidate_made_of_several_tricks_passes(
    some: list[Trick], place: str, kind: str
) -> None:
    code = "\n".join(trick.candidate for trick in some)

    async def go() -> Outcome:
        async with sandbox_of(place) as sandbox:
            return await judge(sandbox, SUBJECTS[SUBJECT], kind, code, seconds=2.0)

    outcome = anyio.run(go)
    assert not outcome.forged, outcome.why
    assert not (outcome.entered and outcome.separation == "isolated"), outcome.why

"""Every sandbox conforms to its contract, and says what it is and what it guarantees."""

import pytest
from tests.integrations.sandboxes.places import PLACES, Place

from planish.abc import Sandbox
from planish.data.sandbox import GUARANTEES
from planish.testing import check_sandbox
from planish.testing._conformance import ConformanceError


@pytest.mark.anyio
async def test_it_passes_the_conformance_kit(sandbox: Sandbox, place: Place) -> None:
    if place.name != "bwrap_container":
        assert len(await check_sandbox(sandbox, promptly=15.0)) >= 28
        return
    # The stand-in engine has no control groups, so it does not guarantee this limit.
    assert "processes" not in await place.guarantees()
    with pytest.raises(ConformanceError) as caught:
        await check_sandbox(sandbox, promptly=15.0)
    assert set(caught.value.failures) == {"stops at the process limit"}, caught.value.failures


@pytest.mark.anyio
async def test_a_result_names_the_isolation_and_the_guarantees(
    sandbox: Sandbox, place: Place
) -> None:
    stated = await place.guarantees() - place.documented
    assert isinstance(sandbox, Sandbox)
    assert stated <= GUARANTEES.keys()
    assert bool(stated) == (place.name != "unsafe")
    if place.tier is not None:
        assert {"files", "network", "memory_total", "cleanup", "results"} <= stated
        assert ("process_ids" in stated) == (place.tier != "landlock")


def test_each_place_has_a_name_of_its_own() -> None:
    assert len({place.name for place in PLACES}) == len(PLACES)
    assert all(place.name in str(place) for place in PLACES)

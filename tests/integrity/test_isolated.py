"""The verdict is as safe within the walls of the local sandbox."""

import pytest
from tests.integrity.judged import Judged
from tests.integrity.test_tricks import refused
from tests.integrity.tricks import RIGHT, TRICKS, WRONG

from planish import Status

SOME = (
    *("os._exit", "every descriptor written to", "recorder found by gc", "parent killed"),
    *("memory of the parent read", "int equal to all", "fork that reports later"),
)


@pytest.mark.parametrize("kind", ["checks", "cases", "unittest", "pytest"])
def test_right_code_passes_and_wrong_code_does_not(isolated: Judged, kind: str) -> None:
    result = isolated(RIGHT, kind)
    assert (result.status, result.failure) == (Status.SUCCESS, None)
    refused(isolated, WRONG, kind)


@pytest.mark.parametrize("name", SOME)
def test_no_trick_passes(isolated: Judged, name: str) -> None:
    refused(isolated, TRICKS[name].candidate, "checks")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["checks", "cases", "unittest"])
@pytest.mark.parametrize("name", TRICKS)
def test_none_of_all_tricks_passes(isolated: Judged, name: str, kind: str) -> None:
    refused(isolated, TRICKS[name].candidate, kind)

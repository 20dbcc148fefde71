"""The abuse list: nothing gets out, on any tier, for any user; without a sandbox all of it does.

Each case is played twice over: in the sandbox, where nothing may leak, and by a plain subprocess,
where it must, or the case proves nothing. What leaks is told by looking from outside.
"""

from pathlib import Path

import pytest
from tests.integrations.sandboxes.local.abuse.case import Case
from tests.integrations.sandboxes.local.abuse.cases import (
    client,
    collected,
    files,
    holding,
    kernel,
    network,
    processes,
    resources,
)
from tests.integrations.sandboxes.local.abuse.cases import secrets as hidden
from tests.integrations.sandboxes.local.abuse.conftest import Stages
from tests.integrations.sandboxes.local.abuse.users import LEGS

LIST: tuple[Case, ...] = (
    *files.CASES,
    *collected.CASES,
    *hidden.CASES,
    *network.CASES,
    *processes.CASES,
    *kernel.CASES,
    *resources.CASES,
    *holding.CASES,
    *client.CASES,
)
MORE: tuple[Case, ...] = (*files.MORE, *collected.MORE, *resources.MORE, *holding.MORE)
TIERS = ("namespaces", "landlock")


def test_the_list_is_whole() -> None:
    assert sorted(case.number for case in LIST) == list(range(1, 75))


@pytest.mark.one_in(2)  # of four: each on both tiers and on both legs
@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("case", [*LIST, *MORE], ids=str)
def test_nothing_gets_out(stages: Stages, case: Case, tier: str, leg: str) -> None:
    stage = stages(leg, tier, case.number)
    try:
        assert case.play(stage) is None
    finally:
        stage.settle()


@pytest.mark.long
@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("tier", TIERS)
def test_a_thousand_cancelled_runs_leave_nothing(stages: Stages, tier: str, leg: str) -> None:
    stage = stages(leg, tier, 73)
    try:
        assert client.cancelled(stage, 1000) is None
    finally:
        stage.settle()


WRITES = """
from probe import *
for place in ("/tmp", "/var/tmp", "/dev/shm", "/usr", "/etc", HOST["drop"]):
    attempt(place, lambda: open(f"{place}/{HOST['mark']}", "w").close())
"""


@pytest.mark.parametrize("leg", LEGS)
def test_a_control_writes_in_no_folder_that_the_machine_shares(stages: Stages, leg: str) -> None:
    stage = stages(leg, "naive", 5)
    ended = stage.run(WRITES)
    wrote = [
        Path(fact["what"], f"planted-{stage.host.token}") for fact in ended.facts if "got" in fact
    ]
    assert len(wrote) == (6 if leg == "root" else 4)
    assert [path for path in wrote if path.exists()] == [stage.host.drop / wrote[-1].name]
    assert (stage.host.planted() or "").count("planted") == len(wrote)
    assert stage.host.planted() is None


@pytest.mark.one_in(2)  # each on one leg
@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("case", [*LIST, *MORE], ids=str)
def test_without_a_sandbox_it_does(stages: Stages, case: Case, leg: str) -> None:
    stage = stages(leg, "naive", case.number)
    try:
        leak = case.play(stage)
    finally:
        stage.settle()
    if leak is None and case.no_control:
        pytest.skip(f"no control here: {case.no_control}")
    assert leak is not None

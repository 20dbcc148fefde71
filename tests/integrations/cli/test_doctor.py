"""`planish doctor`: what works here, and what is missing for the rest."""

import json
import subprocess
from collections.abc import Callable

import anyio
import pytest

from planish.data.sandbox import GUARANTEES
from planish_integrations.cli.doctor import command
from planish_integrations.local import TierReport, probe

Planish = Callable[..., "subprocess.CompletedProcess[str]"]


def test_it_reports_what_the_probe_finds(planish: Planish) -> None:
    found = anyio.run(probe)
    done = planish("doctor", "--json")
    value = json.loads(done.stdout)
    assert value.keys() == {"error", "exit_status", "works", "tiers"}
    assert (value["error"], value["exit_status"]) == (None, done.returncode)
    tiers = [(t["tier"], t["works"], tuple(t["guarantees"])) for t in value["tiers"]]
    assert tiers == [(r.tier, r.works, tuple(sorted(r.guarantees))) for r in found]
    assert value["works"] is any(r.works for r in found)
    assert done.returncode == (0 if value["works"] else 1)
    for tier in value["tiers"]:
        assert tier["works"] or tier["reason"]


def test_it_prints_tables_for_people(planish: Planish) -> None:
    done = planish("doctor")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["tier", "works"]
    assert [line.split()[0] for line in lines[1:4]] == ["namespaces", "bubblewrap", "landlock"]
    if done.returncode == 0:
        assert all(any(line.startswith(f"{word} ") for line in lines) for word in GUARANTEES)


NONE = [
    TierReport(tier="namespaces", works=False, reason="forbidden", remedy="sysctl -w a=1"),
    TierReport(tier="landlock", works=False, reason="an old kernel"),
]
NONE_WORKS = """\
tier        works
namespaces  no
landlock    no

namespaces: forbidden
  sysctl -w a=1

landlock: an old kernel

No tier works: this machine cannot run untrusted programs.
"""
SOME = [
    TierReport(tier="namespaces", works=False, reason="forbidden", remedy="sysctl -w a=1"),
    TierReport(tier="landlock", works=True, guarantees=("network", "files")),
]


@pytest.fixture
def doctor(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Runs the command here, where tiers are as its first argument says."""

    def run(reports: list[TierReport], *arguments: str) -> tuple[int, str]:
        async def found() -> list[TierReport]:
            return reports

        monkeypatch.setattr("planish_integrations.sandboxes.local.probe", found)
        status: int = command.main([*arguments], "doctor", standalone_mode=False)
        return status, capsys.readouterr().out

    return run


def test_a_machine_where_no_tier_works_is_reported_with_remedies(
    doctor: Callable[..., tuple[int, str]],
) -> None:
    assert doctor(NONE) == (1, NONE_WORKS)
    status, printed = doctor(NONE, "--json")
    value = json.loads(printed)
    assert printed == json.dumps(value, indent=2) + "\n"
    assert (status, value["exit_status"], value["works"]) == (1, 1, False)
    assert value["tiers"][0] == {
        "tier": "namespaces",
        "works": False,
        "guarantees": [],
        "reason": "forbidden",
        "remedy": "sysctl -w a=1",
    }


def test_the_guarantees_are_those_of_the_tiers_that_work(
    doctor: Callable[..., tuple[int, str]],
) -> None:
    status, printed = doctor(SOME)
    lines = printed.splitlines()
    assert (status, lines[:3]) == (0, ["tier        works", "namespaces  no", "landlock    yes"])
    assert lines[4:6] == ["namespaces: forbidden", "  sysctl -w a=1"]
    rows = [line.split(maxsplit=2) for line in lines[7:]]
    assert rows[0] == ["guarantee", "landlock"]
    assert [(word, meaning) for word, _, meaning in rows[1:]] == list(GUARANTEES.items())
    assert {word for word, value, _ in rows[1:] if value == "yes"} == {"network", "files"}
    value = json.loads(doctor(SOME, "--json")[1])
    assert (value["exit_status"], value["works"]) == (0, True)
    assert value["tiers"][1]["guarantees"] == ["files", "network"]


def test_a_usage_error_is_json_too(planish: Planish) -> None:
    done = planish("doctor", "--json", "--nonsense")
    value = json.loads(done.stdout)
    assert (done.returncode, value["exit_status"], value["error"]["kind"]) == (2, 2, "usage")
    assert value["tiers"] == []

"""`planish doctor`: what works here, and what is missing for the rest."""

import json
import subprocess
from collections.abc import Callable

import anyio

from planish.data.sandbox import GUARANTEES
from planish_integrations.local import probe

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


def test_a_usage_error_is_json_too(planish: Planish) -> None:
    done = planish("doctor", "--json", "--nonsense")
    value = json.loads(done.stdout)
    assert (done.returncode, value["exit_status"], value["error"]["kind"]) == (2, 2, "usage")
    assert value["tiers"] == []

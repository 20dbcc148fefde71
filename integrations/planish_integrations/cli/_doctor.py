"""What `planish doctor` finds and prints."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import anyio
import click

from planish.data.sandbox import GUARANTEES
from planish_integrations.cli._output import table
from planish_integrations.sandboxes.local import TierReport, probe

__all__ = ["tell"]


def tell(*, as_json: bool) -> int:
    """Probe every tier and print what was found; gives the exit status."""
    reports = anyio.run(probe)
    works = any(report.works for report in reports)
    status = 0 if works else 1
    if as_json:
        click.echo(json.dumps(_value(reports, works=works, status=status), indent=2))
    else:
        click.echo("\n".join(_lines(reports)))
    return status


def _value(reports: Sequence[TierReport], *, works: bool, status: int) -> dict[str, Any]:
    tiers = [asdict(report) for report in reports]
    for tier in tiers:
        tier["guarantees"] = sorted(tier["guarantees"])
    return {"error": None, "exit_status": status, "works": works, "tiers": tiers}


def _lines(reports: Sequence[TierReport]) -> Iterator[str]:
    """Three parts: which tiers work; how to get the others; what each guarantees."""
    yield table([("tier", "works"), *((r.tier, _word(yes=r.works)) for r in reports)])
    for report in reports:
        if not report.works:
            yield f"\n{report.tier}: {report.reason}"
            if report.remedy:
                yield f"  {report.remedy}"
    working = [report for report in reports if report.works]
    if not working:
        yield "\nNo program that nobody has read can be run on this machine."
        return
    head = ("guarantee", *(r.tier for r in working), "")
    rows = [
        (word, *(_word(yes=word in r.guarantees) for r in working), meaning)
        for word, meaning in GUARANTEES.items()
    ]
    yield f"\n{table([head, *rows])}"


def _word(*, yes: bool) -> str:
    return "yes" if yes else "no"

"""`planish doctor`: report which sandbox tiers work on this machine."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from planish.data.sandbox import GUARANTEES
from planish_integrations.cli._interrupt import loading
from planish_integrations.cli._output import table

if TYPE_CHECKING:
    from planish_integrations.sandboxes.local import TierReport

__all__ = ["command"]


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, errors included.")
def command(*, as_json: bool) -> int:
    """Test every tier of the local sandbox: which work, and what each guarantees.

    Each test runs programs that try to break the isolation. For a tier that does not work, the
    output names the reason and, if there is one, the remedy.

    \b
    Exit status: 0 if at least one tier works, 1 if none does.
    """  # noqa: D301 - \b tells click not to rewrap the next paragraph
    with loading():  # imported here, so that --help is fast
        import anyio  # noqa: PLC0415

        from planish_integrations.sandboxes.local import probe  # noqa: PLC0415

    reports = anyio.run(probe)
    works = any(report.works for report in reports)
    status = 0 if works else 1
    if as_json:
        click.echo(json.dumps(_json_value(reports, works=works, status=status), indent=2))
    else:
        click.echo("\n".join(_lines(reports)))
    return status


def _json_value(reports: "Sequence[TierReport]", *, works: bool, status: int) -> dict[str, Any]:
    tiers = [asdict(report) for report in reports]
    for tier in tiers:
        tier["guarantees"] = sorted(tier["guarantees"])
    return {"error": None, "exit_status": status, "works": works, "tiers": tiers}


def _lines(reports: "Sequence[TierReport]") -> Iterator[str]:
    """Yield three parts: the tiers that work, the remedies for the others, the guarantees."""
    yield table([("tier", "works"), *((r.tier, _yes_or_no(yes=r.works)) for r in reports)])
    for report in reports:
        if not report.works:
            yield f"\n{report.tier}: {report.reason}"
            if report.remedy:
                yield f"  {report.remedy}"
    working = [report for report in reports if report.works]
    if not working:
        yield "\nNo tier works: this machine cannot run untrusted programs."
        return
    head = ("guarantee", *(r.tier for r in working), "")
    rows = [
        (word, *(_yes_or_no(yes=word in r.guarantees) for r in working), meaning)
        for word, meaning in GUARANTEES.items()
    ]
    yield f"\n{table([head, *rows])}"


def _yes_or_no(*, yes: bool) -> str:
    return "yes" if yes else "no"

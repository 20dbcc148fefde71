"""What was left out, said on standard error."""

from collections.abc import Iterable

import click

from planish_integrations.evaluation import Skip, skips_as_json

__all__ = ["say_skips"]


def say_skips(skips: Iterable[Skip]) -> None:
    """Each reason in a line, with how many rows it left out and the first of them."""
    for one in skips_as_json(skips):
        where = f"line {one['line']}" if one["line"] else one["task_id"]
        click.echo(f"planish: {one['rows']} left out, first {where}: {one['reason']}", err=True)

"""`planish doctor`: which isolation works here, and what is missing for the rest."""

import click

from planish_integrations.cli._loading import loading

__all__ = ["command"]


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON, errors too.")
def command(*, as_json: bool) -> int:
    """Try every tier of the local sandbox: what works, what it guarantees, what is missing.

    Each is tried for real, by running something in it that tries to get out.

    \b
    Exit status: 0 one works, 1 none does.
    """  # noqa: D301 - \b is click's word for "do not wrap"
    with loading():
        from planish_integrations.cli._doctor import tell  # noqa: PLC0415 - so that --help is quick

    return tell(as_json=as_json)

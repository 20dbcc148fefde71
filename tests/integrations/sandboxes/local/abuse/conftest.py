"""A host for each user, and a process on it for each tier, started when first needed."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.integrations.sandboxes.local.abuse.driving import Driver
from tests.integrations.sandboxes.local.abuse.host import Host
from tests.integrations.sandboxes.local.abuse.stage import Stage
from tests.integrations.sandboxes.local.abuse.users import Leg, leg_named

Stages = Callable[[str, str, int], Stage]


def _skip_without_controls(host: Host, mode: str) -> None:
    if mode == "naive" and host.why_no_controls:
        pytest.skip(host.why_no_controls)


@pytest.fixture(scope="session")
def stages() -> Iterator[Stages]:
    """The stage for a leg, a mode and a case; skips where the leg cannot be run here."""
    hosts: dict[str, Host | str] = {}
    drivers: dict[tuple[str, str], Driver] = {}
    folders: list[tempfile.TemporaryDirectory[str]] = []

    def host_of(leg: str) -> Host | str:
        folder = tempfile.TemporaryDirectory(prefix="planish-abuse-")
        folders.append(folder)
        root = Path(folder.name)
        root.chmod(0o755)
        library = root / "library"
        library.mkdir(mode=0o755)
        found = leg_named(leg, library)
        return Host(found, root / "host") if isinstance(found, Leg) else found

    def stage_of(leg: str, mode: str, number: int) -> Stage:
        if leg not in hosts:
            hosts[leg] = host_of(leg)
        host = hosts[leg]
        if isinstance(host, str):
            pytest.skip(host)
        _skip_without_controls(host, mode)
        if (leg, mode) not in drivers:
            drivers[leg, mode] = Driver(host, mode)
        return Stage(host, drivers[leg, mode], number)

    yield stage_of
    for driver in drivers.values():
        driver.close()
    for host in hosts.values():
        if isinstance(host, Host):
            host.close()
    for folder in folders:
        folder.cleanup()

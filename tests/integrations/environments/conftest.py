"""A folder of wheels, an index that serves them, and environments on a directory of their own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.environments.index import Index
from tests.integrations.environments.programs import Make
from tests.integrations.environments.wheels import wheelhouse

from planish.testing import FakeClock
from planish_integrations.environments import Environments


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheelhouse(tmp_path_factory.mktemp("a house of wheels"))


@pytest.fixture
def index(wheels: Path) -> Iterator[Index]:
    with Index(wheels) as serving:
        yield serving


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def make(wheels: Path, cache: Path) -> Make:
    """Environments from the folder of wheels, unless told otherwise."""

    def made(*allow: str, **options: Any) -> Environments:
        defaults: dict[str, Any] = {"allow": allow, "directory": cache, "clock": FakeClock()}
        if "index_url" not in options:
            defaults["find_links"] = [wheels]
        return Environments(**{**defaults, **options})

    return made

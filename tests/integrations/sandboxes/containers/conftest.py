"""A container engine that answers and an image with Python, or the reason why there is none."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integrations.sandboxes.containers import bwrap_engine
from tests.integrations.sandboxes.places import engine_with_image

from planish_integrations.containers import ContainerSandbox


@pytest.fixture
def real() -> tuple[str, str]:
    """An engine and an image."""
    found = engine_with_image()
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture
def sandbox(real: tuple[str, str]) -> Iterator[ContainerSandbox]:
    """A sandbox that must leave no container behind."""
    engine, image = real
    yield ContainerSandbox(engine=engine, image=image)
    listed = [engine, "ps", "--all", "--quiet", "--filter", "label=planish"]
    left = subprocess.run(listed, capture_output=True, check=True, timeout=60).stdout
    assert left == b""


@pytest.fixture
def contained(tmp_path: Path) -> Iterator[ContainerSandbox]:
    """A sandbox whose containers bubblewrap makes; none is left behind."""
    if not bwrap_engine.works():
        pytest.skip("bubblewrap is not here, or cannot make namespaces")
    yield ContainerSandbox(engine=bwrap_engine.install(tmp_path), image="none")
    assert [file.name for file in tmp_path.iterdir()] == ["docker"]

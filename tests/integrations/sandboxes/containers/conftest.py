"""A container engine that answers and an image with Python, or the reason why there is none."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.integrations.sandboxes.containers import bwrap_engine

from planish_integrations.containers import ContainerSandbox

NAMED = "PLANISH_CONTAINER_IMAGE"
IMAGES = ("docker.io/library/python:3.11-slim", "docker.io/library/python:3.12-slim")


@cache
def _found() -> tuple[str, str] | str:
    """An engine and an image it has; or why not. Nothing is pulled: tests need no network."""
    why = "neither docker nor podman is on PATH"
    for engine in ("docker", "podman"):
        if shutil.which(engine) is None:
            continue
        if _fails(engine, "info"):
            why = f"{engine} is there but does not answer"
            continue
        wanted = [os.environ[NAMED]] if NAMED in os.environ else IMAGES
        for image in wanted:
            if not _fails(engine, "image", "inspect", image):
                return engine, image
        why = f"{engine} has no image {' or '.join(wanted)}; pull it, or name one with {NAMED}"
    return why


def _fails(*command: str) -> bool:
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    return done.returncode != 0


@pytest.fixture
def real() -> tuple[str, str]:
    """An engine and an image."""
    found = _found()
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

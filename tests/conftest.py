"""What all tests share: both event loops, and the recorded material where it is present."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Benchmarks measure ratios, so they run alone, or say why not; long replays come last.

    What is marked long runs when it is asked for: a smaller version of each always runs.

    A replay keeps all processors busy for minutes, and other tests look at the clock.
    """
    beside = hasattr(config, "workerinput")  # one of several workers of pytest-xdist
    if beside or config.getoption("markexpr") != "benchmark":
        skip = pytest.mark.skip(reason="a benchmark runs alone: pytest -m benchmark")
        for item in items:
            if "benchmark" in item.keywords:
                item.add_marker(skip)
    if "long" not in (config.getoption("markexpr") or ""):
        later = pytest.mark.skip(reason="it takes minutes: pytest -m long")
        for item in items:
            if "long" in item.keywords:
                item.add_marker(later)
    items.sort(key=lambda item: "replay" in item.keywords)


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Every test marked anyio runs on both event loops."""
    name: str = request.param
    return name


@pytest.fixture(autouse=True)
def structlog_as_it_was() -> Iterator[None]:
    """What configures structlog, if only to listen, leaves it configured: no test is to."""
    yield
    structlog.reset_defaults()


@pytest.fixture
def shared_data() -> Callable[[str], Path]:
    """The path of a piece of recorded material; skips the test where it is absent."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"recorded material {name!r} is not beside this checkout")
        return path

    return find

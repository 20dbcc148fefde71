"""What all tests share: both event loops, and the recorded material where it is present."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"


def pytest_configure(config: pytest.Config) -> None:
    """Refuse several workers for tests that run alone: every one of them would be skipped."""
    asked = config.getoption("markexpr")
    if asked in {"benchmark", "clock"} and config.getoption("numprocesses", None):
        raise pytest.UsageError(f"pytest -m {asked} runs alone: without -n")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what runs alone, or on request only, and say why; put long replays last.

    Tests that watch a clock run in a single process, benchmarks where they are asked for by
    `-m benchmark`, and what is marked long by `-m long`: a smaller version of each always runs.

    A replay keeps all processors busy for minutes.
    """
    asked: str = config.getoption("markexpr") or ""
    beside = hasattr(config, "workerinput")  # one of several workers of pytest-xdist
    reasons = {
        "benchmark": "it measures ratios: pytest -m benchmark"
        if beside or asked != "benchmark"
        else None,
        "clock": "it watches a clock, so it runs alone: pytest -m clock" if beside else None,
        "long": "it takes minutes: pytest -m long" if "long" not in asked else None,
    }
    for item in items:
        _check_clock_marks(item)
        for mark, reason in reasons.items():
            if reason is not None and mark in item.keywords:
                item.add_marker(pytest.mark.skip(reason=reason))
    items.sort(key=lambda item: "replay" in item.keywords)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a failed test at once: the summary comes after a quarter of an hour."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ and sys.__stderr__ is not None:
        sys.__stderr__.write(f"\nfailed: {report.nodeid} ({report.when})\n")


def _check_clock_marks(item: pytest.Item) -> None:
    for mark in item.iter_markers("clock"):
        if not mark.kwargs.get("reason"):
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.clock(reason=...) says why")


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

"""What all tests share: both event loops, and the recorded material where it is present."""

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Every test marked anyio runs on both event loops."""
    name: str = request.param
    return name


@pytest.fixture
def shared_data() -> Callable[[str], Path]:
    """The path of a piece of recorded material; skips the test where it is absent."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"recorded material {name!r} is not beside this checkout")
        return path

    return find

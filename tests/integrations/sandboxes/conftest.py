"""A sandbox of each place, and the programs that run there."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count

import pytest
from tests.integrations.sandboxes.places import PLACES, Place
from tests.integrations.sandboxes.processes import marked

from planish.abc import Sandbox
from planish.data.program import Program
from planish.data.sandbox import Guarantee

_NUMBERS = count(1)


@pytest.fixture(params=PLACES, ids=str)
def place(request: pytest.FixtureRequest) -> Place:
    """Each kind and tier of sandbox that works here; skip the others with the reason."""
    wanted: Place = request.param
    reason = wanted.absent()
    if reason:
        pytest.skip(f"{wanted} is not available here: {reason}")
    return wanted


@pytest.fixture
async def sandbox(place: Place) -> AsyncIterator[Sandbox]:
    """A sandbox of that place."""
    async with place.open() as opened:
        yield opened


@pytest.fixture
def python() -> Callable[..., Program]:
    """Make a Python program from its source."""

    def program(source: str | bytes, **fields: object) -> Program:
        content = source if isinstance(source, bytes) else source.encode()
        return Program(main="main.py", **{"files": {"main.py": content}, **fields})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    return program


@pytest.fixture
async def require(place: Place) -> Callable[[Guarantee], None]:
    """Skip a test of a guarantee that the place does not give."""
    known = await place.guarantees()

    def check(guarantee: Guarantee) -> None:
        if guarantee not in known:
            pytest.skip(f"{place} does not guarantee {guarantee}")

    return check


@pytest.fixture
def mark() -> Iterator[str]:
    """A name for processes that are to be gone after the test."""
    name = f"pl{os.getpid()}x{next(_NUMBERS)}"
    yield name
    assert marked(name) == []

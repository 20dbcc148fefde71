"""Both users that a host may be: root, and anybody."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.guest.linux.children import OTHER, attempt, numbered

from planish.guest.linux import calls

_USER_NAMESPACE = calls.CLONE_NEWUSER


@pytest.fixture(params=["root", "anybody"])
def uid(request: pytest.FixtureRequest) -> int | None:
    """None is whoever runs the tests."""
    if os.geteuid() != 0:
        if request.param == "root":
            pytest.skip("not root")
        return None
    return OTHER if request.param == "anybody" else None


@pytest.fixture
def other() -> int | None:
    """A user without rights: another one, if this is root."""
    return OTHER if os.geteuid() == 0 else None


@pytest.fixture
def user_namespaces(other: int | None) -> None:
    """Skips where the kernel has none for users without rights."""
    ended: Any = numbered(lambda: attempt(lambda: calls.unshare(_USER_NAMESPACE)), other)
    if ended.value != "ok":
        pytest.skip(f"no user namespaces here: {ended.value or ended.error}")


@pytest.fixture
def passable() -> Iterator[Path]:
    """A folder that any user may enter; what pytest gives is for one user only."""
    folder = Path(tempfile.mkdtemp(prefix="kernel-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)

"""Files are laid out before, and brought back after, through no link."""

from collections.abc import Callable
from pathlib import Path

import pytest

from planish.data.program import Program
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("nothing_left")]

Python = Callable[..., Program]


async def test_a_run_directory_swapped_for_a_link_leaves_the_host_as_it_was(
    sandbox: UnsafeLocalSandbox, python: Python, tmp_path_factory: pytest.TempPathFactory
) -> None:
    host, elsewhere = tmp_path_factory.mktemp("host"), tmp_path_factory.mktemp("elsewhere")
    (host / "kept").write_text("host")
    host.chmod(0o755)
    source = f"""
import os
root = os.path.dirname(os.getcwd())
os.rename(root, {str(elsewhere / "moved")!r}); os.symlink({str(host)!r}, root)
"""
    assert (await sandbox.run(python(source))).ok
    assert (host / "kept").read_text() == "host"
    assert host.stat().st_mode & 0o777 == 0o755


async def test_arguments_too_long_for_the_system_are_refused(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    with pytest.raises(UnsupportedError, match=r"Program.files or Program.stdin"):
        await sandbox.run(python("pass", args=("x" * 100_000,) * 50))


async def test_a_system_without_space_is_the_sandboxs_trouble(
    python: Python, tmp_path: Path
) -> None:
    sandbox = UnsafeLocalSandbox(directory=tmp_path / "absent")
    with pytest.raises(SandboxError, match="absent"):
        await sandbox.run(python("pass"))

"""Where programs see what they are granted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from planish.data.program import Program
from planish_integrations.local import LocalSandbox, Tier


@pytest.mark.anyio
async def test_what_lies_below_tmp_is_shown_outside_of_it(
    tier: Tier, python: Callable[..., Program], tmp_path: Path
) -> None:
    file = tmp_path / "granted"
    file.write_text("content")
    if not str(file).startswith("/tmp/"):  # noqa: S108  # the rule is about this one
        pytest.skip("temporary files are not in /tmp here")
    shown = file if tier == "landlock" else f"/outside{file}"
    async with LocalSandbox(tier=tier, readable=[file]) as sandbox:
        done = await sandbox.run(python(f"print(open({str(shown)!r}).read())"))
    assert done.stdout == b"content\n", done.stderr

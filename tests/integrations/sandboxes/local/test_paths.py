"""Where programs see what they are granted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from planish.data.program import Program
from planish.guest.protocol import GUEST
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


@pytest.mark.anyio
async def test_no_path_of_ours_is_shown(
    sandbox: LocalSandbox, python: Callable[..., Program]
) -> None:
    source = (
        "import faulthandler, sys\n"
        "faulthandler.dump_traceback()\n"
        "frame = sys._getframe()\n"
        "while frame:\n"
        "    print(frame.f_code.co_filename)\n"
        "    frame = frame.f_back\n"
        "print(open('/proc/self/cmdline').read())\n"
    )
    done = await sandbox.run(python(source))
    assert done.exit_code == 0
    assert b'main.py", line 2 in <module>' in done.stderr
    assert str(GUEST.parent).encode() not in done.stdout + done.stderr

"""What is imported before a program is forked delays every program: it is little."""

import subprocess
import sys

from planish.guest.protocol import GUEST

IMPORTS = """
import os, sys
package = type(sys)("planish_guest")
package.__path__ = [{guest!r}]
sys.modules["planish_guest"] = package
before = {{*sys.modules}}
import {module}
print(*sorted({{*sys.modules}} - before))
"""


def imported(module: str) -> set[str]:
    """What a module imports in an interpreter that has just started."""
    source = IMPORTS.format(module=module, guest=str(GUEST))
    command = [sys.executable, "-I", "-S", "-c", source]
    return {*subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()}


def test_a_plain_supervisor_imports_next_to_nothing_before_it_forks() -> None:
    own = "planish_guest.supervisor"
    assert imported(f"{own}.plain") == {
        *(own, f"{own}.files", f"{own}.frames", f"{own}.plain", f"{own}.program", f"{own}.system"),
    }


def test_no_supervisor_imports_what_is_slow_to_start() -> None:
    slow = {"typing", "signal", "pathlib", "subprocess", "selectors", "ctypes"}
    assert not imported("planish_guest.supervisor.run") & slow

"""Share the host's half of running a program among all sandboxes."""

from ._cancellation import run_to_end
from ._capture import ProgramOutput
from ._completion import SandboxFacts, completed_from, left_out, raise_failure
from ._languages import (
    LANGUAGES,
    HasCommands,
    find_command,
    require_commands,
    require_installed,
    require_pytest,
)
from ._messages import MIB, TOO_LONG, Frames, base_request, safe_main, send_all
from ._slots import cpus, per_loop, slot, turns

__all__ = [
    "LANGUAGES",
    "MIB",
    "TOO_LONG",
    "Frames",
    "HasCommands",
    "ProgramOutput",
    "SandboxFacts",
    "base_request",
    "completed_from",
    "cpus",
    "find_command",
    "left_out",
    "per_loop",
    "raise_failure",
    "require_commands",
    "require_installed",
    "require_pytest",
    "run_to_end",
    "safe_main",
    "send_all",
    "slot",
    "turns",
]

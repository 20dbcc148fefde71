"""Evidence is text, and bounded."""

import re

from planish.guest.protocol import STREAM, TRACEBACK, VALUE, bounded

__all__ = ["STREAM", "TRACEBACK", "VALUE", "bounded", "text"]

# Escape sequences of terminals (ECMA-48: CSI, OSC, and the short ones), then what is left of
# the control characters but for tabs and line ends.
_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)


def text(data: bytes, limit: int) -> str:
    r"""Output as evidence: UTF-8, what is not shown as U+FFFD, bounded.

    Line ends are "\n"; control characters, and escape sequences of terminals whole, are left
    out.

    Args:
        data: What a program wrote.
        limit: Characters to keep; at least 1.
    """
    decoded = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return bounded(_CONTROL.sub("", decoded), limit)

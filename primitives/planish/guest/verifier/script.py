"""A program without tests: it runs as if it had been started by itself."""

from __future__ import annotations

import sys

from .guard import is_a
from .load import load
from .render import strip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .channel import Put
    from .failure import Witness

__all__ = ["run_script"]


def run_script(plan: dict[str, Any], put: Put, witness: Witness) -> None:
    """Run preamble and candidate, and end as Python does.

    Threads are waited for, a traceback goes to standard error, an exit code is passed on.

    Args:
        plan: See `load`.
        put: Where results go.
        witness: Told of what the program raises.
    """
    raised = load(plan)[1]
    if raised is None or is_a(raised, SystemExit):
        put("end")
    else:
        witness.raised(raised)
        put("end")
        trace = strip(raised.__traceback__)
        sys.excepthook(type(raised), raised.with_traceback(trace), trace)
        sys.exit(1)
    if raised is not None:
        raise raised

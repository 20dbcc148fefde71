"""Show progress on standard error."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

__all__ = ["Progress"]

_EVERY = 10.0  # seconds between two lines, if not on a terminal
_REDRAW = 0.1  # seconds between two updates of a terminal's line


class Progress:
    """A line that is redrawn on a terminal; elsewhere a line every 10 s and one at the end.

    Args:
        total: The number of units.
        unit: The name of a unit.
        stream: Where to write; default: standard error.
        now: Returns the time in seconds.
    """

    def __init__(
        self,
        total: int,
        unit: str,
        *,
        stream: TextIO | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total = total
        self._unit = unit
        self._stream = sys.stderr if stream is None else stream
        self._now = now
        self._is_terminal = self._stream.isatty()
        self._begin = self._last_update = now()
        self._done = self._printed = 0
        self._note = ""

    def advance(self, count: int = 1, note: str = "") -> None:
        """Count finished units and update the line if it is due.

        Args:
            count: The number of units that were finished.
            note: More text for the line: "12 solved".
        """
        self._done += count
        self._note = note
        now = self._now()
        if now - self._last_update >= (_REDRAW if self._is_terminal else _EVERY):
            self._last_update = now
            self._show()

    def _show(self) -> None:
        seconds = self._now() - self._begin
        parts = [f"{self._done:,}/{self._total:,} {self._unit}", self._note, f"{seconds:.0f} s"]
        line = ", ".join(part for part in parts if part)
        self._printed = self._done
        self._stream.write(f"\r\033[K{line}" if self._is_terminal else f"{line}\n")
        self._stream.flush()

    def __enter__(self) -> Self:
        if self._is_terminal:
            self._show()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None and (self._is_terminal or self._printed < self._done):
            self._show()
        if self._is_terminal:
            self._stream.write("\n")
            self._stream.flush()

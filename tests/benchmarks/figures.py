"""Pass figures of the benchmarks to the command that prints them as a table."""

import json
import os
from pathlib import Path

__all__ = ["FILE", "is_recorded", "record"]

FILE = "PLANISH_FIGURES"
"""The variable that names the file to which figures are appended; without it none are."""


def is_recorded() -> bool:
    """Tell whether figures are appended to a file."""
    return bool(os.environ.get(FILE))


def record(**figures: float) -> None:
    """Append figures, by the names that `table.py` has for them."""
    path = os.environ.get(FILE)
    if path:
        with Path(path).open("a") as file:
            file.write(json.dumps(figures) + "\n")

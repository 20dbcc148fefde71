"""The verifier's modules, loaded once in the template process: see `verifier/main.py`."""

import gc
import os
import sys

from ..verifier.main import Bundle  # noqa: TID252  # beside us, in both interpreters
from ._shadowed import AHEAD, PLAIN

__all__ = ["bundle", "is_loaded", "load_verifier"]

_bundle: "list[Bundle]" = []


def load_verifier(file: int) -> None:
    """Load the modules from an open file, and close it; processes forked from now on have them."""
    try:
        made = Bundle(os.pread(file, os.fstat(file).st_size, 0))
    finally:
        os.close(file)
    made.load_ahead()
    _bundle[:] = [made]
    AHEAD.update(name for name in {*sys.modules} - PLAIN if "." not in name)
    gc.collect()
    gc.freeze()  # as after the modules that are loaded at the start


def is_loaded() -> bool:
    """Return whether the modules are there."""
    return bool(_bundle)


def bundle() -> Bundle:
    """Return the modules, for the one program of this process."""
    return _bundle[0]

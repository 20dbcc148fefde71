"""All tricks, by name."""

from tests.integrity.changing import CHANGING
from tests.integrity.equal import EQUAL
from tests.integrity.leaving import LEAVING
from tests.integrity.saying import SAYING
from tests.integrity.trick import MARKER, RIGHT, WRONG, Trick

__all__ = ["MARKER", "RIGHT", "TRICKS", "WRONG", "Trick"]

TRICKS = {**LEAVING, **SAYING, **EQUAL, **CHANGING}

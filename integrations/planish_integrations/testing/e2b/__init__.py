"""A loopback E2B: the real protocol and its known defects, with code that really runs."""

from ._faults import Operation
from ._server import LoopbackE2B

__all__ = ["LoopbackE2B", "Operation"]

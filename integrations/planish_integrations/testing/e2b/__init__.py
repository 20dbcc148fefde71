"""A loopback E2B: the real protocol, code that really runs, and the real thing's defects."""

from ._faults import Operation
from ._server import LoopbackE2B

__all__ = ["LoopbackE2B", "Operation"]

"""E2B's cloud sandboxes, by its own SDK, and what it takes to rely on them.

Needs the extra `e2b` (`pip install ".[e2b]"` in a checkout) and a key in `E2B_API_KEY`.
"""

from ._sandbox import E2BSandbox
from ._session import E2BSession
from ._settings import HOBBY, PRO, Plan

__all__ = ["HOBBY", "PRO", "E2BSandbox", "E2BSession", "Plan"]

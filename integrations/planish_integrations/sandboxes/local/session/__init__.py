"""Keep state across runs: variables and files stay between steps."""

from ._in_session import InSession
from ._session import LocalSession, Snapshot

__all__ = ["InSession", "LocalSession", "Snapshot"]

"""State across runs, for whoever asks for it: variables and files that stay between steps."""

from ._in_session import InSession
from ._session import LocalSession, Snapshot

__all__ = ["InSession", "LocalSession", "Snapshot"]
